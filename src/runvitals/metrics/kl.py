"""How far two policies are apart: estimates from sampled actions, and exact forms.

For samples from p and `l = log q - log p` of each sample, KL(p || q) is estimated by

    k1   mean(-l)               unbiased, noisy, often negative
    k2   mean(l^2 / 2)          biased, never negative
    k3   mean(exp(l) - 1 - l)   unbiased, never negative, low variance while the policies are near
    abs  mean(|l|)              not a KL, but some trainers log it as one

The controllers that steer the weight of a KL penalty hold plain floats, on the host.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from runvitals.metrics._arrays import (
    log_sum_exp,
    positive_number,
    reduce_rows,
    rows,
    same_shape,
    select,
    shape_of,
    unify,
)
from runvitals.metrics._types import Array, Namespace, Reduction, Scalar, ShapeError, quiet, scalars
from runvitals.model import ConfigError

Estimator = Literal["k1", "k2", "k3", "abs"]


def estimate(xp: Namespace, log_ratio: Array, estimator: Estimator) -> Array:
    """Per-sample terms of KL(p || q) from `log_ratio = log q - log p` of samples of p."""
    if estimator == "k1":
        return -log_ratio
    if estimator == "k2":
        return 0.5 * log_ratio * log_ratio
    if estimator == "k3":
        return xp.expm1(log_ratio) - log_ratio
    if estimator == "abs":
        return xp.abs(log_ratio)
    raise ConfigError(f"unknown KL estimator {estimator!r}", hint="one of: k1, k2, k3, abs")


def clamp_log_ratio(xp: Namespace, log_ratio: Array, limit: float | None) -> Array:
    """`log_ratio` kept within plus and minus `limit`; unchanged for None. NaN stays NaN."""
    if limit is None:
        return log_ratio
    log_ratio = xp.where(log_ratio > limit, limit, log_ratio)
    return xp.where(log_ratio < -limit, -limit, log_ratio)


@quiet
def kl_terms(
    sampled: Array,
    other: Array,
    mask: Array | None = None,
    *,
    estimator: Estimator = "k3",
    clamp: float | None = None,
) -> Array:
    """Per-token terms of KL(p || q), an array like the input; 0 where the mask is 0.

    `sampled` holds the log-probabilities under p, the policy that drew the tokens, `other` those
    under q. `clamp` bounds the log-ratio before it is used (veRL uses 20).

    >>> kl_terms([-1.0, -2.0], [-1.5, -2.0], estimator="k2").tolist()
    [0.125, 0.0]
    """
    xp, keep, (p, q) = rows(mask, sampled=sampled, other=other)
    terms = estimate(xp, clamp_log_ratio(xp, q - p, clamp), estimator)
    return xp.where(keep, terms, 0.0)


@scalars
def sampled_kl(
    sampled: Array,
    other: Array,
    mask: Array | None = None,
    *,
    estimator: Estimator = "k3",
    reduce: Reduction = "token",
    clamp: float | None = None,
) -> Scalar:
    """KL(p || q) in nats, from the log-probabilities of tokens drawn from p; 0 means equal.

    `reduce`: `token` is the mean over all tokens, `sequence` the mean of the sequences' means,
    `sequence_sum` the mean of the sequences' sums. NaN when nothing counts; infinite when k3 meets
    a log-ratio beyond the range of the float type, unless `clamp` bounds it.

    >>> round(sampled_kl([-1.0, -2.0], [-1.5, -1.8]), 6)
    0.063967
    """
    if reduce == "token":
        chosen, (p, q) = select(mask, sampled=sampled, other=other)
        xp = chosen.xp
        terms = estimate(xp, clamp_log_ratio(xp, q - p, clamp), estimator)
        return chosen.mean(terms)
    xp, keep, (p, q) = rows(mask, sampled=sampled, other=other)
    terms = estimate(xp, clamp_log_ratio(xp, q - p, clamp), estimator)
    return reduce_rows(xp, terms, keep, reduce)


def approx_kl(
    new: Array,
    old: Array,
    mask: Array | None = None,
    *,
    estimator: Estimator = "k3",
    reduce: Reduction = "token",
    clamp: float | None = None,
) -> Scalar:
    """How far one update moved the policy, KL(old || new) in nats; usually 0.001 to 0.03.

    `new` and `old` are log-probabilities of the actions that `old` took. Exactly 0 on the first
    pass over fresh samples. `k3` is what Stable-Baselines3 and CleanRL log, `k2` what TRL's PPO
    logs, `k1` veRL's `actor/ppo_kl` (its sign means nothing for a small step).

    >>> approx_kl([-1.0, -2.0], [-1.0, -2.0])
    0.0
    >>> round(approx_kl([-0.9, -2.1], [-1.0, -2.0], estimator="k2"), 6)
    0.005
    """
    return sampled_kl(old, new, mask, estimator=estimator, reduce=reduce, clamp=clamp)


def kl_ref(
    policy: Array,
    reference: Array,
    mask: Array | None = None,
    *,
    estimator: Estimator = "k3",
    reduce: Reduction = "token",
    clamp: float | None = None,
) -> Scalar:
    """How far the policy has drifted from the frozen reference, KL(policy || reference) in nats.

    Both are log-probabilities of tokens that the policy drew. Per token by default;
    `reduce="sequence_sum"` with `k1` is TRL's `objective/kl` (6 for 100 tokens is 0.06 a token).

    >>> round(kl_ref([-1.0, -2.0], [-1.5, -2.5], estimator="k1"), 6)
    0.5
    """
    return sampled_kl(policy, reference, mask, estimator=estimator, reduce=reduce, clamp=clamp)


@scalars
def kl_categorical(p_logits: Array, q_logits: Array, mask: Array | None = None) -> Scalar:
    """Exact KL(p || q) of two discrete policies in nats, mean over states; 0 means equal.

    Logits of shape (..., actions), normalised or not; `mask` has the shape without the last axis.
    A logit of -inf forbids an action: it adds nothing if p forbids it, and makes the KL infinite
    if only q does.

    >>> round(kl_categorical([[0.0, 0.0]], [[0.0, 1.0]]), 6)
    0.120115
    """
    xp, (p, q) = unify(p_logits, q_logits)
    same_shape({"p_logits": p, "q_logits": q})
    log_p = p - log_sum_exp(xp, p)[..., None]
    log_q = q - log_sum_exp(xp, q)[..., None]
    weight = xp.exp(log_p)
    terms = xp.where(weight > 0, weight * (log_p - log_q), 0.0)
    per_state = xp.where(xp.isnan(weight[..., 0]), weight[..., 0], xp.sum(terms, axis=-1))
    chosen, (per_state,) = select(mask, kl=per_state)
    return chosen.mean(per_state)


@scalars
def kl_gaussian(
    p_mean: Array, p_std: Array, q_mean: Array, q_std: Array, mask: Array | None = None
) -> Scalar:
    """Exact KL(p || q) of two diagonal Gaussian policies in nats, mean over states; 0 means equal.

    Shapes (..., action dimensions), summed over the last axis; a std of shape (dimensions,) serves
    all states. `mask` has the shape without the last axis.

        log(q_std / p_std) + (p_std^2 + (p_mean - q_mean)^2) / (2 q_std^2) - 1/2

    >>> kl_gaussian([[0.0]], [[1.0]], [[1.0]], [[1.0]])
    0.5
    """
    xp, (pm, ps, qm, qs) = unify(p_mean, p_std, q_mean, q_std)
    same_shape({"p_mean": pm, "q_mean": qm})
    for name, std in (("p_std", ps), ("q_std", qs)):
        if shape_of(std) != shape_of(pm) and shape_of(std) != shape_of(pm)[-1:]:
            raise ShapeError(name, shape_of(std), "p_mean", shape_of(pm))
    ratio = ps / qs
    off = (pm - qm) / qs
    terms = 0.5 * (ratio * ratio + off * off - 1.0) - xp.log(ratio)
    chosen, (per_state,) = select(mask, kl=xp.sum(terms, axis=-1))
    return chosen.mean(per_state)


@dataclass(slots=True)
class AdaptiveKL:
    """A KL coefficient that follows a target, as in Ziegler et al. 2019; read `value`.

        value *= 1 + clip(kl / target - 1, -0.2, 0.2) * samples / horizon

    `target` must be in the unit of the KL that is fed in: TRL feeds sums over a response (6),
    veRL means per token (0.1). NaN changes nothing; infinity pushes as hard as the limit allows.

    >>> control = AdaptiveKL(0.2, target=6.0, horizon=10_000)
    >>> round(control.update(12.0, samples=256), 6)
    0.201024
    """

    value: float
    target: float
    horizon: float = 10_000
    limit: float = 0.2

    def __post_init__(self) -> None:
        positive_number("target", self.target)
        positive_number("horizon", self.horizon)

    def update(self, kl: float, samples: int = 1) -> float:
        """Take the KL of the last batch and how many samples it had; the new coefficient."""
        kl = float(kl)
        if not math.isnan(kl):
            error = min(max(kl / self.target - 1.0, -self.limit), self.limit)
            self.value *= 1.0 + error * samples / self.horizon
        return self.value


@dataclass(slots=True)
class FixedKL:
    """A KL coefficient that stays; the same interface as the ones that move.

    >>> FixedKL(0.1).update(99.0)
    0.1
    """

    value: float

    def update(self, kl: float, samples: int = 1) -> float:
        """The coefficient, unchanged."""
        del kl, samples
        return self.value


@dataclass(slots=True)
class StepKL:
    """A KL coefficient that jumps, as in the PPO paper and RLlib; read `value`.

    Times `up` when the KL is above `high` times the target, times `down` when below `low` times it.

    >>> control = StepKL(0.2, target=0.01)
    >>> round(control.update(0.03), 6), round(control.update(0.001), 6)
    (0.3, 0.15)
    """

    value: float
    target: float
    high: float = 2.0
    low: float = 0.5
    up: float = 1.5
    down: float = 0.5

    def __post_init__(self) -> None:
        positive_number("target", self.target)

    def update(self, kl: float, samples: int = 1) -> float:
        """Take the KL of the last batch; the new coefficient. NaN changes nothing."""
        del samples
        kl = float(kl)
        if kl > self.high * self.target:
            self.value *= self.up
        elif kl < self.low * self.target:
            self.value *= self.down
        return self.value
