"""What is kept of series that were read: their points for a while, a summary for good."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from runvitals.model.points.merge import Arrays
from runvitals.model.row import FloatArray, IntArray

Key = tuple[str, int]  # name and rank
# number of points in its parts, the series, the points that a restart logged again
Merged = tuple[int, Arrays, Arrays]


class RecentlyRead:
    """A cache bounded by points; `points` counts those it holds."""

    def __init__(self) -> None:
        self._series: OrderedDict[Key, Merged] = OrderedDict()
        self.points = 0

    def __contains__(self, key: Key) -> bool:
        return key in self._series

    def get(self, key: Key) -> Merged | None:
        """The series, which is the most recent one now; None if it is not kept."""
        if key in self._series:
            self._series.move_to_end(key)
        return self._series.get(key)

    def keep(self, key: Key, series: Merged, most: int) -> None:
        """Keep a series, and drop the oldest others while there are more than `most` points."""
        self.forget(key)
        self._series[key] = series
        self.points += _points(series)
        while self.points > most and len(self._series) > 1:
            self.forget(next(iter(self._series)))

    def forget(self, key: Key) -> None:
        """Drop a series, if it is kept."""
        known = self._series.pop(key, None)
        self.points -= 0 if known is None else _points(known)

    def clear(self) -> None:
        """Drop them all."""
        self._series.clear()
        self.points = 0


def _points(series: Merged) -> int:
    return len(series[1][0]) + len(series[2][0])


@dataclass(frozen=True, slots=True)
class SeriesFacts:
    """A series in short."""

    points: int
    nonfinite: int
    first_step: int | None
    last_step: int | None
    last: float


def facts_of(steps: IntArray, values: FloatArray) -> SeriesFacts:
    """Summarise a series that is sorted by step."""
    if not len(steps):
        return SeriesFacts(0, 0, None, None, float("nan"))
    odd = len(values) - int(np.count_nonzero(np.isfinite(values)))
    return SeriesFacts(len(steps), odd, int(steps[0]), int(steps[-1]), float(values[-1]))
