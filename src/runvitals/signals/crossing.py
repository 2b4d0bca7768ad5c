"""Stretches in which a series stays beyond a limit; a point or two on the other side do not end one."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model.finding import Span
from runvitals.model.row import FloatArray
from runvitals.model.series import Series


class Crossing(NamedTuple):
    """Indices of the first and last point of a stretch, and how many of its points are beyond."""

    first: int
    last: int
    beyond: int

    def span(self, series: Series) -> Span:
        """The steps of the stretch in the series it was found in."""
        first, last = int(series.steps[self.first]), int(series.steps[self.last])
        return Span(first, last, self.last - self.first + 1)


def sustained_above(
    values: FloatArray, limit: float, *, need: int = 8, of: int = 10, close: int = 3
) -> list[Crossing]:
    """Where at least `need` of `of` points in a row are above the limit.

    A stretch ends when at most `close` of the last `of` are. NaN is not above anything.
    """
    with np.errstate(invalid="ignore"):
        return _stretches(np.asarray(values, np.float64) > limit, need, of, close)


def sustained_below(
    values: FloatArray, limit: float, *, need: int = 8, of: int = 10, close: int = 3
) -> list[Crossing]:
    """Where at least `need` of `of` points in a row are below the limit."""
    with np.errstate(invalid="ignore"):
        return _stretches(np.asarray(values, np.float64) < limit, need, of, close)


def _stretches(beyond: np.ndarray, need: int, of: int, close: int) -> list[Crossing]:
    if not len(beyond):
        return []
    counts = np.convolve(beyond.astype(np.int64), np.ones(of, np.int64))[: len(beyond)]
    found: list[Crossing] = []
    at = 0
    while at < len(beyond):
        opened = np.flatnonzero(counts[at:] >= need)
        if not len(opened):
            break
        opens = at + int(opened[0])
        first = max(at, opens - of + 1)
        first += int(np.argmax(beyond[first:]))
        closed = np.flatnonzero(counts[opens:] <= close)
        end = opens + int(closed[0]) if len(closed) else len(beyond)
        inside = np.flatnonzero(beyond[first:end])
        last = first + int(inside[-1])
        found.append(Crossing(first, last, len(inside)))
        at = end
    return found


def frozen(values: FloatArray, *, least: int = 10) -> list[Crossing]:
    """Where a series has exactly the same value `least` times in a row or more; NaN is not a value."""
    values = np.asarray(values, np.float64)
    if not len(values):
        return []
    edges = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1], [True]]))
    runs = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    return [
        Crossing(first, end - 1, end - first)
        for first, end in runs
        if end - first >= least and math.isfinite(values[first])
    ]
