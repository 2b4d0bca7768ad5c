"""Put groups of runs side by side; the first group is what the others are compared with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from runvitals.comparison.configs import Setting, differing
from runvitals.comparison.curve import Curve, StepRange, common_range, curve, seconds_at, tail_of
from runvitals.comparison.health import HealthComparison, health_of
from runvitals.comparison.member import Side
from runvitals.comparison.metric import asked_for, common_outcome, direction_of
from runvitals.comparison.resampling import Interval, over_pairs, over_runs, within_runs
from runvitals.model import FloatArray, OutcomeLevels
from runvitals.rules.outcome.roles import KINDS

Read = TypeVar("Read")

NEARLY, HALF = 0.9, 0.5  # of the way to what the worst and the best side reach


@dataclass(frozen=True)
class Measure:
    """One number for each run, by side."""

    name: str
    values: tuple[FloatArray, ...]

    def centre(self, side: int) -> float:
        """The mean of a side; for what may never happen, the median."""
        values = self.values[side]
        return float(np.median(values) if np.isinf(values).any() else values.mean())


@dataclass(frozen=True)
class Difference:
    """A side against the first, in one measure."""

    side: int
    measure: str
    amount: float
    interval: Interval | None


@dataclass(frozen=True)
class Comparison:
    """All that differs. `sign` is 1 if more of the metric is better, -1 if less is, else 0."""

    sides: tuple[Side, ...]
    metric: str
    sign: int
    within: StepRange
    beyond: tuple[str, ...]  # letters of sides with runs that go on after the common range
    curves: tuple[Curve, ...]  # the mean curve of each side
    levels: tuple[Measure, ...]
    threshold: float | None
    reached: tuple[Measure, ...]  # steps and seconds to the threshold
    differences: tuple[Difference, ...]
    paired: tuple[bool, ...]  # by side: whether its runs have the seeds of the first side
    settings: tuple[Setting, ...]
    health: HealthComparison
    pace: tuple[Measure, ...]

    def difference(self, side: int, measure: str) -> Difference:
        """A side against the first."""
        return next(d for d in self.differences if (d.side, d.measure) == (side, measure))


def compare(
    sides: Sequence[Side], *, metric: str | None = None, threshold: float | None = None
) -> Comparison:
    """What differs between sides of one run or more; `metric` if not the outcome."""
    members = [member for side in sides for member in side.members]
    name = common_outcome(sides) if metric is None else asked_for(metric, sides)
    sign = direction_of(name, members)
    within = common_range(member.series[name] for member in members)
    curves = [[curve(m.series[name], within) for m in side.members] for side in sides]
    kind = KINDS.get(members[0].series[name].metric or name, "return")
    read = [[one.levels(sign, kind) for one in mine] for mine in curves]
    levels = [Measure("end", _each(read, lambda one: one.now))]
    if sign:
        levels.append(Measure("best", _each(read, lambda one: one.best)))
    levels.append(Measure("mean", _each(curves, lambda one: one.mean)))
    goal, reached = threshold, []
    if sign:
        goal = _threshold(read, sign) if threshold is None else threshold
        reached = list(_reached(sides, curves, name, goal, sign))
    paired = tuple(_same_seeds(sides[0], side) for side in sides)
    return Comparison(
        sides=tuple(sides),
        metric=name,
        sign=sign,
        within=within,
        beyond=tuple(_beyond(sides, name, within)),
        curves=tuple(_mean_curve(mine) for mine in curves),
        levels=tuple(levels),
        threshold=goal,
        reached=tuple(reached),
        differences=tuple(_differences(sides, levels, name, within, paired)),
        paired=paired,
        settings=tuple(differing([[m.config for m in side.members] for side in sides])),
        health=health_of([[m.diagnosis for m in side.members] for side in sides]),
        pace=tuple(_paces(sides)),
    )


# numbers


def _beyond(sides: Sequence[Side], name: str, within: StepRange) -> Iterator[str]:
    slack = 0.02 * (within.last - within.first)
    for side in sides:
        if any(m.series[name].steps[-1] > within.last + slack for m in side.members):
            yield side.letter


def _each(runs: Sequence[Sequence[Read]], take: Callable[[Read], float]) -> tuple[FloatArray, ...]:
    return tuple(np.array([take(one) for one in mine], np.float64) for mine in runs)


def _mean_curve(curves: Sequence[Curve]) -> Curve:
    mean = np.mean([one.values for one in curves], axis=0)
    return Curve(curves[0].steps, mean, mean)


def _threshold(read: Sequence[Sequence[OutcomeLevels]], sign: int) -> float:
    """Nearly what every side reaches; half of what the best reaches if another gets nowhere."""
    start = float(np.median([one.start for mine in read for one in mine]))
    bests = [float(np.median([one.best for one in mine])) for mine in read]
    rises = [max(0.0, sign * (best - start)) for best in bests]
    return start + sign * max(NEARLY * min(rises), HALF * max(rises))


def _reached(
    sides: Sequence[Side], curves: Sequence[Sequence[Curve]], name: str, goal: float, sign: int
) -> Iterator[Measure]:
    steps = _each(curves, lambda one: one.reaches(goal, sign))
    yield Measure("steps", steps)
    seconds = tuple(
        np.array(
            [
                math.inf if math.isinf(step) else seconds_at(m.series[name], step, m.started)
                for m, step in zip(side.members, mine.tolist(), strict=True)
            ]
        )
        for side, mine in zip(sides, steps, strict=True)
    )
    yield Measure("seconds", seconds)


def _paces(sides: Sequence[Side]) -> Iterator[Measure]:
    for name in ("steps_per_second", "tokens_per_second", "seconds"):
        values = tuple(np.array([getattr(m.pace, name) for m in s.members]) for s in sides)
        if all(np.isfinite(mine).any() for mine in values):
            yield Measure(name, tuple(mine[np.isfinite(mine)] for mine in values))


# differences


def _same_seeds(base: Side, other: Side) -> bool:
    mine = Counter(str(member.seed) for member in base.members)
    theirs = Counter(str(member.seed) for member in other.members)
    known = all(m.seed is not None for m in (*base.members, *other.members))
    return known and len(mine) > 1 and mine == theirs and max(mine.values()) == 1


def _differences(
    sides: Sequence[Side],
    levels: Sequence[Measure],
    name: str,
    within: StepRange,
    paired: Sequence[bool],
) -> Iterator[Difference]:
    for i in range(1, len(sides)):
        for level in levels:
            base, other = level.values[0], level.values[i]
            interval: Interval | None = None
            if paired[i]:
                interval = over_pairs(_by_seed(sides[0], base), _by_seed(sides[i], other))
            elif min(len(base), len(other)) > 1:
                interval = over_runs(base, other)
            elif level.name == "end" and len(base) == len(other) == 1:
                ends = [
                    tail_of(side.members[0].series[name], within) for side in (sides[0], sides[i])
                ]
                interval = within_runs(float(other[0] - base[0]), *ends)
            size = float(max(np.abs(base).max(), np.abs(other).max()))
            amount = _clean(float(other.mean() - base.mean()), size)
            if interval is not None:
                low, high = _clean(interval.low, size), _clean(interval.high, size)
                interval = replace(interval, low=low, high=high)
            yield Difference(i, level.name, amount, interval)


def _clean(difference: float, size: float) -> float:
    """Without what only the rounding of sums has left."""
    return 0.0 if abs(difference) <= 1e-9 * size else difference


def _by_seed(side: Side, values: FloatArray) -> FloatArray:
    seeds: Mapping[str, float] = {
        str(member.seed): value for member, value in zip(side.members, values, strict=True)
    }
    return np.array([seeds[seed] for seed in sorted(seeds)])
