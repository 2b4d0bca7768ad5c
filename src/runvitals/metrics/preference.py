"""Preference optimisation: DPO and its kin, from log-probabilities of whole responses.

Inputs are one number per pair (or per sample for KTO): the summed log-probability of a response
under the policy and under the frozen reference. Where a method uses means per token, the function
takes the lengths, or says so.
"""

from __future__ import annotations

import math
from typing import Literal

from runvitals.metrics._arrays import (
    Selection,
    beside,
    log_sigmoid,
    positive_number,
    select,
    sigmoid,
)
from runvitals.metrics._types import Array, Namespace, Scalar, scalars
from runvitals.model import ConfigError

DPOLoss = Literal["sigmoid", "ipo", "hinge", "robust"]


def _sigmoid_loss(xp: Namespace, x: Array, smoothing: float) -> Array:
    loss = -(1.0 - smoothing) * log_sigmoid(xp, x)
    return loss - smoothing * log_sigmoid(xp, -x) if smoothing else loss


def _report(
    chosen: Selection, loss: Array, win: Array, lose: Array, logps: tuple[Array, Array]
) -> dict[str, Scalar]:
    """The numbers that all paired methods share."""
    win_mean, lose_mean = chosen.mean(win), chosen.mean(lose)
    return {
        "preference/loss": chosen.mean(loss),
        "preference/chosen_reward": win_mean,
        "preference/rejected_reward": lose_mean,
        "preference/margin": chosen.mean(win - lose),
        "preference/accuracy": chosen.share(win > lose),
        "preference/average_reward": 0.5 * (win_mean + lose_mean),
        "preference/chosen_logprob": chosen.mean(logps[0]),
        "preference/rejected_logprob": chosen.mean(logps[1]),
    }


@scalars
def dpo(
    chosen: Array,
    rejected: Array,
    ref_chosen: Array,
    ref_rejected: Array,
    *,
    beta: float = 0.1,
    loss: DPOLoss = "sigmoid",
    label_smoothing: float = 0.0,
    chosen_lengths: Array | None = None,
    rejected_lengths: Array | None = None,
    mask: Array | None = None,
) -> dict[str, Scalar]:
    """DPO's report card: the margin should rise, the loss fall from ln 2, accuracy from 0 to 0.8.

    With `D = log policy - log reference` of a response and `h = D_chosen - D_rejected`:

        sigmoid  -(1 - s) logsigmoid(beta h) - s logsigmoid(-beta h),  s = label_smoothing
        robust   the same with a minus before s, divided by 1 - 2 s
        ipo      (h - 1 / (2 beta))^2, D per token where lengths are given (TRL), else sums
        hinge    max(0, 1 - beta h)

    Implicit rewards are `beta D`. A falling chosen reward with a rising margin is likelihood
    displacement: both answers become less likely; `preference/chosen_logprob` shows it as well.
    Ties count as wrong, so accuracy starts at 0 where policy and reference are equal. `mask` has
    one entry per pair. NaN when nothing counts.

    >>> start = dpo([-10.0], [-12.0], [-10.0], [-12.0])
    >>> round(start["preference/loss"], 6), start["preference/margin"]
    (0.693147, 0.0)
    """
    positive_number("beta", beta)
    pairs, (c, r, rc, rr, len_c, len_r) = select(
        mask,
        chosen=chosen,
        rejected=rejected,
        ref_chosen=ref_chosen,
        ref_rejected=ref_rejected,
        chosen_lengths=chosen_lengths,
        rejected_lengths=rejected_lengths,
    )
    xp = pairs.xp
    win, lose = c - rc, r - rr
    h = win - lose
    if loss == "ipo" and len_c is not None and len_r is not None:
        one = xp.where(len_c < 1, 1.0, len_c), xp.where(len_r < 1, 1.0, len_r)
        h = win / one[0] - lose / one[1]
    terms = _dpo_terms(xp, h, beta, loss, label_smoothing)
    return _report(pairs, terms, beta * win, beta * lose, (c, r))


def _dpo_terms(
    xp: Namespace, h: Array, beta: float, loss: DPOLoss, label_smoothing: float
) -> Array:
    """The loss of each pair."""
    if loss == "sigmoid":
        return _sigmoid_loss(xp, beta * h, label_smoothing)
    if loss == "robust":
        if not label_smoothing < 0.5:
            raise ConfigError(
                f"robust DPO needs label_smoothing below 0.5, got {label_smoothing!r}"
            )
        flipped = label_smoothing * log_sigmoid(xp, -beta * h)
        straight = (1.0 - label_smoothing) * log_sigmoid(xp, beta * h)
        return (flipped - straight) / (1.0 - 2.0 * label_smoothing)
    if loss == "ipo":
        return (h - 1.0 / (2.0 * beta)) ** 2
    if loss == "hinge":
        short = 1.0 - beta * h
        return xp.where(short < 0, 0.0, short)
    raise ConfigError(f"unknown DPO loss {loss!r}", hint="one of: sigmoid, ipo, hinge, robust")


@scalars
def kto(
    logps: Array,
    ref_logps: Array,
    desirable: Array,
    *,
    kl: Scalar = 0.0,
    beta: float = 0.1,
    desirable_weight: float = 1.0,
    undesirable_weight: float = 1.0,
    mask: Array | None = None,
) -> dict[str, Scalar]:
    """KTO's report card, from single samples marked good or bad; the loss starts at 0.5.

        good  w (1 - sigmoid(beta (D - z))),  bad  w (1 - sigmoid(beta (z - D))),  z = max(0, kl)

    `kl` is the batch's estimate of KL(policy || reference), usually from mismatched pairs. Chosen
    and rejected rewards are means over the good and the bad samples, the margin their difference;
    NaN where the batch has none of one kind. Accuracy: share of good samples with positive and bad
    samples with negative implicit reward.

    >>> round(kto([-5.0, -5.0], [-5.0, -5.0], [1, 0])["preference/loss"], 6)
    0.5
    """
    positive_number("beta", beta)
    every, (p, ref, good) = select(mask, logps=logps, ref_logps=ref_logps, desirable=desirable)
    xp = every.xp
    z = beside(xp, kl, p)
    z = xp.where(z > 0, z, 0.0)
    d = p - ref
    is_good = good != 0
    terms = xp.where(
        is_good,
        desirable_weight * (1.0 - sigmoid(xp, beta * (d - z))),
        undesirable_weight * (1.0 - sigmoid(xp, beta * (z - d))),
    )
    reward = beta * d

    def of(kind: Array, x: Array) -> Scalar:
        count = every.share(kind) * every.count
        return every.sum(xp.where(kind, x, 0.0)) / every.positive(count)

    win, lose = of(is_good, reward), of(~is_good, reward)
    right = (is_good & (reward > 0)) | (~is_good & (reward < 0))
    return {
        "preference/loss": every.mean(terms),
        "preference/chosen_reward": win,
        "preference/rejected_reward": lose,
        "preference/margin": win - lose,
        "preference/accuracy": every.share(right),
        "preference/average_reward": every.mean(reward),
        "preference/chosen_logprob": of(is_good, p),
        "preference/rejected_logprob": of(~is_good, p),
        "preference/kl": z,
    }


@scalars
def simpo(
    chosen: Array,
    rejected: Array,
    chosen_lengths: Array,
    rejected_lengths: Array,
    *,
    beta: float = 2.0,
    gamma: float = 0.5,
    label_smoothing: float = 0.0,
    mask: Array | None = None,
) -> dict[str, Scalar]:
    """SimPO's report card: no reference, rewards are `beta` times the mean log-probability a token.

        -logsigmoid(beta (logp_c / len_c - logp_r / len_r) - gamma)

    `gamma` is the margin that is asked for (TRL's `simpo_gamma`).

    >>> round(simpo([-10.0], [-20.0], [10], [10], gamma=2.0)["preference/loss"], 6)
    0.693147
    """
    positive_number("beta", beta)
    pairs, (c, r, len_c, len_r) = select(
        mask,
        chosen=chosen,
        rejected=rejected,
        chosen_lengths=chosen_lengths,
        rejected_lengths=rejected_lengths,
    )
    if pairs.mask is not None:
        len_c, len_r = pairs.clean(len_c, 1.0), pairs.clean(len_r, 1.0)
    c, r = c / len_c, r / len_r
    terms = _sigmoid_loss(pairs.xp, beta * (c - r) - gamma, label_smoothing)
    return _report(pairs, terms, beta * c, beta * r, (c, r))


@scalars
def orpo(
    chosen: Array,
    rejected: Array,
    *,
    nll: Array | None = None,
    beta: float = 0.1,
    mask: Array | None = None,
) -> dict[str, Scalar]:
    """ORPO's report card; `chosen` and `rejected` are mean log-probabilities per token.

        loss = NLL(chosen) - beta logsigmoid(log odds ratio)
        log odds ratio = (a - b) - (log(1 - e^a) - log(1 - e^b))

    `nll` is the supervised loss on the chosen responses, by default their negative mean
    log-probability. Infinite or NaN where a response has log-probability 0.

    >>> round(orpo([-1.0], [-1.0])["preference/log_odds_chosen"], 6)
    0.0
    """
    pairs, (a, b, n) = select(mask, chosen=chosen, rejected=rejected, nll=nll)
    xp = pairs.xp
    if pairs.mask is not None:
        a, b = pairs.clean(a, -1.0), pairs.clean(b, -1.0)
    odds = (a - b) - (_log_one_minus_exp(xp, a) - _log_one_minus_exp(xp, b))
    ratio = log_sigmoid(xp, odds)
    supervised = -a if n is None else n
    found = _report(pairs, supervised - beta * ratio, beta * a, beta * b, (a, b))
    found["preference/nll_loss"] = pairs.mean(supervised)
    found["preference/log_odds_ratio"] = pairs.mean(ratio)
    found["preference/log_odds_chosen"] = pairs.mean(odds)
    return found


def _log_one_minus_exp(xp: Namespace, x: Array) -> Array:
    """log(1 - exp(x)) for x < 0, accurate at both ends (Maechler 2012)."""
    near = x > -math.log(2.0)
    close = xp.log(-xp.expm1(xp.where(near, x, -1.0)))
    far = xp.log1p(-xp.exp(xp.where(near, -1.0, x)))
    return xp.where(near, close, far)


@scalars
def cpo(
    chosen: Array,
    rejected: Array,
    *,
    nll: Array | None = None,
    beta: float = 0.1,
    alpha: float = 1.0,
    loss: Literal["sigmoid", "hinge", "ipo"] = "sigmoid",
    label_smoothing: float = 0.0,
    mask: Array | None = None,
) -> dict[str, Scalar]:
    """CPO's report card: DPO without a reference, plus a supervised term on the chosen responses.

        -logsigmoid(beta (logp_c - logp_r)) + alpha NLL(chosen)

    `nll` (one per pair, or one number) is the supervised loss per token; without it that term is
    left out. Rewards are `beta` times the summed log-probabilities.

    >>> round(cpo([-10.0], [-10.0])["preference/loss"], 6)
    0.693147
    """
    positive_number("beta", beta)
    pairs, (c, r) = select(mask, chosen=chosen, rejected=rejected)
    xp = pairs.xp
    if loss not in ("sigmoid", "hinge", "ipo"):
        raise ConfigError(f"unknown CPO loss {loss!r}", hint="one of: sigmoid, hinge, ipo")
    terms = _dpo_terms(xp, c - r, beta, loss, label_smoothing)
    found = _report(pairs, terms, beta * c, beta * r, (c, r))
    if nll is not None:
        if getattr(nll, "ndim", 0) == 0 and not isinstance(nll, (list, tuple)):
            supervised = beside(xp, nll, c)
        else:
            each, (n, _) = select(mask, nll=nll, chosen=chosen)
            supervised = each.mean(n)
        found["preference/nll_loss"] = supervised
        found["preference/loss"] = found["preference/loss"] + alpha * supervised
    return found


@scalars
def logprob_displacement(
    chosen: Array,
    rejected: Array,
    ref_chosen: Array,
    ref_rejected: Array,
    *,
    mask: Array | None = None,
) -> dict[str, Scalar]:
    """How far both answers' log-probabilities moved since the reference; both falling is a warning.

    Mean `log policy - log reference` in nats for chosen and rejected, and the share of pairs where
    the chosen answer has become less likely.

    >>> logprob_displacement([-12.0], [-20.0], [-10.0], [-10.0])["chosen"]
    -2.0
    """
    pairs, (c, r, rc, rr) = select(
        mask, chosen=chosen, rejected=rejected, ref_chosen=ref_chosen, ref_rejected=ref_rejected
    )
    return {
        "chosen": pairs.mean(c - rc),
        "rejected": pairs.mean(r - rr),
        "chosen_fell_fraction": pairs.share(c < rc),
    }
