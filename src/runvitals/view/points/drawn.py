"""What pages show of a run that grows, kept as it is shown: several of them ask for the same."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from runvitals.view.points.axis_series import AxisSeriesCache, Which
from runvitals.view.points.buckets import Points, SeriesPart, thinned


class DrawnRange(NamedTuple):
    """What is shown of an axis, and in how many buckets at most."""

    axis: str
    start: float | None
    end: float | None
    buckets: int


def drawn(axis_series: AxisSeriesCache, name: str, rank: Which, stretch: DrawnRange) -> SeriesPart:
    """A stretch of a series. Where its points are read anew each time, that is done once for all."""
    kept = axis_series.drawn()
    key = (name, rank, stretch)
    part = None if kept is None else kept.get(key)
    if part is None:
        axis, start, end, buckets = stretch
        part = thinned(axis_series.get(name, rank, axis), start, end, buckets)
        if kept is not None:
            kept.put(key, _by_itself(part), _bytes(part))
    return part


def _by_itself(part: SeriesPart) -> SeriesPart:
    """The same without the arrays that it was cut from."""
    if not isinstance(part.shown, Points):
        return part
    return replace(part, shown=Points(part.shown.x.copy(), part.shown.values.copy()))


def _bytes(part: SeriesPart) -> int:
    return sum(array.nbytes for array in (part.nonfinite, *vars(part.shown).values()))
