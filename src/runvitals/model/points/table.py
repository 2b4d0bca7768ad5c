"""All points of one run in memory, by original name and rank, whatever format they came from."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from runvitals.model.points.aside import AsideRows, Scratch, in_sequence
from runvitals.model.points.merge import EMPTY, Arrays, Clock, Part, in_order, merged, thinned
from runvitals.model.points.stored import LazySeries, StoredRows
from runvitals.model.points.thin import MAX_POINTS
from runvitals.model.row import FloatArray, IntArray, RowBlock

_Key = tuple[str, int]
_AnyPart = Part | tuple[int, LazySeries]
_Merged = tuple[
    int, Arrays, Arrays
]  # number of points in its parts, what counts, what was logged anew
_VALUE = 8  # bytes
GLIMPSE = 20_000  # values that tell what a series can be
MANY_PARTS = 64  # of a series that grows: then they are put together
LONG = 100_000  # points of a series that is put together differently rather than kept for good
MAX_READ = 12_000_000  # points of long or stored series that are kept once they were asked for
MAX_READ_AGAIN = 2**17  # of series that were put aside: those come back from a file of this machine
MAX_RECENT = 2**20  # bytes of points that stay in memory when others are put aside, or ...
MIN_ASIDE = 256  # ... rows of each series, as every piece that is put aside has a price of its own


@dataclass(frozen=True, slots=True)
class SeriesFacts:
    """A series in short."""

    points: int
    nonfinite: int
    first_step: int | None
    last_step: int | None
    last: float


class _Life(NamedTuple):
    """A life of series that were logged together, in order: all of its clock, how many points count."""

    life: int
    clock: Clock
    kept: int


class _Course(NamedTuple):
    """Series that were logged together, some of them put aside; the steps and times that count."""

    lives: list[_Life]
    clock: Clock


class PointTable:
    """Gathers row blocks and gives back columns.

    Rows that are stored in columns are read when they are asked for, and forgotten again when too many
    were: a run may be larger than the memory.

    A run that was restarted has several segments, one per process life. Where a later segment logs
    steps again that an earlier one had reached, the earlier tail is abandoned: it is kept, but it is
    not part of the series.

    Who watches a run that grows calls `put_aside` after each block, and `let_go` after each look: then
    all but the newest points lie in a file, and nothing is kept of what was read from there.

    >>> table = PointTable()
    >>> def block(steps, values):
    ...     return RowBlock(("loss",), np.array(steps), np.zeros(len(steps)), np.array([values]).T)
    >>> table.add(block([0, 1, 2, 3], [9.0, 8.0, 7.0, 6.0]), segment=1)
    >>> table.add(block([2, 3], [7.5, 6.5]), segment=2)
    >>> steps, times, values = table.column("loss")
    >>> values.tolist(), table.abandoned("loss")[2].tolist()
    ([9.0, 8.0, 7.5, 6.5], [7.0, 6.0])
    """

    def __init__(self) -> None:
        self._parts: dict[_Key, list[_AnyPart]] = {}
        self._ranks: dict[str, list[int]] = {}
        self._cache: dict[_Key, _Merged] = {}
        self._read: OrderedDict[_Key, _Merged] = OrderedDict()  # of long or stored series
        self._read_points = 0  # in these
        self._clocks: dict[_Key, tuple[int, Clock]] = {}  # of these, forever
        self._latest: Clock = EMPTY[:2]  # of the one that was put together last
        self._joined: tuple[list[Part], Clock | None] = ([], None)
        self._facts: dict[_Key, tuple[int, SeriesFacts]] = {}
        self.count = 0
        self._added = 0  # of these that came in memory
        self._recent = 0  # bytes of these that may be put aside
        self._scratch: Scratch | None = None  # once something was
        self._is_full = False  # the disk, when something was to be put aside
        self._courses: dict[tuple[int, ...], tuple[list[_AnyPart], _Course | None]] = {}

    def add(self, block: RowBlock, segment: int = 1) -> None:
        """Take in a block; `segment` numbers the process lives of the run from 1."""
        if not len(block):
            return
        for index, name in enumerate(block.names):
            part = (segment, block.steps, block.times, block.values[:, index])
            key = (name, block.rank)
            parts = self._parts_of(name, block.rank)
            parts.append(part)
            if len(parts) % MANY_PARTS == 0:
                self._put_together(name, block.rank)
            self._cache.pop(key, None)  # out of date: it would hold the points a second time
            if key in self._clocks:
                del self._clocks[key]
                self._forget(key)
        self.count += len(block) * len(block.names)
        self._added += len(block) * len(block.names)
        self._recent += block.steps.nbytes + block.times.nbytes + block.values.nbytes
        self._courses.clear()

    def put_aside(self) -> None:
        """Move points to a file if there are many in memory; where none can be written, they stay."""
        least = MIN_ASIDE * _VALUE * len(self._parts)
        if self._recent < max(MAX_RECENT, least) or self._is_full:
            return
        together: dict[tuple[int, ...], list[str]] = {}
        for (name, rank), parts in self._parts.items():
            for life in {part[0] for part in parts if len(part) == 4}:
                clocks = [id(part[1]) for part in parts if len(part) == 4 and part[0] == life]
                before = self._aside(name, rank, life)
                group = (rank, life, 0 if before is None else id(before), *clocks)
                together.setdefault(group, []).append(name)
        self._scratch = self._scratch or Scratch()
        try:
            for (rank, life, *_), names in together.items():
                self._move(names, rank, life, self._scratch)
        except OSError:
            self._is_full = True
        self._recent = 0
        self._joined = ([], None)
        self._courses.clear()

    def _aside(self, name: str, rank: int, life: int) -> AsideRows | None:
        """What was put aside of a series before."""
        for part in self._parts[name, rank]:
            if len(part) == 2 and part[0] == life and isinstance(part[1].rows, AsideRows):
                return part[1].rows
        return None

    def _move(self, names: list[str], rank: int, life: int, scratch: Scratch) -> None:
        """Put aside what names that were logged together have in memory of one life."""
        rows = self._aside(names[0], rank, life)
        if rows is None:
            rows = AsideRows(scratch, names, rank)
        elif len(names) < len(rows.names):
            rows = rows.apart(names)
        recent = [
            [part for part in self._parts[name, rank] if len(part) == 4 and part[0] == life]
            for name in rows.names
        ]
        clock = _one_clock(recent[0])
        if clock is not None:
            rows.append(clock, [np.concatenate([p[3] for p in parts]) for parts in recent])
        else:
            sorted_ = [in_order([part[1:] for part in parts]) for parts in recent]
            clock = sorted_[0][:2]
            rows.append(clock, [values for _, _, values in sorted_])
        for name in rows.names:
            self._parts[name, rank] = _replaced(self._parts[name, rank], life, rows, name)
            self._cache.pop((name, rank), None)
        self._added -= len(clock[0]) * len(names)

    def let_go(self) -> None:
        """Of points that were put aside, keep none that were read again."""
        if not self.is_aside:
            return
        for key in list(self._read):
            self._forget(key)
        self._clocks.clear()
        self._courses.clear()
        self._latest = EMPTY[:2]
        for parts in self._parts.values():
            for part in parts:
                if len(part) == 2 and isinstance(part[1].rows, AsideRows):
                    part[1].rows.let_go()

    @property
    def is_aside(self) -> bool:
        """Whether points were put aside."""
        return self._scratch is not None

    def add_stored(self, rows: StoredRows, segment: int = 1) -> None:
        """Take in rows that stay in their file, at least one."""
        for name in rows.names:
            self._parts_of(name, rows.rank).append((segment, LazySeries(rows, name)))
        self.count += len(rows) * len(rows.names)

    def _parts_of(self, name: str, rank: int) -> list[_AnyPart]:
        parts = self._parts.get((name, rank))
        if parts is None:
            parts = self._parts[name, rank] = []
            self._ranks.setdefault(name, []).append(rank)
        return parts

    def _put_together(self, name: str, rank: int) -> None:
        """Make one part of the many that a live run brings: each has a price of its own.

        Only where that is the order in which they count anyway: of one life, and its clock never
        goes back. Names that were logged together go on sharing their clock.
        """
        late = [part for part in self._parts[name, rank] if len(part) == 2]
        parts = [part for part in self._parts[name, rank] if len(part) == 4]
        before, clock = self._joined
        same = len(before) == len(parts) and all(
            old[1] is new[1] and old[0] == new[0] for old, new in zip(before, parts, strict=True)
        )
        if not same:
            clock = _one_clock(parts)
            self._joined = (parts, clock)
        if clock is not None:
            values = np.concatenate([part[3] for part in parts])
            self._parts[name, rank] = [*late, (parts[0][0], *clock, values)]

    def adopt(self, other: PointTable, prefix: str = "", without: Container[str] = ()) -> list[str]:
        """Take over the names of another table that this one does not have; returns them as kept."""
        taken = []
        for name in other.names():
            kept = f"{prefix}{name}"
            if kept in self._ranks or name in without:
                continue
            for rank in other.ranks(name):
                parts = other._parts[(name, rank)]
                self._parts[(kept, rank)] = list(parts)
                self._ranks.setdefault(kept, []).append(rank)
                self.count += sum(len(part[1]) for part in parts)
                self._added += sum(len(part[1]) for part in parts if len(part) == 4)
            taken.append(kept)
        return taken

    def continue_with(self, later: PointTable) -> int:
        """Take in another table as later lives of the same run: where it logs steps again, it counts.

        Gives what was added to the numbers of its segments.
        """
        shift = max((part[0] for parts in self._parts.values() for part in parts), default=0)
        for (name, rank), parts in later._parts.items():
            self._parts_of(name, rank).extend((part[0] + shift, *part[1:]) for part in parts)
        self.count += later.count
        self._added += later._added
        return shift

    def supplement(self, name: str, rank: int, points: Arrays) -> None:
        """Add points, sorted by step, of a series that another log of the same run has more of.

        They join the life that they lie in; between lives nobody knows which that is, and they are
        left out.
        """
        parts = self._parts[name, rank]
        lives = {part[0] for part in parts}
        steps = points[0]
        known = self.clock(name, rank)[0]
        before = int(np.searchsorted(steps, known[0]))
        after = int(np.searchsorted(steps, known[-1], side="right"))
        cuts = [(0, before, min(lives)), (after, len(steps), max(lives))]
        if len(lives) == 1:
            cuts.append((before, after, min(lives)))
        for low, high, segment in cuts:
            if high > low:
                cut = slice(low, high)
                parts.append((segment, points[0][cut], points[1][cut], points[2][cut]))
                self.count += high - low
                self._added += high - low

    def glimpse(self, name: str) -> FloatArray:
        """Values of a name as its first rank logged them, without keeping any: of a long series its
        beginning and its end.
        """
        pieces: list[FloatArray] = []
        for same in _going_on(self._parts.get((name, self.ranks(name)[0]), ())):
            size, half = _length(same), GLIMPSE // 2
            cuts = [(0, size)] if size <= GLIMPSE else [(0, half), (size - half, size)]
            begin = 0
            for part in same:
                end = begin + len(part[1])
                for first, stop in cuts:
                    low, high = max(first, begin) - begin, min(stop, end) - begin
                    if low < high:
                        pieces.append(
                            part[1].values(low, high) if len(part) == 2 else part[3][low:high]
                        )
                begin = end
        return np.concatenate(pieces) if pieces else np.empty(0)

    def undated(self, among: Iterable[str] | None = None) -> set[str]:
        """Names with points in memory whose time is unknown."""
        unknown: dict[int, bool] = {}  # by array: names that were logged together share it

        def is_undated(part: _AnyPart) -> bool:
            if len(part) == 2:
                return False
            times = part[2]
            if id(times) not in unknown:
                unknown[id(times)] = bool(np.isnan(times).any())
            return unknown[id(times)]

        return {
            name
            for name in (self._ranks if among is None else among)
            for rank in self._ranks[name]
            if any(map(is_undated, self._parts[name, rank]))
        }

    def set_times(self, name: str, rank: int, clock: Clock) -> None:
        """Fill in times that are unknown, from the steps and times of the same series elsewhere."""
        parts = self._parts[name, rank]
        dated = [part if len(part) == 2 else _dated(part, clock) for part in parts]
        if any(new is not old for new, old in zip(dated, parts, strict=True)):
            self._parts[name, rank] = dated
            self._forget((name, rank))
            for known in (self._cache, self._clocks):
                known.pop((name, rank), None)

    @property
    def held(self) -> int:
        """How many of the points are in memory."""
        return self._added + self._read_points

    def names(self) -> list[str]:
        """All names in order of first appearance."""
        return list(self._ranks)

    def ranks(self, name: str) -> list[int]:
        """The ranks that logged this name, lowest first."""
        return sorted(self._ranks.get(name, ()))

    def column(self, name: str, rank: int | None = None) -> Arrays:
        """Steps, times and values of one name on one rank (the lowest by default), sorted by step."""
        return self._split(name, rank)[0]

    def abandoned(self, name: str, rank: int | None = None) -> Arrays:
        """The points of this name that a restart logged anew."""
        return self._split(name, rank)[1]

    def stored(self, name: str, rank: int | None = None) -> LazySeries | None:
        """The series in its file, if it lies there as it is: whole, and in the order of its steps."""
        parts = self._parts.get(self._key(name, rank), [])
        if len(parts) != 1 or len(parts[0]) == 4:
            return None
        late = parts[0][1]
        return None if isinstance(late.rows, AsideRows) and not late.rows.in_order else late

    def values(self, name: str, rank: int | None = None) -> FloatArray:
        """Values alone, in the order of their steps; of stored rows, without keeping them."""
        key = self._key(name, rank)
        late = None if key in self._read else self.stored(name, rank)
        return self.column(name, rank)[2] if late is None else late.values()

    def clock(self, name: str, rank: int | None = None) -> Clock:
        """Steps and times alone; of stored rows that is far less to read."""
        late = self.stored(name, rank)
        if late is not None:
            return late.clock()
        key = self._key(name, rank)
        known = self._clocks.get(key)
        if known is not None and known[0] == _length(self._parts[key]):
            return known[1]
        course = self._course(self._parts.get(key, []))
        return self.column(name, rank)[:2] if course is None else course.clock

    def size(self, name: str, rank: int | None = None) -> int:
        """How many points there are of this name, those that were logged anew included."""
        return _length(self._parts.get(self._key(name, rank), ()))

    def facts(self, name: str, rank: int | None = None) -> SeriesFacts:
        """A series in short; of one that has not grown since, without reading it again."""
        key = self._key(name, rank)
        points = _length(self._parts.get(key, ()))
        known = self._facts.get(key)
        if known is None or known[0] != points:
            steps, _ = self.clock(name, rank)
            known = self._facts[key] = (points, _facts(steps, self.values(name, rank)))
        return known[1]

    def _key(self, name: str, rank: int | None) -> _Key:
        return name, min(self._ranks.get(name, (0,))) if rank is None else rank

    def lives(self, name: str, rank: int | None = None) -> list[tuple[int, int, int]]:
        """First step, last step and number of points of this name in each life of the process.

        >>> table = PointTable()
        >>> for segment, steps in enumerate(([0, 1, 2, 3], [2, 3]), 1):
        ...     one = np.zeros(len(steps))
        ...     table.add(RowBlock(("loss",), np.array(steps), one, one[:, None]), segment=segment)
        >>> table.lives("loss")
        [(0, 3, 4), (2, 3, 2)]
        """
        found: dict[int, list[IntArray]] = {}
        for part in self._parts.get(self._key(name, rank), ()):
            steps = part[1] if len(part) == 4 else part[1].clock()[0]
            found.setdefault(part[0], []).append(steps)
        return [
            (
                min(int(part.min()) for part in found[segment]),
                max(int(part.max()) for part in found[segment]),
                sum(len(part) for part in found[segment]),
            )
            for segment in sorted(found)
        ]

    def by_life(self, name: str, rank: int) -> list[tuple[int, Arrays]]:
        """The points of this name by segment, oldest first, those that were logged anew included."""
        parts = self._parts.get((name, rank), [])
        course = self._course(parts)
        if course is not None:
            return [
                (one.life, (*one.clock, _values(parts, one.life, 0, len(one.clock[0]))))
                for one in course.lives
            ]
        by_segment: dict[int, list[Arrays]] = {}
        for part in _loaded(parts):
            by_segment.setdefault(part[0], []).append(part[1:])
        return [(segment, in_order(by_segment[segment])) for segment in sorted(by_segment)]

    def extended(self, block: RowBlock) -> PointTable:
        """A table with further series beside those of this one, which stays as it is."""
        wider = PointTable()
        wider._ranks = {name: list(ranks) for name, ranks in self._ranks.items()}
        wider._parts = {key: list(parts) for key, parts in self._parts.items()}
        wider.count, wider._added = self.count, self._added
        wider.add(block)
        return wider

    def thinned(self) -> PointTable:
        """The same table with long series made short (`model/thin.py`), and all of them in memory.

        Itself if none is long.
        """
        lengths = {key: _length(parts) for key, parts in self._parts.items()}
        if max(lengths.values(), default=0) <= MAX_POINTS and not self.is_aside:
            return self
        thin = PointTable()
        thin._ranks = {name: list(ranks) for name, ranks in self._ranks.items()}
        for (name, rank), parts in self._parts.items():
            shorter = (
                thinned(self.by_life(name, rank))
                if lengths[name, rank] > MAX_POINTS
                else list(_loaded(parts))
            )
            thin._parts[name, rank] = [*shorter]
            thin.count += sum(len(part[1]) for part in shorter)
        thin._added = thin.count
        return thin

    def _split(self, name: str, rank: int | None) -> tuple[Arrays, Arrays]:
        key = self._key(name, rank)
        parts = self._parts.get(key)
        if not parts:
            return EMPTY, EMPTY
        cached = self._cache.get(key) or self._read.get(key)
        length = _length(parts)
        if cached is None or cached[0] != length:
            course = self._course(parts)
            if course is None:
                mine, anew = merged(list(_loaded(parts)))
                clock = self._shared(mine[:2])
            else:
                mine, anew = _taken(course, parts)
                clock = course.clock
            cached = (length, (*clock, mine[2]), anew)
            if len(parts) > 1 and _are_of_one_life(parts) and _goes_on(clock[1]):
                self._parts[key] = parts = [(parts[0][0], *cached[1])]  # and not both
            if len(mine[0]) > LONG or any(len(part) == 2 for part in parts):
                self._cache.pop(key, None)
                self._clocks[key] = (length, clock)
                self._keep(key, cached)
            else:
                self._cache[key] = cached
        elif key in self._read:
            self._read.move_to_end(key)
        return cached[1], cached[2]

    def _course(self, parts: list[_AnyPart]) -> _Course | None:
        """How a series lies if some of it was put aside and its lives are in order, as most are.

        Names that were logged together get the same arrays.
        """
        if not self.is_aside or all(len(part) == 4 for part in parts):
            return None
        key = (*(id(part[1].rows) if len(part) == 2 else id(part[1]) for part in parts),)
        known = self._courses.get(key)
        if known is None:
            # with the parts, so that no other array gets the place of one of them
            known = self._courses[key] = (parts, _course_of(parts))
        return known[1]

    def _shared(self, mine: Clock) -> Clock:
        """Series that were logged together have one clock, not one each."""
        if not all(map(np.array_equal, self._latest, mine)):
            self._latest = mine
        return self._latest

    def _keep(self, key: _Key, merged: _Merged) -> None:
        """Keep what was read until there is too much that was read since."""
        self._forget(key)
        self._read[key] = merged
        self._read_points += _points(merged)
        most = MAX_READ_AGAIN if self.is_aside else MAX_READ
        while self._read_points > most and len(self._read) > 1:
            self._forget(next(iter(self._read)))

    def _forget(self, key: _Key) -> None:
        known = self._read.pop(key, None)
        self._read_points -= 0 if known is None else _points(known)

    def blocks(self) -> Iterator[RowBlock]:
        """Every kept point again; names that were logged together share a block."""
        groups: dict[tuple[int, bytes, bytes], list[str]] = {}
        for name in self._ranks:
            for rank in self.ranks(name):
                steps, times, _ = self.column(name, rank)
                key = (rank, _digest(steps), _digest(times))
                groups.setdefault(key, []).append(name)
        for (rank, _, _), names in groups.items():
            steps, times, _ = self.column(names[0], rank)
            values = np.stack([self.column(name, rank)[2] for name in names], axis=1)
            yield RowBlock(tuple(names), steps, times, values, rank)


def _length(parts: Sequence[_AnyPart]) -> int:
    return sum(len(part[1]) for part in parts)


def _are_of_one_life(parts: Sequence[_AnyPart]) -> bool:
    """Whether parts are in memory, and none of them replaces what another logged."""
    return all(len(part) == 4 and part[0] == parts[0][0] for part in parts)


def _goes_on(times: FloatArray) -> bool:
    """Whether a clock never goes back, or there is none."""
    return bool((times[1:] >= times[:-1]).all() or np.isnan(times).all())


def _clock_in_memory(parts: Sequence[_AnyPart]) -> Clock | None:
    """Steps and times of parts one after the other; None if some of them are not in memory."""
    inside = [part for part in parts if len(part) == 4]
    if len(inside) < len(parts):
        return None
    if not inside:
        return EMPTY[:2]
    return np.concatenate([p[1] for p in inside]), np.concatenate([p[2] for p in inside])


def _one_clock(parts: Sequence[_AnyPart]) -> Clock | None:
    """Steps and times of parts of one life that follow each other; None if they do not."""
    clock = _clock_in_memory(parts)
    if clock is None or any(part[0] != parts[0][0] for part in parts):
        return None
    steps, times = clock
    goes_back = (steps[1:] < steps[:-1]).any() or not (times[1:] >= times[:-1]).all()
    return None if goes_back else clock


def _replaced(parts: Sequence[_AnyPart], life: int, rows: AsideRows, name: str) -> list[_AnyPart]:
    """The parts of a series with the rows that were put aside in the place of what is in them."""
    now: _AnyPart = (life, LazySeries(rows, name))
    found: list[_AnyPart] = []
    for part in parts:
        if part[0] != life or (len(part) == 2 and not isinstance(part[1].rows, AsideRows)):
            found.append(part)
        elif not any(one is now for one in found):
            found.append(now)
    return found


def _points(merged: _Merged) -> int:
    return len(merged[1][0]) + len(merged[2][0])


def _dated(part: Part, clock: Clock) -> Part:
    segment, steps, times, values = part
    unknown = np.flatnonzero(np.isnan(times))
    if not len(unknown) or not len(clock[0]):
        return part
    at = np.minimum(np.searchsorted(clock[0], steps[unknown]), len(clock[0]) - 1)
    found = clock[0][at] == steps[unknown]
    if not found.any():
        return part
    times = times.copy()
    times[unknown[found]] = clock[1][at[found]]
    return segment, steps, times, values


def _loaded(parts: Sequence[_AnyPart]) -> Iterator[Part]:
    for part in parts:
        if len(part) == 4:
            yield part
            continue
        segment, late = part
        if isinstance(late.rows, AsideRows) and not late.rows.in_order:
            yield from ((segment, *piece) for piece in late.rows.pieces(late.name))
        else:
            yield segment, *late.clock(), late.values()


def _course_of(parts: Sequence[_AnyPart]) -> _Course | None:
    by_life: dict[int, list[_AnyPart]] = {}
    for part in parts:
        by_life.setdefault(part[0], []).append(part)
    lives: list[_Life] = []
    limit: int | None = None  # first step of any later life
    for life in sorted(by_life, reverse=True):
        clock = _clock_in_order(by_life[life])
        if clock is None:
            return None
        steps = clock[0]
        kept = len(steps) if limit is None else int(np.searchsorted(steps, limit, side="left"))
        lives.insert(0, _Life(life, clock, kept))
        limit = int(steps[0]) if limit is None else min(limit, int(steps[0]))
    if len(lives) == 1:
        return _Course(lives, lives[0].clock)
    steps = np.concatenate([one.clock[0][: one.kept] for one in lives])
    times = np.concatenate([one.clock[1][: one.kept] for one in lives])
    return _Course(lives, (steps, times))


def _clock_in_order(parts: Sequence[_AnyPart]) -> Clock | None:
    """Steps and times of one life; None if its parts do not lie in the order in which they count."""
    first, tail = parts[0], parts[1:]
    since = _clock_in_memory(tail)
    if since is None:
        return None
    if len(first) == 4:
        clock = (
            np.concatenate([first[1], since[0]]),
            np.concatenate([first[2], since[1]]),
        )
        return clock if in_sequence(clock) else None
    rows = first[1].rows
    if isinstance(rows, AsideRows):
        goes_on = rows.in_order and rows.go_on_with(since)
    else:
        goes_on = not tail
    if not goes_on:
        return None
    before = rows.clock()
    if not tail:
        return before
    return np.concatenate([before[0], since[0]]), np.concatenate([before[1], since[1]])


def _taken(course: _Course, parts: Sequence[_AnyPart]) -> tuple[Arrays, Arrays]:
    """What counts of a series, and what a later life logged anew."""
    values = np.empty(len(course.clock[0]))
    at = 0
    anew: list[Arrays] = []
    for life in course.lives:
        values[at : at + life.kept] = _values(parts, life.life, 0, life.kept)
        at += life.kept
        size = len(life.clock[0])
        if life.kept < size:
            cut = slice(life.kept, None)
            logged_again = _values(parts, life.life, life.kept, size)
            anew.append((life.clock[0][cut], life.clock[1][cut], logged_again))
    return (*course.clock, values), _one_after_another(anew)


def _one_after_another(arrays: Sequence[Arrays]) -> Arrays:
    if not arrays:
        return EMPTY
    steps, times, values = zip(*arrays, strict=True)
    return np.concatenate(steps), np.concatenate(times), np.concatenate(values)


def _values(parts: Sequence[_AnyPart], life: int, first: int, stop: int) -> FloatArray:
    """Values of one life from one place in it to before another."""
    found = np.empty(stop - first)
    begin = 0
    for part in parts:
        if part[0] != life:
            continue
        end = begin + len(part[1])
        low, high = max(first, begin), min(stop, end)
        if low < high:
            here = found[low - first : high - first]
            if len(part) == 4:
                here[:] = part[3][low - begin : high - begin]
            elif isinstance(part[1].rows, AsideRows):
                part[1].rows.fill(part[1].name, here, low - begin)
            else:
                here[:] = part[1].values(low - begin, high - begin)
        begin = end
    return found


def _going_on(parts: Sequence[_AnyPart]) -> Iterator[list[_AnyPart]]:
    """The parts one by one, but what was put aside with what came since in the same life."""
    together: list[_AnyPart] = []
    for part in parts:
        if together and part[0] == together[0][0] and len(part) == 4:
            together.append(part)
            continue
        if together:
            yield together
        together = [part]
        if len(part) == 4 or not isinstance(part[1].rows, AsideRows):
            yield together
            together = []
    if together:
        yield together


def _facts(steps: IntArray, values: FloatArray) -> SeriesFacts:
    if not len(steps):
        return SeriesFacts(0, 0, None, None, float("nan"))
    odd = len(values) - int(np.count_nonzero(np.isfinite(values)))
    return SeriesFacts(len(steps), odd, int(steps[0]), int(steps[-1]), float(values[-1]))


def _digest(array: IntArray | FloatArray) -> bytes:
    return hashlib.blake2b(array.tobytes(), digest_size=16).digest()
