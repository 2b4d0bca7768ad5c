"""How well the critic predicts returns."""

from __future__ import annotations

import math

import numpy as np

from runvitals.metrics._arrays import Selection, is_numpy, select
from runvitals.metrics._types import Array, Namespace, Scalar, quiet, scalars


def explained(
    chosen: Selection, predicted: Array, actual: Array, *, var: Scalar | None = None
) -> Scalar:
    """Explained variance of what counts; `var` is the unbiased one of `actual`, if known."""
    xp = chosen.xp
    if var is None:
        var = chosen.var(actual)
    rest = chosen.var(actual - predicted)
    # A constant's variance can come out as rounding noise; its range cannot.
    varies = chosen.max(actual) > chosen.min(actual)
    return xp.where(varies & (var > 0), 1.0 - rest / var, math.nan)


@scalars
def explained_variance(predicted: Array, actual: Array, mask: Array | None = None) -> Scalar:
    """Share of the variance of `actual` that `predicted` accounts for; 1 is perfect, 0 useless.

        1 - var(actual - predicted) / var(actual)

    Negative when worse than predicting the mean; a constant bias is not counted. NaN when `actual`
    never varies or nothing counts. In solved tasks it may fall although the value loss is tiny,
    because nothing is left to explain.

    >>> explained_variance([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    1.0
    >>> explained_variance([-1.0, -2.0, -3.0], [1.0, 2.0, 3.0])
    -3.0
    """
    chosen, (p, a) = select(mask, predicted=predicted, actual=actual)
    return explained(chosen, p, a)


def clipped(xp: Namespace, values: Array, old: Array, clip: float) -> Array:
    """`values` kept within `clip` of `old`."""
    if is_numpy(xp):
        return np.clip(values, old - clip, old + clip)
    top, bottom = old + clip, old - clip
    values = xp.where(values > top, top, values)
    return xp.where(values < bottom, bottom, values)


def squared(xp: Namespace, a: Array, b: Array) -> Array:
    """(a - b)^2; NumPy squares in place."""
    off = a - b
    return np.square(off, out=off) if is_numpy(xp) and off.ndim else off * off


@scalars
def value_loss(
    values: Array,
    returns: Array,
    mask: Array | None = None,
    *,
    old_values: Array | None = None,
    clip: float | None = None,
    half: bool = True,
) -> Scalar:
    """The critic's regression loss; should fall, and scales with the square of the reward.

        1/2 mean(max((V - R)^2, (V_clipped - R)^2)),  V_clipped within `clip` of the old value

    Plain squared error without `old_values` and `clip`. `half=False` leaves out the 1/2, as
    Stable-Baselines3 does. NaN when nothing counts.

    >>> value_loss([1.0, 3.0], [0.0, 0.0])
    2.5
    """
    chosen, (v, r, old) = select(mask, values=values, returns=returns, old_values=old_values)
    error = squared(chosen.xp, v, r)
    if old is not None and clip is not None:
        bounded = squared(chosen.xp, clipped(chosen.xp, v, old, clip), r)
        error = chosen.xp.maximum(error, bounded)
    return chosen.mean(error) * (0.5 if half else 1.0)


@quiet
def value_error(values: Array, returns: Array, mask: Array | None = None) -> Scalar:
    """Mean squared difference of predicted values and returns; should fall smoothly.

    >>> value_error([1.0, 3.0], [0.0, 0.0])
    5.0
    """
    return value_loss(values, returns, mask, half=False)


@scalars
def value_clip_fraction(
    values: Array,
    old_values: Array,
    returns: Array,
    mask: Array | None = None,
    *,
    clip: float = 0.2,
) -> Scalar:
    """Share of value predictions whose clipped error decides the loss; low is good.

    A prediction counts where clipping it to within `clip` of its old value makes its squared error
    larger (TRL, veRL). NaN when nothing counts.

    >>> value_clip_fraction([1.0, 0.1], [0.0, 0.0], [1.0, 1.0])
    0.5
    """
    chosen, (v, old, r) = select(mask, values=values, old_values=old_values, returns=returns)
    bounded = clipped(chosen.xp, v, old, clip)
    return chosen.share((bounded - r) ** 2 > (v - r) ** 2)


@scalars
def value_stats(values: Array, mask: Array | None = None) -> dict[str, Scalar]:
    """Mean, spread and extremes of the predicted values; watch for drift and saturation.

    >>> value_stats([1.0, 3.0])["value/mean"]
    2.0
    """
    chosen, (v,) = select(mask, values=values)
    return chosen.moments(v, "value/")


@scalars
def td_error(
    values: Array,
    rewards: Array,
    next_values: Array,
    terminated: Array | None = None,
    mask: Array | None = None,
    *,
    gamma: float = 0.99,
) -> Scalar:
    """Mean absolute one-step error `|r + gamma V' - V|`, the surprise of the critic; lower is better.

    >>> td_error([1.0], [1.0], [10.0], terminated=[1])
    0.0
    """
    chosen, (v, r, following, dead) = select(
        mask, values=values, rewards=rewards, next_values=next_values, terminated=terminated
    )
    xp = chosen.xp
    if dead is not None:
        following = xp.where(dead != 0, 0.0, following)
    return chosen.mean(xp.abs(r + gamma * following - v))
