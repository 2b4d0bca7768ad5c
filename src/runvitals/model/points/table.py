"""All points of one run in memory, by original name and rank, whatever format they came from."""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterable, Iterator

import numpy as np

from runvitals.model.points.aside import AsideRows, Scratch
from runvitals.model.points.merge import EMPTY, Arrays, Clock, Part, in_order, merged, thinned
from runvitals.model.points.parts import (
    AnyPart,
    JoinedLives,
    LazySeries,
    StoredRows,
    course_of,
    dated,
    digest,
    ends,
    follow_each_other,
    is_undated,
    length,
    lives_of,
    loaded,
    logged_together,
    one_clock,
    rows_aside,
    taken,
    values_of_life,
    with_rows_aside,
)
from runvitals.model.points.recent import Key, Merged, RecentlyRead, SeriesFacts, facts_of
from runvitals.model.points.thin import MAX_POINTS
from runvitals.model.row import FloatArray, RowBlock

_VALUE = 8  # bytes
GLIMPSE = 20_000  # values that tell what a series can be
MANY_PARTS = 64  # of a series that grows: then they are put together
LONG = 100_000  # points of a series that is put together differently rather than kept for good
MAX_READ = 12_000_000  # points of long or stored series that are kept once they were asked for
MAX_READ_AGAIN = 2**17  # of series that were put aside: those come back from a file of this machine
MAX_RECENT = 2**20  # bytes of points that stay in memory when others are put aside, or ...
MIN_ASIDE = 256  # ... rows of each series, as every piece that is put aside has a price of its own


class PointTable:
    """Gathers row blocks and gives back columns.

    Stored columns are read when they are asked for, and dropped when too many were: a run may be
    larger than the memory.

    A run that was restarted has several segments, one per process life. Where a later segment logs
    steps again that an earlier one had reached, the earlier tail is abandoned: it is kept, but it is
    not part of the series.

    To follow a run that grows, call `put_aside` after each block and `let_go` after each look: then
    all but the newest points lie in a file, and what was read from there is not kept.

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
        self._parts: dict[Key, list[AnyPart]] = {}
        self._ranks: dict[str, list[int]] = {}  # lowest first
        self._cache: dict[Key, Merged] = {}
        self._read = RecentlyRead()  # long or stored series
        self._clocks: dict[Key, tuple[int, Clock]] = {}  # of these, forever
        self._latest: Clock = EMPTY[:2]  # of the one that was put together last
        self._joined: tuple[list[Part], Clock | None] = ([], None)
        self._facts: dict[Key, tuple[int, SeriesFacts]] = {}
        self._last_step: tuple[int, int | None] = (0, None)  # with the number of points then
        self.count = 0
        self._added = 0  # of these that came in memory
        self._recent = 0  # bytes of these that may be put aside
        self._scratch: Scratch | None = None  # once something was
        self._is_full = False  # the disk, when something was to be put aside
        self._courses: dict[tuple[int, ...], tuple[list[AnyPart], JoinedLives | None]] = {}

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
            self._forget(key)  # out of date: it would hold the points a second time
        self.count += len(block) * len(block.names)
        self._added += len(block) * len(block.names)
        self._recent += block.steps.nbytes + block.times.nbytes + block.values.nbytes
        self._courses.clear()

    def put_aside(self) -> None:
        """Move points to a file if there are many in memory; they stay if it cannot be written."""
        least = MIN_ASIDE * _VALUE * len(self._parts)
        if self._recent < max(MAX_RECENT, least) or self._is_full:
            return
        self._scratch = self._scratch or Scratch()
        try:
            for (rank, life, *_), names in logged_together(self._parts).items():
                self._move(names, rank, life, self._scratch)
        except OSError:
            self._is_full = True
        self._recent = 0
        self._joined = ([], None)
        self._courses.clear()

    def _move(self, names: list[str], rank: int, life: int, scratch: Scratch) -> None:
        """Put aside what names that were logged together have in memory of one life."""
        rows = rows_aside(self._parts[names[0], rank], life)
        if rows is None:
            rows = AsideRows(scratch, names, rank)
        elif len(names) < len(rows.names):
            rows = rows.apart(names)
        recent = [
            [part for part in self._parts[name, rank] if len(part) == 4 and part[0] == life]
            for name in rows.names
        ]
        clock = one_clock(recent[0])
        if clock is not None:
            rows.append(clock, [np.concatenate([p[3] for p in parts]) for parts in recent])
        else:
            sorted_ = [in_order([part[1:] for part in parts]) for parts in recent]
            clock = sorted_[0][:2]
            rows.append(clock, [values for _, _, values in sorted_])
        for name in rows.names:
            self._parts[name, rank] = with_rows_aside(self._parts[name, rank], life, rows, name)
            self._cache.pop((name, rank), None)
        self._added -= len(clock[0]) * len(names)

    def let_go(self) -> None:
        """Drop points that were put aside and read again since."""
        if not self.is_aside:
            return
        self._read.clear()
        self._clocks.clear()
        self._courses.clear()
        self._latest = EMPTY[:2]
        for parts in self._parts.values():
            for part in parts:
                if len(part) == 2 and isinstance(part[1].rows, AsideRows):
                    part[1].rows.let_go()

    @property
    def is_aside(self) -> bool:
        """True once points were put aside."""
        return self._scratch is not None

    def add_stored(self, rows: StoredRows, segment: int = 1) -> None:
        """Take in rows, at least one, that stay in their file."""
        for name in rows.names:
            self._parts_of(name, rows.rank).append((segment, LazySeries(rows, name)))
        self.count += len(rows) * len(rows.names)

    def _parts_of(self, name: str, rank: int) -> list[AnyPart]:
        parts = self._parts.get((name, rank))
        if parts is None:
            parts = self._parts[name, rank] = []
            insort(self._ranks.setdefault(name, []), rank)
        return parts

    def _put_together(self, name: str, rank: int) -> None:
        """Join the many small parts of a live run into one, since each costs memory and time.

        Only if they are already in order: of one life, with a clock that never goes back. Names that
        were logged together keep sharing their clock.
        """
        late = [part for part in self._parts[name, rank] if len(part) == 2]
        parts = [part for part in self._parts[name, rank] if len(part) == 4]
        before, clock = self._joined
        same = len(before) == len(parts) and all(
            old[1] is new[1] and old[0] == new[0] for old, new in zip(before, parts, strict=True)
        )
        if not same:
            clock = one_clock(parts)
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
                insort(self._ranks.setdefault(kept, []), rank)
                self.count += sum(len(part[1]) for part in parts)
                self._added += sum(len(part[1]) for part in parts if len(part) == 4)
            taken.append(kept)
        return taken

    def continue_with(self, later: PointTable) -> int:
        """Take in another table as later lives of the same run, which replace steps logged again.

        Returns what was added to the numbers of its segments.
        """
        shift = max((part[0] for parts in self._parts.values() for part in parts), default=0)
        for (name, rank), parts in later._parts.items():
            self._parts_of(name, rank).extend((part[0] + shift, *part[1:]) for part in parts)
        self.count += later.count
        self._added += later._added
        return shift

    def supplement(self, name: str, rank: int, points: Arrays) -> None:
        """Add points, sorted by step, of a series that another log of the same run has more of.

        They join the life whose steps surround them. Points between lives are left out, since
        nothing says which life they belong to.
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
        """Values of a name on its lowest rank, without keeping any; only the ends of a long series."""
        return ends(self._parts.get((name, self.ranks(name)[0]), ()), GLIMPSE)

    def undated(self, among: Iterable[str] | None = None) -> set[str]:
        """Names with points in memory whose time is unknown."""
        seen: dict[int, bool] = {}
        return {
            name
            for name in (self._ranks if among is None else among)
            for rank in self._ranks[name]
            if any(is_undated(part, seen) for part in self._parts[name, rank])
        }

    def set_times(self, name: str, rank: int, clock: Clock) -> None:
        """Fill in times that are unknown, from the steps and times of the same series elsewhere."""
        parts = self._parts[name, rank]
        filled = [part if len(part) == 2 else dated(part, clock) for part in parts]
        if any(new is not old for new, old in zip(filled, parts, strict=True)):
            self._parts[name, rank] = filled
            self._forget((name, rank))

    def _forget(self, key: Key) -> None:
        self._cache.pop(key, None)
        if self._clocks.pop(key, None) is not None:
            self._read.forget(key)

    @property
    def held(self) -> int:
        """How many of the points are in memory."""
        return self._added + self._read.points

    def names(self) -> list[str]:
        """All names in order of first appearance."""
        return list(self._ranks)

    def ranks(self, name: str) -> list[int]:
        """The ranks that logged this name, lowest first."""
        return list(self._ranks.get(name, ()))

    def __contains__(self, name: object) -> bool:
        return name in self._ranks

    def last_step(self) -> int | None:
        """The highest step of any series; None if there is none."""
        if self._last_step[0] != self.count:
            last = [steps[-1] for name in self._ranks if len(steps := self.clock(name)[0])]
            self._last_step = self.count, int(max(last)) if last else None
        return self._last_step[1]

    def column(self, name: str, rank: int | None = None) -> Arrays:
        """Steps, times and values of one name on one rank (the lowest by default), sorted by step."""
        return self._split(name, rank)[0]

    def abandoned(self, name: str, rank: int | None = None) -> Arrays:
        """The points of this name that a restart logged again."""
        return self._split(name, rank)[1]

    def stored(self, name: str, rank: int | None = None) -> LazySeries | None:
        """The series in its file, if it is there as a whole and in the order of its steps."""
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
        key = self._key(name, rank)
        if key in self._cache:
            return self.column(*key)[:2]
        late = self.stored(*key)
        if late is not None:
            return late.clock()
        known = self._clocks.get(key)
        if known is not None and known[0] == length(self._parts[key]):
            return known[1]
        course = self._course(self._parts.get(key, []))
        return self.column(name, rank)[:2] if course is None else course.clock

    def size(self, name: str, rank: int | None = None) -> int:
        """Number of points of this name, including those that were logged again."""
        return length(self._parts.get(self._key(name, rank), ()))

    def facts(self, name: str, rank: int | None = None) -> SeriesFacts:
        """A summary of the series, computed again only after it has grown."""
        key = self._key(name, rank)
        points = length(self._parts.get(key, ()))
        known = self._facts.get(key)
        if known is None or known[0] != points:
            steps, _ = self.clock(name, rank)
            known = self._facts[key] = (points, facts_of(steps, self.values(name, rank)))
        return known[1]

    def _key(self, name: str, rank: int | None) -> Key:
        return name, self._ranks.get(name, (0,))[0] if rank is None else rank

    def lives(self, name: str, rank: int | None = None) -> list[tuple[int, int, int]]:
        """First step, last step and number of points of this name in each life of the process."""
        return lives_of(self._parts.get(self._key(name, rank), ()))

    def by_life(self, name: str, rank: int) -> list[tuple[int, Arrays]]:
        """The points of this name by segment, oldest first, including those that were logged again."""
        parts = self._parts.get((name, rank), [])
        course = self._course(parts)
        if course is not None:
            return [
                (one.life, (*one.clock, values_of_life(parts, one.life, 0, len(one.clock[0]))))
                for one in course.lives
            ]
        by_segment: dict[int, list[Arrays]] = {}
        for part in loaded(parts):
            by_segment.setdefault(part[0], []).append(part[1:])
        return [(segment, in_order(by_segment[segment])) for segment in sorted(by_segment)]

    def extended(self, block: RowBlock) -> PointTable:
        """A copy of this table with further series."""
        wider = PointTable()
        wider._ranks = {name: list(ranks) for name, ranks in self._ranks.items()}
        wider._parts = {key: list(parts) for key, parts in self._parts.items()}
        wider.count, wider._added = self.count, self._added
        wider.add(block)
        return wider

    def thinned(self) -> PointTable:
        """This table with long series thinned (`thin.py`) and all of them in memory.

        Returns the table itself if no series is long.
        """
        lengths = {key: length(parts) for key, parts in self._parts.items()}
        if max(lengths.values(), default=0) <= MAX_POINTS and not self.is_aside:
            return self
        thin = PointTable()
        thin._ranks = {name: list(ranks) for name, ranks in self._ranks.items()}
        for (name, rank), parts in self._parts.items():
            shorter = (
                thinned(self.by_life(name, rank))
                if lengths[name, rank] > MAX_POINTS
                else list(loaded(parts))
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
        points = length(parts)
        if cached is None or cached[0] != points:
            course = self._course(parts)
            if course is None:
                mine, anew = merged(list(loaded(parts)))
                clock = self._shared(mine[:2])
            else:
                mine, anew = taken(course, parts)
                clock = course.clock
            cached = (points, (*clock, mine[2]), anew)
            if len(parts) > 1 and follow_each_other(parts, clock[1]):
                self._parts[key] = parts = [(parts[0][0], *cached[1])]  # and drop the parts
            if len(mine[0]) > LONG or any(len(part) == 2 for part in parts):
                self._cache.pop(key, None)
                self._clocks[key] = (points, clock)
                self._read.keep(key, cached, MAX_READ_AGAIN if self.is_aside else MAX_READ)
            else:
                self._cache[key] = cached
        return cached[1], cached[2]

    def _course(self, parts: list[AnyPart]) -> JoinedLives | None:
        """The lives of a series that was partly put aside, if they are in order, as most are.

        Names that were logged together share the arrays.
        """
        if not self.is_aside or all(len(part) == 4 for part in parts):
            return None
        key = (*(id(part[1].rows) if len(part) == 2 else id(part[1]) for part in parts),)
        known = self._courses.get(key)
        if known is None:
            # with the parts, so that no other array gets the place of one of them
            known = self._courses[key] = (parts, course_of(parts))
        return known[1]

    def _shared(self, mine: Clock) -> Clock:
        """The clock of the last series if it is the same, so that names logged together share one."""
        if not all(map(np.array_equal, self._latest, mine)):
            self._latest = mine
        return self._latest

    def blocks(self) -> Iterator[RowBlock]:
        """All points as blocks; names that were logged together share one."""
        groups: dict[tuple[int, bytes, bytes], list[str]] = {}
        for name in self._ranks:
            for rank in self.ranks(name):
                steps, times, _ = self.column(name, rank)
                key = (rank, digest(steps), digest(times))
                groups.setdefault(key, []).append(name)
        for (rank, _, _), names in groups.items():
            steps, times, _ = self.column(names[0], rank)
            values = np.stack([self.column(name, rank)[2] for name in names], axis=1)
            yield RowBlock(tuple(names), steps, times, values, rank)
