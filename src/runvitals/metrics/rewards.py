"""What the rewards of a batch look like and are made of, and how good a reward model judges."""

from __future__ import annotations

import math
from collections.abc import Mapping

from runvitals.metrics._arrays import log_sigmoid, rows, select, shape_of, sigmoid, unify
from runvitals.metrics._types import Array, Scalar, ShapeError, quiet, scalars
from runvitals.metrics.distribution import sorted_quantiles
from runvitals.metrics.kl import Estimator, estimate, kl_ref
from runvitals.model import ConfigError
from runvitals.model.text import labelled


@scalars
def reward_stats(rewards: Array, mask: Array | None = None) -> dict[str, Scalar]:
    """Mean, spread, median and extremes of the rewards, one per sample; the mean should rise.

    Standard deviation and variance are unbiased: NaN for a single reward. NaN when nothing counts.

    >>> reward_stats([0.0, 1.0, 1.0])["reward/median"]
    1.0
    """
    chosen, (x,) = select(mask, rewards=rewards)
    median = sorted_quantiles(chosen, x, [0.5])[0]
    return chosen.moments(x, "reward/") | {"reward/median": median}


@scalars
def score_stats(scores: Array, mask: Array | None = None) -> dict[str, Scalar]:
    """The same for raw scores of a reward model or verifier, before KL penalty and shaping.

    >>> score_stats([0.0, 1.0])["reward/score_mean"]
    0.5
    """
    chosen, (x,) = select(mask, rewards=scores)
    found = chosen.moments(x, "reward/score_")
    del found["reward/score_var"]  # no canonical name; the std says it
    return found


@scalars
def reward_breakdown(
    components: Mapping[str, Array],
    *,
    weights: Mapping[str, float] | None = None,
    mask: Array | None = None,
) -> dict[str, Scalar]:
    """What the reward is made of: mean, spread and extremes of each part, and the weighted total.

    `components` holds one array per reward function, all of one shape; penalties are negative.
    Weights default to 1. A part whose mean dominates the total is what the policy learns.

    >>> reward_breakdown({"score": [1.0, 1.0], "penalty": [-0.5, 0.0]})["reward/mean"]
    0.75
    """
    found: dict[str, Scalar] = {}
    names = list(components)
    if not names:
        return found
    _, arrays = unify(*components.values())
    total = None
    for name, array in zip(names, arrays, strict=True):
        if shape_of(array) != shape_of(arrays[0]):
            first = f"components[{names[0]!r}]"
            raise ShapeError(f"components[{name!r}]", shape_of(array), first, shape_of(arrays[0]))
        chosen, (x,) = select(mask, rewards=array)
        for key, value in chosen.moments(x, "").items():
            if key != "var":
                found[labelled(f"reward/component_{key}", component=name)] = value
        part = array * (weights or {}).get(name, 1.0)
        total = part if total is None else total + part
    chosen, (x,) = select(mask, rewards=total)
    return found | chosen.moments(x, "reward/")


@quiet
def penalised_rewards(
    scores: Array,
    logprobs: Array,
    ref_logprobs: Array,
    mask: Array | None = None,
    *,
    kl_coef: float,
    estimator: Estimator = "k1",
) -> Array:
    """Token rewards of RLHF, (B, T): minus the KL penalty on each token, plus the score on the last.

    `scores` has one entry per response. A response without tokens gets no score. 0 where the mask
    is 0.

    >>> penalised_rewards([1.0], [[-1.0, -1.0]], [[-2.0, -1.0]], kl_coef=0.1).tolist()
    [[-0.1, 1.0]]
    """
    xp, keep, (p, q) = rows(mask, logprobs=logprobs, ref_logprobs=ref_logprobs)
    _, (score, _) = unify(scores, p)
    if shape_of(score) != shape_of(p)[:-1]:
        raise ShapeError("scores", shape_of(score), "logprobs", shape_of(p))
    weight = xp.astype(keep, p.dtype)
    seen = xp.cumulative_sum(weight, axis=-1)
    last = keep & (seen == xp.sum(weight, axis=-1)[..., None])
    penalty = -kl_coef * estimate(xp, q - p, estimator)
    return xp.where(keep, penalty, 0.0) + xp.where(last, score[..., None], 0.0)


@quiet
def kl_penalty_mean(
    logprobs: Array,
    ref_logprobs: Array,
    mask: Array | None = None,
    *,
    kl_coef: float,
    estimator: Estimator = "k1",
) -> Scalar:
    """Mean over responses of the KL part of the reward, usually negative; must not dominate.

        mean over responses of sum(-kl_coef * kl)

    >>> kl_penalty_mean([[-1.0, -1.0]], [[-2.0, -1.0]], kl_coef=0.5)
    -0.5
    """
    found = kl_ref(logprobs, ref_logprobs, mask, estimator=estimator, reduce="sequence_sum")
    return -kl_coef * found


@scalars
def bradley_terry_loss(
    chosen: Array,
    rejected: Array,
    mask: Array | None = None,
    *,
    margin: Array | float = 0.0,
    center: float = 0.0,
) -> Scalar:
    """Loss of a reward model on pairs of scores, `-logsigmoid(chosen - rejected - margin)`.

    ln 2 for a judge that cannot tell. `center` adds `center * mean((chosen + rejected)^2)`, which
    keeps scores around 0 (TRL). NaN when nothing counts.

    >>> round(bradley_terry_loss([1.0, 1.0], [1.0, 1.0]), 6)
    0.693147
    """
    if isinstance(margin, (int, float)):
        pairs, (c, r) = select(mask, chosen=chosen, rejected=rejected)
        gap = c - r - margin
    else:
        pairs, (c, r, m) = select(mask, chosen=chosen, rejected=rejected, margin=margin)
        gap = c - r - m
    loss = pairs.mean(-log_sigmoid(pairs.xp, gap))
    if center:
        loss = loss + center * pairs.mean((c + r) ** 2)
    return loss


@scalars
def ranking_accuracy(chosen: Array, rejected: Array, mask: Array | None = None) -> Scalar:
    """Share of pairs that the judge ranks rightly; ties count as wrong, 0.5 is guessing.

    >>> ranking_accuracy([1.0, 0.0, 2.0, 1.0], [0.0, 1.0, 1.0, 1.0])
    0.5
    """
    pairs, (c, r) = select(mask, chosen=chosen, rejected=rejected)
    return pairs.share(c > r)


@scalars
def calibration_error(
    chosen: Array, rejected: Array, mask: Array | None = None, *, bins: int = 10
) -> Scalar:
    """How far the judge's confidence is from its hit rate, 0 to 0.5; 0 is perfectly calibrated.

    Confidence of a pair is `sigmoid(|chosen - rejected|)`, from 0.5 to 1, cut into equal `bins`;
    the result is the mean over pairs of |hit rate - mean confidence| of their bin (expected
    calibration error). Ties count as half a hit. NaN when nothing counts.

    >>> round(calibration_error([100.0, 100.0], [0.0, 200.0]), 6)
    0.5
    """
    if bins < 1:
        raise ConfigError(f"bins must be at least 1, got {bins!r}")
    pairs, (c, r) = select(mask, chosen=chosen, rejected=rejected)
    xp = pairs.xp
    gap = c - r
    confidence = sigmoid(xp, xp.abs(gap))
    hit = xp.where(gap > 0, 1.0, xp.where(gap < 0, 0.0, xp.where(gap == 0, 0.5, math.nan)))
    place = xp.floor((confidence - 0.5) * (2.0 * bins))
    place = xp.where(place > bins - 1, bins - 1.0, place)
    total: Scalar = 0.0
    for i in range(bins):
        total = total + xp.abs(pairs.sum(xp.where(place == i, hit - confidence, 0.0)))
    bad = pairs.sum(xp.where(xp.isnan(gap), 1.0, 0.0))
    return xp.where(bad > 0, math.nan, total / pairs.positive(pairs.count))


@scalars
def reward_model_stats(
    chosen: Array,
    rejected: Array,
    mask: Array | None = None,
    *,
    margin: Array | float = 0.0,
    center: float = 0.0,
) -> dict[str, Scalar]:
    """A reward model's report card: accuracy and margin should rise; margin near 0 cannot judge.

    Loss, accuracy, mean margin, and the scores' mean, spread and extremes over both answers.

    >>> reward_model_stats([2.0, 1.0], [0.0, 1.0])["rm/margin"]
    1.0
    """
    pairs, (c, r) = select(mask, chosen=chosen, rejected=rejected)
    xp = pairs.xp
    mean_c, mean_r = pairs.mean(c), pairs.mean(r)
    mean = 0.5 * (mean_c + mean_r)
    off = pairs.sum((c - mean) ** 2) + pairs.sum((r - mean) ** 2)
    var = off / pairs.positive(2 * pairs.count - 1.0)
    found = {
        "rm/loss": bradley_terry_loss(chosen, rejected, mask, margin=margin, center=center),
        "rm/accuracy": pairs.share(c > r),
        "rm/margin": pairs.mean(c - r),
        "rm/score_mean": mean,
        "rm/score_std": xp.sqrt(var),
        "rm/score_var": var,
        "rm/score_min": pairs.min(xp.minimum(c, r)),
        "rm/score_max": pairs.max(xp.maximum(c, r)),
        "rm/score_chosen_mean": mean_c,
        "rm/score_rejected_mean": mean_r,
    }
    if center:
        found["rm/center_loss"] = center * pairs.mean((c + r) ** 2)
    return found
