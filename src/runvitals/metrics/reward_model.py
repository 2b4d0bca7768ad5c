"""How good the judge is: a reward model on pairs of answers."""

from __future__ import annotations

import math

from runvitals.metrics._arrays import (
    Array,
    Scalar,
    log_sigmoid,
    out,
    out_all,
    quiet,
    select,
    sigmoid,
)
from runvitals.model import ConfigError


@quiet
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
    return out(loss)


@quiet
def ranking_accuracy(chosen: Array, rejected: Array, mask: Array | None = None) -> Scalar:
    """Share of pairs that the judge ranks rightly; ties count as wrong, 0.5 is guessing.

    >>> ranking_accuracy([1.0, 0.0, 2.0, 1.0], [0.0, 1.0, 1.0, 1.0])
    0.5
    """
    pairs, (c, r) = select(mask, chosen=chosen, rejected=rejected)
    return out(pairs.share(c > r))


@quiet
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
    return out(xp.where(bad > 0, math.nan, total / pairs.positive(pairs.count)))


@quiet
def reward_model_stats(
    chosen: Array,
    rejected: Array,
    mask: Array | None = None,
    *,
    margin: Array | float = 0.0,
    center: float = 0.0,
    correction: float = 1.0,
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
    var = off / pairs.positive(2 * pairs.count - correction)
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
    return out_all(found)
