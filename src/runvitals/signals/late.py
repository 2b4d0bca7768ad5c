"""The early and the late part of a series, and their levels.

A part is a share of the points, but never fewer than `least`. Its level is a mean or a median: means
for rates and for 0/1 data, whose median jumps from one to the other; medians where a single wild point
must not decide. All functions take a plain array of finite values in order of time; the level of
nothing is NaN.
"""

from __future__ import annotations

import math

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.signals.robust import finite, median

HALF, THIRD, QUARTER, FIFTH, TENTH = 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 10
MIN_LATE = 3  # points: with fewer one wild point is the level; judgement
ROUNDING = 1e-9  # so that a third of 9 points is 3 of them


def points_in(points: int, share: float = FIFTH, least: int = MIN_LATE) -> int:
    """How many of this many points such a part has.

    >>> points_in(20), points_in(9, THIRD), points_in(4)
    (4, 3, 3)
    """
    return max(least, int(share * points + ROUNDING))


def late(values: FloatArray, share: float = FIFTH, least: int = MIN_LATE) -> FloatArray:
    """The last points of a series.

    >>> late(np.arange(20.0)).tolist()
    [16.0, 17.0, 18.0, 19.0]
    >>> late(np.arange(4.0)).tolist()
    [1.0, 2.0, 3.0]
    """
    return values[-points_in(len(values), share, least) :]


def early(values: FloatArray, share: float = FIFTH, least: int = MIN_LATE) -> FloatArray:
    """The first points of a series, as many as `late` takes from its end."""
    return values[: points_in(len(values), share, least)]


def late_median(values: FloatArray, share: float = FIFTH, least: int = MIN_LATE) -> float:
    """Where a series ends, robust to single outliers."""
    return median(late(values, share, least))


def early_median(values: FloatArray, share: float = FIFTH, least: int = MIN_LATE) -> float:
    """Where a series begins, robust to single outliers."""
    return median(early(values, share, least))


def start_median(values: FloatArray, points: int = MIN_LATE) -> float:
    """Where a series began, before it could move far: the median of its first points."""
    return median(values[:points])


def late_mean(values: FloatArray, share: float = FIFTH, least: int = MIN_LATE) -> float:
    """Where a rate ends up."""
    return _mean(late(values, share, least))


def early_mean(values: FloatArray, share: float = FIFTH, least: int = MIN_LATE) -> float:
    """Where a rate begins."""
    return _mean(early(values, share, least))


def _mean(values: FloatArray) -> float:
    return float(np.mean(values)) if len(values) else math.nan


WARM_UP_POINTS, MIN_POINTS, MAX_POINTS = 5, 6, 100  # left out; in the early level (judgement)
WARM_UP, EARLY = 20, 0.15  # a twentieth of the points at most; and the share of them (judgement)


def reference_points(count: int) -> slice:
    """Which points make up the early level of a series: after the first few, 15% of them."""
    first = min(WARM_UP_POINTS, count // WARM_UP)
    return slice(first, first + int(np.clip(EARLY * count, MIN_POINTS, MAX_POINTS)))


def reference(values: FloatArray) -> float:
    """The early level of a series, whatever comes later; NaN for an empty array."""
    values = finite(values)
    early = values[reference_points(len(values))]
    return median(early)
