"""Put groups of runs side by side; the first group is what the others are compared with.

What a comparison comes to is a sentence that claims no more than the runs show.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from runvitals.comparison.curve import Curve, StepRange, common_range, curve, seconds_at, tail_of
from runvitals.comparison.member import Member, Setting, Side, differing
from runvitals.comparison.resampling import Interval, over_pairs, over_runs, within_runs
from runvitals.comparison.sweep import direction
from runvitals.model import (
    SEVERITIES,
    Diagnosis,
    Finding,
    FloatArray,
    OutcomeLevels,
    RunvitalsError,
)
from runvitals.model.formatting import number
from runvitals.model.text import did_you_mean
from runvitals.rules.held_out import NEVER
from runvitals.rules.outcome.roles import CANDIDATES, KINDS

Read = TypeVar("Read")

# of the way to what the worst and the best side reach
WORST_SHARE, BEST_SHARE = 0.9, 0.5


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
    sign = direction(members[0].series[name].metric or name, unknown=0)
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
    return start + sign * max(WORST_SHARE * min(rises), BEST_SHARE * max(rises))


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


@dataclass(frozen=True)
class Illness:
    """A rule that fired: in how many runs of each side, and what it said first."""

    code: str
    name: str
    severity: str
    message: str
    runs: tuple[int, ...]
    first_step: tuple[int | None, ...]  # the earliest in each side


@dataclass(frozen=True)
class HealthComparison:
    """Verdicts of each side, and the findings that one side has more of than another."""

    verdicts: tuple[Mapping[str, int], ...]
    alarms: tuple[int, ...]  # runs with warnings or worse
    differing: tuple[Illness, ...]
    shared: tuple[Illness, ...]  # as frequent on all sides


def health_of(sides: Sequence[Sequence[Diagnosis]]) -> HealthComparison:
    """Compare what the rules said. Notices do not count."""
    illnesses = sorted(
        _illnesses(sides), key=lambda one: (SEVERITIES.index(one.severity), one.code)
    )
    shares = [
        {count / len(side) for count, side in zip(one.runs, sides, strict=True)}
        for one in illnesses
    ]
    return HealthComparison(
        verdicts=tuple(Counter(one.verdict.word for one in side) for side in sides),
        alarms=tuple(sum(bool(one.alarms) for one in side) for side in sides),
        differing=tuple(i for i, share in zip(illnesses, shares, strict=True) if len(share) > 1),
        shared=tuple(i for i, share in zip(illnesses, shares, strict=True) if len(share) == 1),
    )


def _illnesses(sides: Sequence[Sequence[Diagnosis]]) -> Iterator[Illness]:
    found: dict[str, list[dict[int, Finding]]] = {}  # by code and side: the first of each run
    for i, side in enumerate(sides):
        for j, diagnosis in enumerate(side):
            for finding in diagnosis.all_findings:
                if finding.is_alarm:
                    mine = found.setdefault(finding.code, [{} for _ in sides])
                    mine[i].setdefault(j, finding)
    for code, by_side in found.items():
        everywhere = [finding for mine in by_side for finding in mine.values()]
        worst = min(everywhere, key=lambda finding: SEVERITIES.index(finding.severity))
        yield Illness(
            code=code,
            name=worst.name,
            severity=worst.severity,
            message=worst.message,
            runs=tuple(len(mine) for mine in by_side),
            first_step=tuple(
                min((f.span.first for f in mine.values()), default=None) for mine in by_side
            ),
        )


MIN_POINTS = 12  # points of a series that is compared, if there is another with as many


def common_outcome(sides: Sequence[Side]) -> str:
    """The most trustworthy outcome that all runs have, with enough points if there is one."""
    members = [member for side in sides for member in side.members]
    shared = [name for name, _ in CANDIDATES if all(name in m.series for m in members)]
    if not shared:
        mine = [f"{side.letter} has {_outcomes(side)}" for side in sides]
        raise RunvitalsError(
            f"no outcome was logged by all runs: {'; '.join(mine)}", hint=_names_in_common(members)
        )
    enough = [n for n in shared if all(len(m.series[n]) >= MIN_POINTS for m in members)]
    tells = [n for n in enough if not _never_succeeds(n, members)]
    return (tells or enough or shared)[0]


def _never_succeeds(name: str, members: Sequence[Member]) -> bool:
    rate = name.endswith("success_rate")
    return rate and all(float(m.series[name].values.max()) <= NEVER for m in members)


def _outcomes(side: Side) -> str:
    counted = Counter(name for member in side.members for name in member.series)
    return ", ".join(name for name, n in counted.items() if n == len(side.members)) or "none"


def asked_for(metric: str, sides: Sequence[Side]) -> str:
    """The metric, if all runs have it."""
    members = [member for side in sides for member in side.members]
    without = [member.path for member in members if metric not in member.series]
    if without:
        more = f" and {len(without) - 1} more" if len(without) > 1 else ""
        hint = did_you_mean(metric, _shared(members)) or _names_in_common(members)
        raise RunvitalsError(f"{metric} was not logged in {without[0]}{more}", hint=hint)
    return metric


def _shared(members: Sequence[Member]) -> list[str]:
    common = frozenset.intersection(*(member.names for member in members))
    return sorted(name for name in common if not name.lower().startswith("system/"))


def _names_in_common(members: Sequence[Member]) -> str:
    shared = _shared(members)
    if not shared:
        return "they have no name in common; --map tells what an odd name means"
    dots = ", ..." if len(shared) > 8 else ""
    return f"choose with --metric; all have {', '.join(shared[:8])}{dots}"


Word = Literal["better", "worse", "higher", "lower", "cannot tell"]


@dataclass(frozen=True)
class Conclusion:
    """A side against the first: the word, and the reason for it."""

    word: Word
    sentence: str


def conclude(found: Comparison, side: int) -> Conclusion:
    """Whether a side does better than the first at the end."""
    gap = found.difference(side, "end")
    letter, base = found.sides[side].letter, found.sides[0].letter
    way: Word = "higher" if gap.amount > 0 else "lower"
    moved = f"{found.metric} ends {number(abs(gap.amount))} {way} than in {base}"
    if gap.amount == 0:
        moved = f"{found.metric} ends as in {base}"
    counts = len(found.sides[0].members), len(found.sides[side].members)
    if gap.interval is None or gap.interval.kind == "within":
        return Conclusion("cannot tell", f"{letter}: {moved}; {_proves_nothing(counts)}")
    how = (
        f"{counts[0]} pairs of runs with the same seed"
        if gap.interval.kind == "pairs"
        else f"{counts[0]} against {counts[1]} runs"
    )
    sure = f"95% interval {_bounds(gap.interval)}; {how}"
    if not gap.interval.excludes_zero:
        alike = f"{letter} and {base} cannot be told apart by the end: {moved} ({sure})"
        return Conclusion("cannot tell", alike + _on_the_way(found, side))
    word = way
    if found.sign:
        word = "better" if gap.amount * found.sign > 0 else "worse"
    return Conclusion(word, f"{letter} is {word}: {moved} ({sure})")


def _on_the_way(found: Comparison, side: int) -> str:
    """Whether they differ over the whole run, though not at its end."""
    gap = found.difference(side, "mean")
    if gap.interval is None or not gap.interval.excludes_zero:
        return ""
    way = "higher" if gap.amount > 0 else "lower"
    return (
        f"; over the whole run its mean is {number(abs(gap.amount))} {way} "
        f"(95% interval {_bounds(gap.interval)})"
    )


def _bounds(interval: Interval) -> str:
    low, high = interval.low, interval.high
    if low == high == 0:
        return "0 to 0"
    if low >= 0:
        return f"{number(low)} to {number(high)} higher"
    if high <= 0:
        return f"{number(-high)} to {number(-low)} lower"
    return f"{number(-low)} lower to {number(high)} higher"


def _proves_nothing(counts: tuple[int, int]) -> str:
    if counts == (1, 1):
        return "with one run per side this is inconclusive: seeds often differ by more"
    return "with a single run on one side that proves little; train it with other seeds too"
