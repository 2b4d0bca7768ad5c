"""A stretch of a series as a few hundred buckets, each with its lowest and highest value.

However narrow a spike is, it is the highest value of some bucket: none is ever lost.
"""

from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray, IntArray
from runvitals.view.points.axis_series import AxisSeries
from runvitals.view.points.pyramid import PyramidLevel, Values

MAX_ODD = 200
RAW_SHARE = 2  # this many points a bucket are no more bytes than the bucket itself


@dataclass(frozen=True)
class Buckets:
    """One entry for each bucket that has points; NaN where none of its values is finite."""

    x: FloatArray
    low: FloatArray
    high: FloatArray
    mean: FloatArray
    first: FloatArray
    last: FloatArray


@dataclass(frozen=True)
class Points:
    """All points of a stretch, as they were logged."""

    x: FloatArray
    values: FloatArray


@dataclass(frozen=True)
class SeriesPart:
    """A stretch of a series: its points, or buckets if there are too many of them."""

    count: int  # of the points in it
    shown: Points | Buckets
    nonfinite: FloatArray  # x of values that are NaN or infinite, the first of them
    ends: tuple[float, float] | None  # lowest and highest x of the whole series, if it has any


def thinned(series: AxisSeries, start: float | None, end: float | None, count: int) -> SeriesPart:
    """What lies between two x, in at most this many buckets unless the points are as few."""
    first, stop = cut(series, start, end)
    size = max(0, stop - first)
    inside = np.searchsorted(series.odd, [first, stop])
    odd = series.x[series.odd[inside[0] : inside[1]][:MAX_ODD]]
    ends = (float(series.x[0]), float(series.x[-1])) if len(series.x) else None
    if size <= RAW_SHARE * count:
        return SeriesPart(size, Points(series.x[first:stop], series.values[first:stop]), odd, ends)
    return SeriesPart(size, bucketed(series, first, stop, count), odd, ends)


def cut(series: AxisSeries, start: float | None, end: float | None) -> tuple[int, int]:
    """The points between two x, and one more on each side so that lines go on to the edge."""
    x = series.x
    first = 0 if start is None else int(np.searchsorted(x, start, side="left")) - 1
    stop = len(x) if end is None else int(np.searchsorted(x, end, side="right")) + 1
    return max(0, min(first, len(x))), max(0, min(stop, len(x)))


def bucketed(series: AxisSeries, first: int, stop: int, count: int) -> Buckets:
    """The points from `first` to before `stop`, at least one, in at most `count` buckets of equal x."""
    x = series.x
    # Buckets of equal x, not of equal count: each is about a pixel wide, so what lies on the screen
    # does not depend on how densely it was logged.
    edges = np.linspace(x[first], x[stop - 1], count + 1)[1:-1]
    starts = first + np.searchsorted(x[first:stop], edges, side="left")
    width = (stop - first) / count
    level = None if series.pyramid is None else series.pyramid.for_width(width)
    if level is not None:
        # Moved to the edge of a block: at most an eighth of a bucket (`Pyramid.for_width`), less than
        # can be seen, and no point is counted twice or left out.
        starts = starts // level.stride * level.stride
    starts = np.unique(np.concatenate([[first], starts[(starts > first) & (starts < stop)]]))
    ends = np.append(starts[1:], stop)
    with np.errstate(over="ignore", invalid="ignore"):
        made = (
            _from_points(series.values[first:stop], starts - first)
            if level is None or len(starts) < 4
            else _from_level(series.values, level, starts, stop)
        )
    return Buckets(x[starts] + (x[ends - 1] - x[starts]) / 2, *made)


def reduced(
    values: FloatArray, starts: IntArray, stop: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lowest, highest and mean of the values from each start to before the next."""
    begin = int(starts[0])
    mine, at = values[begin:stop], starts - begin
    known = ~np.isnan(mine)
    count = np.add.reduceat(known.astype(np.float64), at)
    total = np.add.reduceat(np.where(known, mine, 0.0), at)
    return np.fmin.reduceat(mine, at), np.fmax.reduceat(mine, at), _mean(total, count)


def _from_points(values: FloatArray, starts: IntArray) -> tuple[FloatArray, ...]:
    ends = np.append(starts[1:], len(values))
    return *reduced(values, starts, len(values)), values[starts], values[ends - 1]


def _from_level(
    values: Values, level: PyramidLevel, starts: IntArray, stop: int
) -> tuple[FloatArray, ...]:
    """Inner buckets begin where blocks begin; the first and the last are read from the points."""
    whole = np.zeros(1, np.int64)
    head = _from_points(values[int(starts[0]) : int(starts[1])], whole)
    tail = _from_points(values[int(starts[-1]) : stop], whole)
    blocks = slice(int(starts[1]) // level.stride, int(starts[-1]) // level.stride)
    at = starts[1:-1] // level.stride - blocks.start
    ends = np.append(at[1:], blocks.stop - blocks.start)
    inner = (
        np.fmin.reduceat(level.low[blocks], at),
        np.fmax.reduceat(level.high[blocks], at),
        _mean(np.add.reduceat(level.total[blocks], at), np.add.reduceat(level.count[blocks], at)),
        level.first[blocks][at],
        level.last[blocks][ends - 1],
    )
    return tuple(np.concatenate(parts) for parts in zip(head, inner, tail, strict=True))


def _mean(total: FloatArray, count: FloatArray) -> FloatArray:
    mean = np.full(len(total), np.nan)
    np.divide(total, count, out=mean, where=count > 0)
    return mean
