"""The importance ratio, and what the clipped objective of PPO does to a batch."""

from __future__ import annotations

from typing import NamedTuple

from runvitals.metrics._arrays import Selection, reduce_rows, rows, select
from runvitals.metrics._types import Array, Namespace, Reduction, Scalar, out, quiet, scalars
from runvitals.metrics.kl import clamp_log_ratio
from runvitals.model import ConfigError


class ClipFractions(NamedTuple):
    """Shares of the batch: clipped at all, at the lower and upper bound, and by the dual clip."""

    total: Scalar
    low: Scalar
    high: Scalar
    dual: Scalar


def bounds(clip: float, clip_low: float | None, clip_high: float | None) -> tuple[float, float]:
    """Lower and upper distance of the ratio from 1."""
    low = clip if clip_low is None else clip_low
    high = clip if clip_high is None else clip_high
    if low < 0 or high < 0:
        raise ConfigError(f"clip ranges must not be negative, got {low!r} and {high!r}")
    return low, high


def shares(
    chosen: Selection,
    ratio: Array,
    advantages: Array | None,
    low: float,
    high: float,
    dual_clip: float | None,
) -> ClipFractions:
    """The four shares, from the ratio of what counts."""
    below, above = ratio < 1.0 - low, ratio > 1.0 + high
    dual: Scalar = float("nan")
    if advantages is not None:
        gain, loss = advantages > 0, advantages < 0
        if dual_clip is not None:
            dual = chosen.share(loss & (ratio > dual_clip))
        below, above = below & loss, above & gain
    at_low, at_high = chosen.share(below), chosen.share(above)
    return ClipFractions(at_low + at_high, at_low, at_high, dual)


@quiet
def clip_fractions(
    new: Array,
    old: Array,
    advantages: Array | None = None,
    mask: Array | None = None,
    *,
    clip: float = 0.2,
    clip_low: float | None = None,
    clip_high: float | None = None,
    dual_clip: float | None = None,
) -> ClipFractions:
    """Shares of actions that the clip stops from learning further: total, low, high, dual.

    With `advantages` an action counts where the clipped term decides: ratio above 1 + high and
    advantage above 0, or ratio below 1 - low and advantage below 0 (TRL, veRL, OpenRLHF). Without
    them the sign is ignored, |ratio - 1| > clip (Stable-Baselines3, CleanRL), up to twice as much.
    `dual`: advantage below 0 and ratio above `dual_clip` (veRL's c, usually 3); NaN if not given.
    Advantages may hold one value per sequence. NaN when nothing counts.

    >>> clip_fractions([0.5, -0.5, 0.5, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0, -1.0, -1.0, 1.0])
    ClipFractions(total=0.5, low=0.25, high=0.25, dual=nan)
    """
    low, high = bounds(clip, clip_low, clip_high)
    chosen, (new, old, advantages) = select(
        mask, per_row=("advantages",), new=new, old=old, advantages=advantages
    )
    ratio = chosen.xp.exp(new - old)
    found = shares(chosen, ratio, advantages, low, high, dual_clip)
    return ClipFractions(*(out(x) for x in found))


def clip_fraction(
    new: Array,
    old: Array,
    advantages: Array | None = None,
    mask: Array | None = None,
    *,
    clip: float = 0.2,
    clip_low: float | None = None,
    clip_high: float | None = None,
) -> Scalar:
    """Share of actions that the clip stops from learning further; 0.05 to 0.3 is usual.

    Sign-aware with `advantages`, sign-blind without; see `clip_fractions`. Exactly 0 on the first
    pass over fresh samples.

    >>> clip_fraction([0.5, 0.0], [0.0, 0.0])
    0.5
    """
    found = clip_fractions(
        new, old, advantages, mask, clip=clip, clip_low=clip_low, clip_high=clip_high
    )
    return found.total


def dual_clip_fraction(
    new: Array, old: Array, advantages: Array, mask: Array | None = None, *, dual_clip: float = 3.0
) -> Scalar:
    """Share of actions with negative advantage whose ratio is beyond the dual clip; near 0.

    More than a few per thousand: the policy makes bad actions much likelier between two updates.

    >>> dual_clip_fraction([1.6, 0.0], [0.0, 0.0], [-1.0, -1.0])
    0.5
    """
    return clip_fractions(new, old, advantages, mask, dual_clip=dual_clip).dual


def surrogate(
    xp: Namespace, ratio: Array, advantages: Array, low: float, high: float, dual_clip: float | None
) -> Array:
    """Per-action clipped loss."""
    bounded = xp.clip(ratio, 1.0 - low, 1.0 + high)
    if dual_clip is not None:
        # A bad action's loss stops growing with its ratio, so capping the ratio there is the same.
        ratio = xp.where((advantages < 0) & (ratio > dual_clip), dual_clip, ratio)
    return -xp.minimum(advantages * ratio, advantages * bounded)


@scalars
def ppo_loss(
    new: Array,
    old: Array,
    advantages: Array,
    mask: Array | None = None,
    *,
    clip: float = 0.2,
    clip_low: float | None = None,
    clip_high: float | None = None,
    dual_clip: float | None = None,
    clamp: float | None = None,
    reduce: Reduction = "token",
) -> Scalar:
    """The clipped surrogate loss of PPO; its sign and size mean little, its explosions do.

        mean(max(-A r, -A clip(r, 1 - low, 1 + high))),  r = exp(new - old)

    and at most `-A dual_clip` where A is negative. Near 0 with normalised advantages. NaN when
    nothing counts. For watching only: no gradient flows.

    >>> round(ppo_loss([0.0, 0.5], [0.0, 0.0], [1.0, 1.0]), 6)
    -1.1
    """
    low, high = bounds(clip, clip_low, clip_high)
    if reduce == "token":
        chosen, (new, old, advantages) = select(
            mask, per_row=("advantages",), new=new, old=old, advantages=advantages
        )
        xp = chosen.xp
        ratio = xp.exp(clamp_log_ratio(xp, new - old, clamp))
        return chosen.mean(surrogate(xp, ratio, advantages, low, high, dual_clip))
    xp, keep, (new, old, advantages) = rows(
        mask, per_row=("advantages",), new=new, old=old, advantages=advantages
    )
    ratio = xp.exp(clamp_log_ratio(xp, new - old, clamp))
    terms = surrogate(xp, ratio, advantages, low, high, dual_clip)
    return reduce_rows(xp, terms, keep, reduce)


@scalars
def ratio_stats(
    new: Array, old: Array, mask: Array | None = None, *, clamp: float | None = None
) -> dict[str, Scalar]:
    """Mean, spread and extremes of exp(new - old); the mean should stay near 1.

    Also the mean of |ratio - 1|. `clamp` bounds the log-ratio first (veRL and OpenRLHF use 20);
    without it a log-ratio beyond the float type's range gives infinity. Standard deviation and
    variance are unbiased: NaN for a single action. All NaN when nothing counts.

    >>> ratio_stats([0.0, 0.0], [0.0, 0.0])["policy/ratio_mean"]
    1.0
    """
    chosen, (new, old) = select(mask, new=new, old=old)
    xp = chosen.xp
    log_ratio = clamp_log_ratio(xp, new - old, clamp)
    found = chosen.moments(xp.exp(log_ratio), "policy/ratio_")
    found["policy/ratio_abs_dev"] = chosen.mean(xp.abs(xp.expm1(log_ratio)))
    return found


@scalars
def effective_sample_size(log_weights: Array, mask: Array | None = None) -> Scalar:
    """Share of the samples that importance weighting leaves to learn from; 1 is all, 1/n is one.

        (sum w)^2 / (n sum w^2),  w = exp(log_weights)

    Computed relative to the largest weight, so log-weights of any size are safe. NaN when nothing
    counts.

    >>> effective_sample_size([0.0, 0.0, 0.0, 0.0])
    1.0
    >>> round(effective_sample_size([500.0, 0.0, 0.0, 0.0]), 6)
    0.25
    """
    chosen, (log_w,) = select(mask, log_weights=log_weights)
    xp = chosen.xp
    top = chosen.max(log_w)
    w = xp.exp(log_w - xp.where(xp.isfinite(top) | xp.isnan(top), top, 0.0))
    total = chosen.sum(w)
    return total * total / (chosen.count * chosen.sum(w * w))
