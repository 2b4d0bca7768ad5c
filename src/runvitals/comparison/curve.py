"""Runs on one axis: their curves over the steps that all of them have."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray, OutcomeLevels, RunvitalsError, Series
from runvitals.rules.outcome.course import course
from runvitals.rules.outcome.roles import Kind

BINS = 100
TAIL = 0.1  # the share of the common range whose noise is held against a difference of single runs


@dataclass(frozen=True)
class StepRange:
    """The steps that all curves have."""

    first: int
    last: int

    @property
    def tail(self) -> float:
        """Where the end begins."""
        return self.last - TAIL * (self.last - self.first)


@dataclass(frozen=True)
class Curve:
    """A series as means over equal parts of the common range."""

    steps: FloatArray  # the middle of each part
    values: FloatArray
    logged: FloatArray  # the points of the common range, of which its levels are taken

    @property
    def mean(self) -> float:
        """The area under the curve, per step."""
        return float(self.values.mean())

    def levels(self, sign: int, kind: Kind = "return") -> OutcomeLevels:
        """Start, best and end, as the verdict reads them: of all points, as they were logged.

        If neither more nor less is better (a sign of 0), the best is the highest.
        """
        way = sign or 1
        read = course(way * self.logged, kind)
        return OutcomeLevels(way * read.start, way * read.best, way * read.now)

    def reaches(self, threshold: float, sign: int) -> float:
        """The step at which it first comes to the threshold; infinite if it never does."""
        ahead = sign * (self.values - threshold)
        there = np.flatnonzero(ahead >= 0)
        if not len(there):
            return math.inf
        i = int(there[0])
        if i == 0:
            return float(self.steps[0])
        share = -ahead[i - 1] / (ahead[i] - ahead[i - 1])
        return float(self.steps[i - 1] + share * (self.steps[i] - self.steps[i - 1]))


def common_range(series: Iterable[Series]) -> StepRange:
    """From the latest beginning to the earliest end."""
    ends = [(int(one.steps[0]), int(one.steps[-1])) for one in series]
    first, last = max(first for first, _ in ends), min(last for _, last in ends)
    if first > last:
        raise RunvitalsError(
            f"the runs have no steps in common: one begins at {first:,}, another ends at {last:,}",
            hint="compare runs whose steps count the same thing",
        )
    return StepRange(first, last)


def curve(series: Series, within: StepRange) -> Curve:
    """The mean of the straight lines between the points, in each part of the range.

    >>> line = Series("x", np.array([0, 100]), np.array([0.0, 100.0]), np.zeros(2))
    >>> curve(line, StepRange(0, 100)).values[:3].tolist()
    [0.5, 1.5, 2.5]
    """
    steps, last = np.unique(series.steps[::-1], return_index=True)  # of equal steps the last
    values = series.values[::-1][last]
    inside = series.values[(series.steps >= within.first) & (series.steps <= within.last)]
    if within.first == within.last:
        at_step = np.interp([within.first], steps, values)
        return Curve(np.array([float(within.first)]), at_step, inside if len(inside) else at_step)
    edges = np.linspace(within.first, within.last, BINS + 1)
    at = np.union1d(steps[(steps >= within.first) & (steps <= within.last)], edges)
    heights = np.interp(at, steps, values)
    area = np.concatenate([[0.0], np.cumsum(np.diff(at) * (heights[1:] + heights[:-1]) / 2)])
    means = np.diff(np.interp(edges, at, area)) / np.diff(edges)
    return Curve((edges[1:] + edges[:-1]) / 2, means, inside if len(inside) else means)


def tail_of(series: Series, within: StepRange) -> FloatArray:
    """The points of the last tenth of the range, as logged; of sparse series the last few."""
    values = series.values[series.steps <= within.last]
    inside = int((series.steps[series.steps <= within.last] >= within.tail).sum())
    return values[-max(inside, min(8, len(values) // 2)) :]


def seconds_at(series: Series, step: float, started: float | None) -> float:
    """How long after its start a run came to a step; NaN if the log has no times."""
    known = np.isfinite(series.times)
    if not math.isfinite(step) or known.sum() < 2:
        return math.nan
    steps, times = series.steps[known], series.times[known]
    begin = float(times[0]) if started is None else min(started, float(times[0]))
    return float(np.interp(step, steps, times)) - begin
