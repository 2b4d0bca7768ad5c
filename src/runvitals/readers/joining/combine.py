"""Whether two logs tell of the same run, and their points as one table: nothing lost, nothing twice."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from runvitals import catalog
from runvitals.model import FloatArray, IntArray, PointTable, RowBlock
from runvitals.model.points.merge import EMPTY, Arrays, Clock
from runvitals.readers.log import Blocks, Log, Reader

Likeness = Literal["same", "different", "unknown"]

MAX_SERIES = 24  # that are compared; more would tell the same
MIN_SERIES = 3  # that must disagree before two logs are of different runs
MAX_POINTS = 2_000
MIN_POINTS = 4  # that two series must share before they say anything
ROUNDED = 5e-3  # consoles print three digits
NEARLY_ZERO = 1e-4  # the Trainer rounds to four decimals
SAME_POINTS = 0.8  # share of the points that must agree
SURE = 0.8  # a tool guessed with less is not evidence
FEW_NAMES = 4  # with fewer a tool is not guessed
_SEPARATORS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Pair:
    """One series under its names in two logs, and whether their numbers agree."""

    mine: str
    theirs: str
    at_steps: bool  # at the steps that both have
    in_order: bool  # one after the other, whatever their steps are
    compared: int


def comparable_name(name: str) -> str:
    """A name without what loggers change about it: separators, case, a leading `train/`.

    >>> comparable_name("train/reward_std"), comparable_name("eval/loss")
    ('reward_std', 'eval_loss')
    """
    return _SEPARATORS.sub("_", name.lower().removeprefix("train/"))


def partners(mine: PointTable, theirs: PointTable, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Names of both tables that may be one series: equal ones, and those that differ only as loggers
    make them differ. `prefix` goes before the names of the second one.
    """
    known = set(mine.names())
    by_plain: dict[str, list[str]] = {}
    for name in known:
        by_plain.setdefault(comparable_name(name), []).append(name)
    names = theirs.names()
    shown = {f"{prefix}{name}" for name in names}
    for name in names:
        own = f"{prefix}{name}"
        if own in known:
            yield own, name
        else:
            # `train/loss` and `loss` may both be there: then neither is the partner of a third spelling
            alike = by_plain.get(comparable_name(own), ())
            if len(alike) == 1 and alike[0] not in shown:
                yield alike[0], name


def compared(mine: PointTable, theirs: PointTable, prefix: str = "") -> list[Pair]:
    """The series that both tables have, those with most points first."""
    pairs = sorted(partners(mine, theirs, prefix), key=lambda pair: -mine.size(pair[0]))
    found = []
    for name, other in pairs[: 4 * MAX_SERIES]:
        pair = compare(name, mine.column(name), other, theirs.column(other))
        if pair is not None:
            found.append(pair)
        if len(found) >= MAX_SERIES:
            break
    return found


def compare(name: str, mine: Arrays, other: str, theirs: Arrays) -> Pair | None:
    """Two series side by side; None if they are too short, or too constant, to tell anything."""
    a, b = mine[2][:MAX_POINTS], theirs[2][:MAX_POINTS]
    if min(len(a), len(b)) < MIN_POINTS or _constant(a) or _constant(b):
        return None
    common, at, there = np.intersect1d(
        mine[0][:MAX_POINTS], theirs[0][:MAX_POINTS], return_indices=True
    )
    by_step = _agree(a[at], b[there]) if len(common) >= MIN_POINTS else 0.0
    shorter = min(len(a), len(b))
    # Loggers count differently (episodes here, frames there), so the order of the values is compared as
    # well; but only of series of one length, since any two short excerpts may look alike.
    near = abs(len(a) - len(b)) <= 2
    in_order = max(_agree(a[:shorter], b[:shorter]), _agree(a[-shorter:], b[-shorter:]))
    if len(common) < MIN_POINTS and not near:
        return None
    return Pair(name, other, by_step >= SAME_POINTS, near and in_order >= SAME_POINTS, len(common))


def same_points(mine: Arrays, theirs: Arrays) -> bool:
    """True if two series are one: they share steps, and agree there."""
    common, at, there = np.intersect1d(mine[0], theirs[0], return_indices=True)
    if not len(common) or 2 * len(common) < min(len(mine[0]), len(theirs[0])):
        return False
    return _agree(mine[2][at], theirs[2][there]) >= SAME_POINTS


def likeness(mine: PointTable, theirs: PointTable, prefix: str = "") -> Likeness:
    """Whether two tables hold the same series. Counters and schedules are alike in all runs: so it
    takes half of the series to be sure, and a quarter to have doubts.
    """
    pairs = compared(mine, theirs, prefix)
    if not pairs:
        return "unknown"
    agree = sum(pair.at_steps or pair.in_order for pair in pairs) / len(pairs)
    if agree >= 0.5:
        return "same"
    told = [pair for pair in pairs if pair.compared >= MIN_POINTS]
    return "different" if agree < 0.25 and len(told) >= MIN_SERIES else "unknown"


def tools_differ(one: str | None, other: str | None) -> bool:
    """True if two logs were surely written by different tools: not if one is built on the other, or
    both on a third."""
    return one is not None and other is not None and not _family(one) & _family(other)


def tool_of(log: Log, reader: Reader) -> str | None:
    """The tool that surely wrote a log: it says so, its format does, or its names do."""
    names = log.points.names()
    told = log.framework or reader.tool
    if told is not None:
        tool = catalog.find_framework(told)
    elif len(names) < FEW_NAMES:
        return None
    else:
        guess = catalog.guess_framework(names)
        tool = guess.id if guess.confidence >= SURE else None
    # what serves every trainer, such as Lightning or Keras, is not a sign of another one
    return None if tool is None or catalog.FRAMEWORKS[tool].kind == "general" else tool


def _family(tool: str) -> set[str]:
    found: set[str] = set()
    waiting = [tool]
    while waiting:
        name = waiting.pop()
        if name not in found and name in catalog.FRAMEWORKS:
            found.add(name)
            waiting += catalog.FRAMEWORKS[name].inherits
    return found


def _constant(values: FloatArray) -> bool:
    finite = values[np.isfinite(values)]
    return not len(finite) or bool((finite == finite[0]).all())


def _agree(a: FloatArray, b: FloatArray) -> float:
    """The share of points that are equal but for rounding."""
    if not len(a):
        return 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        room = ROUNDED * np.maximum(np.abs(a), np.abs(b)) + NEARLY_ZERO
        near = (np.abs(a - b) <= room) | (a == b) | (np.isnan(a) & np.isnan(b))
    return float(near.mean())


SHARED_NAMES = 0.5  # of the log that has fewer
MAX_AHEAD = 20  # usual distances between two points that may be missing
MIN_DONE = 0.1  # of the first log's steps: a log that begins earlier starts over


def continues(earlier: PointTable, later: PointTable) -> bool:
    """True if the second table begins where the first one ended, or shortly before: names agree, and
    the steps go on. Steps that are logged again are those after the last checkpoint.
    """
    mine, theirs = set(earlier.names()), set(later.names())
    shared = mine & theirs
    if not shared or len(shared) < SHARED_NAMES * min(len(mine), len(theirs)):
        return False
    # the longest series know best where the run stood; eight of them outvote a counter that starts over
    longest = sorted(shared, key=lambda name: -earlier.size(name))[:8]
    votes = [_goes_on(*(table.clock(name) for table in (earlier, later))) for name in longest]
    return 2 * sum(votes) > len(votes)


def _goes_on(earlier: tuple[np.ndarray, np.ndarray], later: tuple[np.ndarray, np.ndarray]) -> bool:
    (steps, times), (more, their_times) = earlier, later
    if len(steps) < 2 or not len(more):
        return False
    first, last, begin = int(steps[0]), int(steps[-1]), int(more[0])
    usual = float(np.median(np.diff(steps))) or 1.0
    if not first + MIN_DONE * (last - first) < begin <= last + MAX_AHEAD * usual:
        return False
    if int(more[-1]) <= first:
        return False
    # a log that begins before the other one did cannot have followed it, whatever its steps are
    known, after = times[np.isfinite(times)], their_times[np.isfinite(their_times)]
    return not len(known) or not len(after) or float(after[0]) >= float(known[0])


@dataclass
class _Owner:
    """A log, and the names that are taken from it."""

    log: Log
    prefix: str
    names: set[str] = field(default_factory=set)


@dataclass
class Combined:
    """Points of several logs; the most trusted come first, and each later one adds what is missing.

    A series that is already there, under its name or as another logger spells it, gives the times that
    were unknown and the points that were missing.
    """

    table: PointTable = field(default_factory=PointTable)
    shift: int = 0  # added to the segments of points that come later
    _owners: list[_Owner] = field(default_factory=list)
    _clocks: list[tuple[str, Log, str]] = field(default_factory=list)  # name here, log, name there
    _undated: set[str] = field(default_factory=set)
    _lent: dict[str, IntArray] = field(default_factory=dict)  # steps that another log told first

    def take(self, log: Log, prefix: str = "", *, more: bool = True) -> set[str]:
        """Adds a log and returns its new names; with `more`, also missing points of known series."""
        owner = _Owner(log, prefix)
        self._owners.append(owner)
        if len(self._owners) == 1 and not prefix:
            self.table = log.points
            owner.names = set(log.points.names())
            return owner.names
        doubled: set[str] = set()
        same = likeness(self.table, log.points, prefix) == "same"
        for mine, theirs in partners(self.table, log.points, prefix):
            known = same or mine == f"{prefix}{theirs}"
            if known and self._learn(mine, log, theirs, more=more and same):
                doubled.add(theirs)
        owner.names = set(self.table.adopt(log.points, prefix, without=doubled))
        if self._clocks:
            self._undated = self.table.undated()
            self._set_times()
        return owner.names

    def go_on(self, earlier: PointTable) -> None:
        """Make this a later life of the run that the other table holds."""
        self.shift = earlier.continue_with(self.table)
        self.table = earlier

    def _learn(self, mine: str, log: Log, theirs: str, *, more: bool) -> bool:
        """Adds times and points from the same series in another log; False if it is another series."""
        rank = self.table.ranks(mine)[0]
        own, other = self.table.column(mine, rank), log.points.column(theirs)
        if not same_points(own, other):
            return False
        self._clocks.append((mine, log, theirs))
        if more:
            extra = ~np.isin(other[0], own[0])
            if extra.any():
                points: Arrays = (other[0][extra], other[1][extra], other[2][extra])
                self.table.supplement(mine, rank, points)
                self._lent[mine] = np.append(self._lent.get(mine, EMPTY[0]), points[0])
        return True

    def _set_times(self) -> None:
        """Fill in times: a series' own from the log that has them, else those of its steps."""
        if not self._undated or not self._clocks:
            return
        for mine, log, theirs in self._clocks:
            if mine in self._undated:
                self._set(mine, _known(log.points.clock(theirs)))
        self._undated = self.table.undated(self._undated)
        if self._undated:
            whole = self._whole()
            for name in self._undated:
                self._set(name, whole)

    def _set(self, name: str, clock: Clock) -> None:
        for rank in self.table.ranks(name):
            self.table.set_times(name, rank, clock)

    def _whole(self) -> Clock:
        """The time of each step, from all series on which the logs agree."""
        clocks = [_known(log.points.clock(name)) for _, log, name in self._clocks]
        clocks += [_known(self.table.clock(name)) for name, _, _ in self._clocks]
        clocks = [clock for clock in clocks if len(clock[0])]
        if not clocks:
            return EMPTY[:2]
        steps = np.concatenate([clock[0] for clock in clocks])
        times = np.concatenate([clock[1] for clock in clocks])
        order = np.lexsort((times, steps))
        steps, times = steps[order], times[order]
        last = np.append(steps[1:] != steps[:-1], True)
        return steps[last], times[last]

    def follow(self, read: list[tuple[Log, Blocks]]) -> None:
        """Take in what was appended to the logs; each name stays with the log it came from."""
        known = set(self.table.names())
        for owner in self._owners:
            blocks = next((blocks for log, blocks in read if log is owner.log), [])
            dates = any(log is owner.log for _, log, _ in self._clocks)
            twice = {theirs for _, log, theirs in self._clocks if log is owner.log}
            for segment, block in blocks:
                fresh = {f"{owner.prefix}{name}" for name in block.names if name not in twice}
                owner.names |= fresh - known
                kept = [
                    i
                    for i, name in enumerate(block.names)
                    if f"{owner.prefix}{name}" in owner.names
                ]
                if dates:
                    owner.log.points.add(block, segment)
                if kept:
                    mine = block.select(kept, owner.prefix)
                    for part in self._not_lent(mine):
                        self.table.add(part, segment + self.shift)
                    known |= set(mine.names)
                    if bool(np.isnan(block.times).any()):
                        self._undated |= set(mine.names)
        if any(blocks for _, blocks in read):
            self._set_times()

    def _not_lent(self, block: RowBlock) -> Iterator[RowBlock]:
        """The points of a block that no other log of the run has provided already.

        A logger writes its files one after the other: a run that is opened in between has a row from
        the one that will come from the other a moment later.
        """
        lent = {i for i, name in enumerate(block.names) if name in self._lent}
        others = [i for i in range(len(block.names)) if i not in lent]
        if others:
            yield block.select(others)
        for i in lent:
            new = ~np.isin(block.steps, self._lent[block.names[i]])
            if new.any():
                values = block.values[new, i : i + 1]
                yield RowBlock(
                    (block.names[i],), block.steps[new], block.times[new], values, block.rank
                )


def _known(clock: Clock) -> Clock:
    steps, times = clock
    finite = np.isfinite(times)
    return (steps, times) if finite.all() else (steps[finite], times[finite])
