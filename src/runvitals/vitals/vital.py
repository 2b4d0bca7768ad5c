"""A metric of a run as a doctor reads it out: its level now, its range, since when it is out of it."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from runvitals import catalog
from runvitals.model import Run, Series, Severity, all_findings
from runvitals.model.finding import WithConsequences
from runvitals.model.formatting import number
from runvitals.signals.late import TENTH, late
from runvitals.signals.level import read_level
from runvitals.signals.robust import median
from runvitals.vitals.context import RunContext
from runvitals.vitals.ranges import Range, Ranges, choose, series_of

LATEST = 5  # points at least whose median is the level now (judgement)
MIN_POINTS = 3  # points: fewer have no level to judge
SURE = 0.9  # chance that the level is beyond the edge

# "borderline" is beyond the edge, but not surely; "alarm" is within it, and a finding alarms about it
State = Literal["in range", "out of range", "borderline", "alarm", "too early", "no range"]


class Said(WithConsequences, Protocol):
    """What a rule says of a series: a `Finding`, or what a page shows of one."""

    @property
    def code(self) -> str:
        """Of the rule."""

    @property
    def series(self) -> str:
        """The name it speaks of."""

    @property
    def severity(self) -> Severity:
        """Its severity."""

    @property
    def about_log(self) -> bool:
        """True if it is about how the run was recorded."""


@dataclass(frozen=True)
class Vital:
    """A metric under the name it was logged with. Level and range are in the catalog's unit."""

    name: str
    metric: str
    group: catalog.Group
    level: float  # the median of its latest points, NaN if there is none
    ranges: Ranges
    state: State
    since: int | None = None  # the step from which on it is out of range
    all_along: bool = False  # whether that is its first one
    converted: bool = False  # whether it was logged in another unit or sign
    alarm: str | None = None  # the code of a finding that alarms about it

    @property
    def range(self) -> Range | None:
        """What its level is held against."""
        return self.ranges.judged

    @property
    def low(self) -> float | None:
        """The lower end of its range."""
        return None if self.range is None else self.range.low

    @property
    def high(self) -> float | None:
        """The upper end of its range."""
        return None if self.range is None else self.range.high

    @property
    def source(self) -> str | None:
        """Whose range it is: a document, a paper, a setting of this run."""
        return None if self.range is None else self.range.source

    @property
    def side(self) -> str | None:
        """Where its level lies: `inside`, `above` or `below`; None without a range or a level."""
        if self.range is None or math.isnan(self.level):
            return None
        return self.range.side(self.level)

    @property
    def out_of_range(self) -> bool:
        """True if it is clearly out of its range and stays there."""
        return self.state == "out of range"

    @property
    def shown_name(self) -> str:
        """The logged name; with the metric's, where its numbers are not the logged ones."""
        return f"{self.metric} (logged as {self.name})" if self.converted else self.name

    @property
    def in_words(self) -> str:
        """One line about it: `clip_fraction 0.55, above 0.3 (the guide) since step 400`."""
        edge = None if self.range is None else self.range.edge(self.side or "")
        if edge is None or self.since is None:
            return f"{self.shown_name} {number(self.level)}, {self.state}"
        since = "all along" if self.all_along else f"since step {self.since:,}"
        beyond = f"{self.side} {number(edge)} ({self.source})"
        return f"{self.shown_name} {number(self.level)}, {beyond} {since}"


def vitals_of(run: Run, findings: Iterable[Said] = ()) -> list[Vital]:
    """Every metric of a run that the catalog knows: outcome, then health, data, speed, system.

    Counters of progress are left out. `findings`: what was found in the run. A metric that one of them
    alarms about is not well, wherever its level lies.
    """
    alarms = {
        one.series: one.code
        for one in all_findings(findings)
        if one.severity != "notice" and not one.about_log
    }
    context = RunContext(run)
    return sorted(
        _all(run, context, alarms),
        key=lambda one: (catalog.GROUPS.index(one.group), catalog.reading_position(one.metric)),
    )


def vital_of(
    run: Run, name: str, *, context: RunContext | None = None, alarm: str | None = None
) -> Vital | None:
    """The vital of one logged name; None if the catalog does not know what it is."""
    binding = run.bindings.get(name)
    known = None if binding is None else catalog.metric(binding.metric)
    series = None if known is None else series_of(run, name)
    if binding is None or known is None or series is None:
        return None
    context = context or RunContext(run)
    series = series.finite()
    ranges = choose(context, known.healthy, series) if known.healthy else Ranges()
    if ranges.judged is not None and ranges.judged.unless:
        series = _without(run, series, ranges.judged.unless)
    level = median(_latest(series))
    state, since = _state(context, series, level, ranges.judged)
    if alarm is not None and state not in ("out of range", "no range"):
        state = "alarm"
    return Vital(
        name,
        known.id,
        catalog.group_of(known.id),
        level,
        ranges,
        state,
        since,
        all_along=since is not None and since == int(series.steps[0]),
        converted=binding.convert is not None,
        alarm=alarm,
    )


def _all(run: Run, context: RunContext, alarms: Mapping[str, str]) -> Iterator[Vital]:
    for metric, names in run.metrics().items():
        for name in names if catalog.group_of(metric) != "progress" else ():
            alarm = alarms.get(name) or alarms.get(metric)
            vital = vital_of(run, name, context=context, alarm=alarm)
            if vital is not None:
                yield vital


def _latest(series: Series) -> np.ndarray:
    return late(series.values, TENTH, LATEST)


def _without(run: Run, series: Series, metric: str) -> Series:
    """The points at which that metric is zero, or was not logged."""
    other = run.get(metric)
    if other is None:
        return series
    active = other.steps[np.nan_to_num(other.values) != 0]
    return series.where(~np.isin(series.steps, active)) if len(active) else series


def _state(
    context: RunContext, series: Series, level: float, held: Range | None
) -> tuple[State, int | None]:
    if held is None:
        return "no range", None
    place = held.side(level)
    edge = held.edge(place)
    if edge is None and not math.isnan(level):
        return "in range", None
    if edge is None or len(series) < MIN_POINTS or (held.late and not context.late):
        return "too early", None
    first = _since(series, edge, 1.0 if place == "above" else -1.0)
    return ("borderline", None) if first is None else ("out of range", int(series.steps[first]))


def _since(series: Series, edge: float, side: float) -> int | None:
    """The index from which on its level stays beyond the edge; None if that is not sure."""
    logs = edge > 0 and float(series.values.min()) > 0
    level = read_level(np.log(series.values) if logs else series.values)
    edge = side * (math.log(edge) if logs else edge)
    if float(np.mean(side * level.end > edge)) < SURE:
        return None
    inside = np.flatnonzero(side * level.paths.mean(axis=0) <= edge)
    if not len(inside):
        return 0
    # the last block may lie inside although the end as a whole does not
    return min(int(level.rows[: int(inside[-1]) + 1].sum()), len(series) - 1)
