"""Level, spread and noise of a series, robust to outliers.

All functions take a plain array of values in order of time. Values that are not finite are left out.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from runvitals.model.row import FloatArray

SHORT = 500  # points that are sorted faster than parted in two
MAD_TO_STD = 1.4826  # of a normal distribution
MEAN_TO_STD = 1.2533  # root of pi / 2: its standard deviation over its mean absolute deviation
EIGHTH = 8  # of a series, to each side, is its course around a point (judgement)
THIRD, QUARTER = 3, 4  # of a series: an end of it
WILD = 4.0  # spreads, beyond which a point counts no more
MAX_ALIKE = (
    0.99  # correlation of neighbours; beyond it a series is a walk, and has no time of its own
)
TAKEN_BY_CURVE = 6.0  # what fitting a curve takes from n times the correlation; by simulation


def finite(values: FloatArray) -> FloatArray:
    """The values that are numbers."""
    values = np.asarray(values, np.float64)
    keep = np.isfinite(values)
    return values if keep.all() else values[keep]


def median(values: FloatArray) -> float:
    """The median; NaN for an empty array, or if any value is NaN.

    What NumPy's gives, which takes ten times as long for the short series that rules look at.

    >>> median(np.array([4.0, 1.0, 3.0, 2.0]))
    2.5
    """
    n = len(values)
    half = n // 2
    if not n:
        return math.nan
    if n <= SHORT:
        ordered = np.sort(values)
        last, below = float(ordered[-1]), float(ordered[half - 1])
    else:
        ordered = np.partition(values, half)
        last, below = float(ordered[half:].max()), float(ordered[:half].max())
    if math.isnan(last):  # it is sorted to the end
        return math.nan
    middle = float(ordered[half])
    return (middle if n % 2 else (below + middle) / 2.0) + 0.0  # 0 and never -0


def spread(values: FloatArray) -> float:
    """What the standard deviation would be without outliers, from the median absolute deviation.

    A series whose more than half is one value has a spread of 0 by that measure; then the mean
    absolute deviation stands in.
    """
    values = finite(values)
    if not len(values):
        return math.nan
    distance = np.abs(values - median(values))
    robust = MAD_TO_STD * median(distance)
    return robust if robust > 0 else MEAN_TO_STD * float(distance.mean())


def noise(values: FloatArray) -> float:
    """How far a value strays from its neighbours: the spread of the differences, over root 2.

    A trend hardly moves it. With slow wandering (positive autocorrelation) it is smaller than
    `spread`: it is the noise from step to step.
    """
    values = finite(values)
    return spread(np.diff(values)) / math.sqrt(2) if len(values) > 1 else math.nan


def wander(values: FloatArray) -> float:
    """How far a series strays from its own slow course, the median over a quarter of it around a point.

    Larger than `noise` for a series that wanders; a rise and fall over the whole series is not counted.
    """
    values = finite(values)
    if len(values) < EIGHTH:
        return spread(values)
    half = max(2, len(values) // EIGHTH)
    padded = np.pad(values, half, mode="reflect")
    course = np.median(sliding_window_view(padded, 2 * half + 1), axis=1)
    return max(spread(values - course), noise(values))


def running_median(values: FloatArray, width: int) -> FloatArray:
    """The median of each value and those before it, `width` at most.

    >>> running_median(np.array([1.0, 9.0, 2.0, 3.0]), 3).tolist()
    [1.0, 5.0, 2.0, 3.0]
    """
    values = np.asarray(values, np.float64)
    width = max(1, min(width, len(values)))
    padded = np.concatenate([np.full(width - 1, np.nan), values])
    windows = sliding_window_view(padded, width) if len(values) else padded[:, None]
    result = np.empty(len(values))
    result[: width - 1] = [median(values[: i + 1]) for i in range(min(width - 1, len(values)))]
    result[width - 1 :] = np.median(windows[width - 1 :], axis=1)
    return result


def line(values: FloatArray) -> FloatArray:
    """A straight line through the values; the medians of the first and last third decide it."""
    n = len(values)
    third = max(1, n // THIRD)
    early, late = median(values[:third]), median(values[-third:])
    slope = (late - early) / max(1, n - third)
    return np.asarray((early + late) / 2 + slope * (np.arange(n) - (n - 1) / 2), np.float64)


def monotone(values: FloatArray) -> FloatArray:
    """The steadily rising (or falling) curve that lies closest to the values.

    Isotonic regression, in the direction in which the series ends up.

    >>> monotone(np.array([1.0, 3.0, 2.0, 4.0])).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    quarter = max(1, len(values) // QUARTER)
    falls = median(values[-quarter:]) < median(values[:quarter])
    sign = -1.0 if falls else 1.0
    levels: list[float] = []
    counts: list[int] = []
    # pool adjacent violators: a step down is evened out with what it broke, back to the last rise
    for value in (sign * values).tolist():
        levels.append(value)
        counts.append(1)
        while len(levels) > 1 and levels[-2] > levels[-1]:
            count = counts[-2] + counts[-1]
            merged = (levels[-2] * counts[-2] + levels[-1] * counts[-1]) / count
            levels[-2:], counts[-2:] = [merged], [count]
    return sign * np.repeat(levels, counts)


def autocorrelation_time(values: FloatArray) -> float:
    """How many successive points carry the information of one independent point; at least 1.

    From the lag-1 correlation of what a steady rise or fall cannot explain, so that a learning curve
    is not taken for wandering. Short series look less correlated than they are, since the curve takes
    part of the wandering with it; that is corrected for.
    """
    values = finite(values)
    n = len(values)
    if n <= 2 * TAKEN_BY_CURVE:
        return 1.0
    size = float(np.abs(values).max())
    if size == 0:
        return 1.0
    values = values / size  # so that no square overflows
    rest = values - monotone(values)
    bound = WILD * spread(rest)
    # one large spike would outweigh all other products, and everything would look independent
    rest = np.clip(rest, -bound, bound) if bound > 0 else rest
    rest = rest - rest.mean()
    power = float(rest @ rest)
    if power <= 1e-18 * n:
        return 1.0
    lag_1 = float(rest[1:] @ rest[:-1]) / power
    lag_1 = (lag_1 + TAKEN_BY_CURVE / n) / (1.0 - TAKEN_BY_CURVE / n)
    lag_1 = min(max(lag_1, 0.0), MAX_ALIKE)
    # the variance of a mean of AR(1) noise, over that of as many independent points
    return min((1.0 + lag_1) / (1.0 - lag_1), n / 2)
