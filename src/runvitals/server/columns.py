"""Series of an open run over an axis, ready to be cut and thinned; kept until they grow."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray, IntArray, Run
from runvitals.server.pyramid import Pyramid
from runvitals.server.visible import visible

MOST_POINTS = 50_000_000  # that one run's columns may hold besides the run
AXES = ("step", "time", "relative")  # that every run has
_RANK = "@rank"
_Key = tuple[str, int | None, str]


@dataclass(frozen=True)
class Column:
    """Values over x, sorted by x. `odd` are the places of values that are NaN or infinite."""

    x: FloatArray
    values: FloatArray
    odd: IntArray
    pyramid: Pyramid | None


def series_key(name: str, rank: int | None) -> str:
    """What names one series of a run, of one rank if they differ."""
    return name if rank is None else f"{name}{_RANK}{rank}"


def split_key(run: Run, key: str) -> tuple[str, int | None] | None:
    """The name and rank that a key stands for; None if the run has no such series."""
    if run.points.ranks(key):
        return key, None
    name, _, rank = key.rpartition(_RANK)
    if name and rank.isascii() and rank.isdigit() and int(rank) in run.points.ranks(name):
        return name, int(rank)
    bound = run.get(key)
    return _shown_as(run, key) if bound is None else (bound.name, None)


def _shown_as(run: Run, key: str) -> tuple[str, int | None] | None:
    """The series whose key looks like this where it is shown."""
    for name in run.names():
        if (shown := visible(name)) == key:
            return name, None
        for rank in run.points.ranks(name) if key.startswith(shown + _RANK) else ():
            if series_key(shown, rank) == key:
                return name, rank
    return None


class Columns:
    """The columns of one run, made when they are first asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._made: OrderedDict[_Key, tuple[FloatArray, Column]] = OrderedDict()

    def get(self, name: str, rank: int | None, axis: str) -> Column:
        """A series over `step`, `time`, `relative` or one of the run's counters."""
        steps, times, values = self._run.points.column(name, rank)
        key = (name, rank, axis)
        kept = self._made.get(key)
        if kept is not None and kept[0] is values:  # the table makes new arrays of what has grown
            self._made.move_to_end(key)
            return kept[1]
        column = _column(*_over(self._run, axis, steps, times, self._converted(name, values)))
        self._made[key] = (values, column)
        self._made.move_to_end(key)
        while len(self._made) > 1 and sum(len(v) for v, _ in self._made.values()) > MOST_POINTS:
            self._made.popitem(last=False)
        return column

    def _converted(self, name: str, values: FloatArray) -> FloatArray:
        binding = self._run.bindings.get(name)
        return values if binding is None or binding.convert is None else binding.convert(values)


def axes_of(run: Run) -> list[str]:
    """What its series can be shown over: time only where a clock was read, then what was counted."""
    timed = any(np.isfinite(run.points.column(name)[1]).any() for name in run.names())
    return ["step", *(["time", "relative"] if timed else []), *counters(run)]


def counters(run: Run) -> list[str]:
    """Names of what else was counted while training: episodes, tokens, epochs, ..."""
    return [
        name
        for metric, names in run.metrics().items()
        if metric.startswith("progress/")
        for name in names
        if _rises(run.points.column(name)[2])
    ]


def _rises(values: FloatArray) -> bool:
    return (
        len(values) > 1
        and bool(np.isfinite(values).all())
        and bool((values[1:] >= values[:-1]).all())
        and bool(values[-1] > values[0])
    )


def _over(
    run: Run, axis: str, steps: IntArray, times: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    if axis == "step":
        return steps.astype(np.float64), values
    if axis in ("time", "relative"):
        known = np.isfinite(times)
        start = start_of(run) if axis == "relative" else 0.0
        return times[known] - start, values[known]
    counted_at, _, counts = run.points.column(axis)
    at, first = np.unique(counted_at, return_index=True)
    return np.interp(steps, at, counts[first]), values


def start_of(run: Run) -> float:
    """When it began; if it does not say so, when it first logged."""
    if run.started is not None:
        return run.started
    firsts = [times[0] for n in run.names() if len(times := run.points.column(n)[1])]
    known = [float(first) for first in firsts if np.isfinite(first)]
    return min(known, default=0.0)


def _column(x: FloatArray, values: FloatArray) -> Column:
    if len(x) > 1 and bool((x[1:] < x[:-1]).any()):
        order = np.argsort(x, kind="stable")
        x, values = x[order], values[order]
    finite = np.isfinite(values)
    odd = np.flatnonzero(~finite)
    if len(odd):
        values = np.where(finite, values, np.nan)
    return Column(x, values, odd, Pyramid.over(values))
