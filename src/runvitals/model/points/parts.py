"""The parts of a series, which blocks and files bring one by one: in memory, or to be read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from runvitals.model.points.aside import AsideRows
from runvitals.model.points.merge import EMPTY, Clock, Part
from runvitals.model.points.stored import LazySeries
from runvitals.model.row import FloatArray, IntArray

AnyPart = Part | tuple[int, LazySeries]  # the number of its life first


def lives_of(parts: Sequence[AnyPart]) -> list[tuple[int, int, int]]:
    """First step, last step and number of points of each life, oldest first."""
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


def are_of_one_life(parts: Sequence[AnyPart]) -> bool:
    """True if all parts are in memory and belong to one life, so none replaces another."""
    return all(len(part) == 4 and part[0] == parts[0][0] for part in parts)


def never_goes_back(times: FloatArray) -> bool:
    """True if the times never decrease, or all of them are unknown."""
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
