"""The parts of a series, which blocks and files bring one by one: in memory, or to be read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from runvitals.model.points.aside import AsideRows, in_sequence
from runvitals.model.points.merge import EMPTY, Arrays, Clock, Part
from runvitals.model.row import FloatArray, IntArray


class StoredRows(Protocol):
    """Many rows of the same names in a file, in the order of their steps."""

    names: tuple[str, ...]
    rank: int

    def __len__(self) -> int: ...

    def clock(self) -> tuple[IntArray, FloatArray]:
        """Steps and times, which all names share; the same arrays at each call."""

    def values(self, name: str, first: int = 0, stop: int | None = None) -> FloatArray:
        """The values of one name, read now; NaN where the file is damaged."""


@dataclass(frozen=True, slots=True)
class LazySeries:
    """One name of some stored rows."""

    rows: StoredRows
    name: str

    def __len__(self) -> int:
        return len(self.rows)

    def clock(self) -> tuple[IntArray, FloatArray]:
        """Steps and times."""
        return self.rows.clock()

    def values(self, first: int = 0, stop: int | None = None) -> FloatArray:
        """Values from one place to before another, read now."""
        return self.rows.values(self.name, first, stop)


AnyPart = Part | tuple[int, LazySeries]  # the number of its life first


def lives_of(parts: Sequence[AnyPart]) -> list[tuple[int, int, int]]:
    """First step, last step and number of points of each life, oldest first.

    >>> times = values = np.zeros(2)
    >>> lives_of([(1, np.array([0, 3]), times, values), (2, np.array([2, 3]), times, values)])
    [(0, 3, 2), (2, 3, 2)]
    """
    found: dict[int, list[IntArray]] = {}
    for part in parts:
        steps = part[1] if len(part) == 4 else part[1].clock()[0]
        found.setdefault(part[0], []).append(steps)
    return [
        (min(int(s.min()) for s in some), max(int(s.max()) for s in some), sum(map(len, some)))
        for _, some in sorted(found.items())
    ]


def length(parts: Sequence[AnyPart]) -> int:
    """Number of points in all parts."""
    return len(parts[0][1]) if len(parts) == 1 else sum(len(part[1]) for part in parts)


def follow_each_other(parts: Sequence[AnyPart], times: FloatArray) -> bool:
    """True if all parts are in memory and of one life, with times that never decrease, or none."""
    if not all(len(part) == 4 and part[0] == parts[0][0] for part in parts):
        return False
    return bool((times[1:] >= times[:-1]).all() or np.isnan(times).all())


def clock_in_memory(parts: Sequence[AnyPart]) -> Clock | None:
    """Steps and times of all parts in a row; None if some of them are not in memory."""
    inside = [part for part in parts if len(part) == 4]
    if len(inside) < len(parts):
        return None
    if not inside:
        return EMPTY[:2]
    return np.concatenate([p[1] for p in inside]), np.concatenate([p[2] for p in inside])


def one_clock(parts: Sequence[AnyPart]) -> Clock | None:
    """Steps and times of parts that follow each other in one life; None if they do not."""
    clock = clock_in_memory(parts)
    if clock is None or any(part[0] != parts[0][0] for part in parts):
        return None
    steps, times = clock
    goes_back = (steps[1:] < steps[:-1]).any() or not (times[1:] >= times[:-1]).all()
    return None if goes_back else clock


def with_rows_aside(
    parts: Sequence[AnyPart], life: int, rows: AsideRows, name: str
) -> list[AnyPart]:
    """The parts of a series, with `rows` in the place of those that were put aside into it."""
    now: AnyPart = (life, LazySeries(rows, name))
    found: list[AnyPart] = []
    for part in parts:
        if part[0] != life or (len(part) == 2 and not isinstance(part[1].rows, AsideRows)):
            found.append(part)
        elif not any(one is now for one in found):
            found.append(now)
    return found


def dated(part: Part, clock: Clock) -> Part:
    """The part with unknown times filled in from a clock that has the same steps."""
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


def loaded(parts: Sequence[AnyPart]) -> Iterator[Part]:
    """The parts in memory; what is stored or was put aside is read."""
    for part in parts:
        if len(part) == 4:
            yield part
            continue
        segment, late = part
        if isinstance(late.rows, AsideRows) and not late.rows.in_order:
            yield from ((segment, *piece) for piece in late.rows.pieces(late.name))
        else:
            yield segment, *late.clock(), late.values()


def values_of_life(parts: Sequence[AnyPart], life: int, first: int, stop: int) -> FloatArray:
    """Values `first` to `stop` of one life, counted from its beginning."""
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


def in_runs(parts: Sequence[AnyPart]) -> Iterator[list[AnyPart]]:
    """The parts one by one, except that rows put aside come with what the same life added since."""
    together: list[AnyPart] = []
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


def ends(parts: Sequence[AnyPart], most: int) -> FloatArray:
    """Values as they were logged; of more than `most`, half of that from each end."""
    pieces: list[FloatArray] = []
    for same in in_runs(parts):
        size, half = length(same), most // 2
        cuts = [(0, size)] if size <= most else [(0, half), (size - half, size)]
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


def rows_aside(parts: Sequence[AnyPart], life: int) -> AsideRows | None:
    """The rows of one life that were put aside before; None if there are none."""
    for part in parts:
        if len(part) == 2 and part[0] == life and isinstance(part[1].rows, AsideRows):
            return part[1].rows
    return None


def logged_together(
    series: Mapping[tuple[str, int], Sequence[AnyPart]],
) -> dict[tuple[int, ...], list[str]]:
    """Names whose points in memory are of the same rows, by rank, life and what these rows are."""
    found: dict[tuple[int, ...], list[str]] = {}
    for (name, rank), parts in series.items():
        for life in {part[0] for part in parts if len(part) == 4}:
            clocks = [id(part[1]) for part in parts if len(part) == 4 and part[0] == life]
            before = rows_aside(parts, life)
            group = (rank, life, 0 if before is None else id(before), *clocks)
            found.setdefault(group, []).append(name)
    return found


def is_undated(part: AnyPart, seen: dict[int, bool]) -> bool:
    """True if a part in memory has unknown times; `seen` remembers shared arrays by their id."""
    if len(part) == 2:
        return False
    times = part[2]
    if id(times) not in seen:
        seen[id(times)] = bool(np.isnan(times).any())
    return seen[id(times)]


def digest(array: IntArray | FloatArray) -> bytes:
    """A hash by which equal arrays are found."""
    return hashlib.blake2b(array.tobytes(), digest_size=16).digest()


class LifeClock(NamedTuple):
    """One life of series that were logged together: its whole clock, and how many points count."""

    life: int
    clock: Clock
    kept: int


class JoinedLives(NamedTuple):
    """The lives of series that were logged together, and the steps and times that count."""

    lives: list[LifeClock]
    clock: Clock


def course_of(parts: Sequence[AnyPart]) -> JoinedLives | None:
    """The lives of a series; None if the parts of one are not in the order of their steps."""
    by_life: dict[int, list[AnyPart]] = {}
    for part in parts:
        by_life.setdefault(part[0], []).append(part)
    lives: list[LifeClock] = []
    limit: int | None = None  # first step of any later life
    for life in sorted(by_life, reverse=True):
        clock = _clock_in_order(by_life[life])
        if clock is None:
            return None
        steps = clock[0]
        kept = len(steps) if limit is None else int(np.searchsorted(steps, limit, side="left"))
        lives.insert(0, LifeClock(life, clock, kept))
        limit = int(steps[0]) if limit is None else min(limit, int(steps[0]))
    if len(lives) == 1:
        return JoinedLives(lives, lives[0].clock)
    steps = np.concatenate([one.clock[0][: one.kept] for one in lives])
    times = np.concatenate([one.clock[1][: one.kept] for one in lives])
    return JoinedLives(lives, (steps, times))


def _clock_in_order(parts: Sequence[AnyPart]) -> Clock | None:
    """Steps and times of one life; None if its parts are not in the order of their steps."""
    first, tail = parts[0], parts[1:]
    since = clock_in_memory(tail)
    if since is None:
        return None
    if len(first) == 4:
        clock = (np.concatenate([first[1], since[0]]), np.concatenate([first[2], since[1]]))
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


def taken(course: JoinedLives, parts: Sequence[AnyPart]) -> tuple[Arrays, Arrays]:
    """The series, and the points that a later life logged again."""
    values = np.empty(len(course.clock[0]))
    at = 0
    anew: list[Arrays] = []
    for life in course.lives:
        values[at : at + life.kept] = values_of_life(parts, life.life, 0, life.kept)
        at += life.kept
        size = len(life.clock[0])
        if life.kept < size:
            cut = slice(life.kept, None)
            logged_again = values_of_life(parts, life.life, life.kept, size)
            anew.append((life.clock[0][cut], life.clock[1][cut], logged_again))
    return (*course.clock, values), _one_after_another(anew)


def _one_after_another(arrays: Sequence[Arrays]) -> Arrays:
    if not arrays:
        return EMPTY
    steps, times, values = zip(*arrays, strict=True)
    return np.concatenate(steps), np.concatenate(times), np.concatenate(values)
