"""Rows and columns to blocks: which column is the step, where a run was restarted, what is absent.

Every row-like format (CSV, JSON lines, console output, trainer states, ...) goes through here, so that
steps, restarts, duplicates and gaps are treated alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from runvitals.model import FloatArray, IntArray, RowBlock
from runvitals.readers.log import Blocks
from runvitals.readers.step_names import (
    STEP_NAMES,
    is_elapsed_name,
    is_time_name,
    plain,
)

BoolArray = NDArray[np.bool_]
MOST_COLUMNS = 20_000
MOST_NUMBERS = 100_000_000  # in one table; more is not read into memory at once
MOST_DEPTH = 12
LARGEST_STEP = 2.0**53

_PURE_STEPS = frozenset({"step", "steps", "_step", "global_step", "Step", "Steps"})  # say no more
_EARLIEST, _LATEST = 946_684_800.0, 7_258_118_400.0  # Unix seconds of the years 2000 and 2200


@dataclass(frozen=True, slots=True)
class Column:
    """The numbers of one name, and the rows they stand in (rising, each row once)."""

    values: FloatArray
    places: IntArray


@dataclass
class Table:
    """Columns over the same rows; a column need not have a number in every row."""

    rows: int
    columns: dict[str, Column] = field(default_factory=dict)

    def without_first(self, count: int) -> Table:
        """The same table from row `count` on."""
        table = Table(max(0, self.rows - count))
        shared: dict[int, IntArray] = {}
        for name, column in self.columns.items():
            cut = int(np.searchsorted(column.places, count))
            if cut < len(column.places):
                places = shared.setdefault(id(column.places), column.places[cut:] - count)
                table.columns[name] = Column(column.values[cut:], places)
        return table


@dataclass
class Part:
    """One run found in a table: its blocks, and what was odd about them."""

    blocks: Blocks = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    step_name: str | None = None
    disordered: bool = False


def choose_step(table: Table, names: Sequence[str] = STEP_NAMES) -> str | None:
    """The column that counts: known by name, there in nearly every row, and rising.

    Restarts and a few rows out of order are forgiven. When the rows are in no order at all, a column
    of a telling name with a number of its own in nearly every row will do.
    """
    known = _candidates(table, names)
    rising = [name for name in known if _rises(table.columns[name].values)]
    if rising:
        best = rising[0]
        if _repeats(table.columns[best]) >= 2:  # many rows to a step: is there a finer counter?
            for other in rising[1:]:
                if _repeats(table.columns[other]) * 2 <= _repeats(table.columns[best]):
                    return other
        return best
    for name in known:
        column = table.columns[name]
        if table.rows == 1 or (_repeats(column) < 1.1 and _whole(column.values)):
            return name
    for name in known:
        if table.rows <= 3 and _whole(table.columns[name].values):
            return name
    return None


def _candidates(table: Table, names: Sequence[str]) -> list[str]:
    by_name: dict[str, list[str]] = {}
    for name in table.columns:
        for key in {plain(name), plain(name.rpartition("/")[2])}:
            by_name.setdefault(key, []).append(name)
    found: dict[str, None] = {}
    for wanted in names:
        for name in sorted(by_name.get(plain(wanted), ()), key=lambda n: (n.count("/"), n)):
            column = table.columns[name]
            missing = table.rows - len(column.values)
            if (
                missing <= max(0.1 * table.rows, min(2, table.rows // 3))
                and len(column.values)
                and _bounded(column.values)
            ):
                found[name] = None
    return list(found)


def _bounded(values: FloatArray) -> bool:
    with np.errstate(invalid="ignore"):
        good = np.isfinite(values) & (np.abs(values) <= LARGEST_STEP)
    return bool(good.mean() >= 0.9)


def _whole(values: FloatArray) -> bool:
    return bool((values == np.floor(values)).all())


def _rises(values: FloatArray) -> bool:
    """Whether a counter would look so: it goes up far more often than down, or in a line with the
    rows but for small steps back (two writers at nearly the same place)."""
    moves = np.diff(values)
    up, down = int((moves > 0).sum()), int((moves < 0).sum())
    if up >= 3 * down:
        return up > 0
    if len(values) < 8:
        return False
    finite = np.isfinite(values)
    line = np.corrcoef(values[finite], np.flatnonzero(finite))[0, 1]
    return bool(line > 0.95)


def _repeats(column: Column) -> float:
    return len(column.values) / max(1, len(np.unique(column.values)))


def choose_time(table: Table) -> str | None:
    """The column of wall-clock times in Unix seconds (or milli-, micro-, nanoseconds), if any."""
    best: tuple[int, str] | None = None
    for name, column in table.columns.items():
        if is_time_name(name):
            values = column.values
            with np.errstate(invalid="ignore"):
                good = (values > _EARLIEST) & (values < _LATEST * 1e9)
            if bool(good.all()) and (best is None or len(values) > best[0]):
                best = len(values), name
    return best[1] if best else None


def runs_in(
    table: Table,
    *,
    step: str | None = None,
    time: str | None = None,
    rank: int = 0,
    split: bool = True,
) -> list[Part]:
    """The runs in a table, in order: mostly one.

    A step that falls back to where the table began starts another run (`split`); one that falls back
    less is a resume, and starts a segment, and so does what follows a start that was soon given up.
    A row that repeats its neighbour is dropped. With steps in no order at all (two writers, sorted
    otherwise) rows are ordered by step. The column of the steps is no series of its own when its name
    says nothing more, nor is that of the wall-clock times.
    """
    if not table.rows or not table.columns:
        return []
    if step is None or step not in table.columns:
        step = choose_step(table)
    if time is None or time not in table.columns:
        time = choose_time(table)
    keep, repeats = _without_repeats(table, step, time)
    steps, scaled = _steps(table, step)
    times = _times(table, time)
    if keep is not None:
        steps, times = steps[keep], times[keep]
    warnings = []
    if repeats:
        warnings.append(f"{repeats} rows repeat the row before them and were dropped")
    if step is None:
        warnings.append("no step column was found; rows are counted from 0")
    elif scaled:
        warnings.append(f"`{step}` is fractional; steps are its thousandths")
    starts, segments, disordered, aborted = _lives(steps, split)
    if disordered:
        warnings.append("steps are in no order (several writers?); rows were sorted by step")
    hidden = {name for name in (time, step if step in _PURE_STEPS else None) if name}
    parts = []
    for begin, end in zip(starts, [*starts[1:], len(steps)], strict=True):
        part = Part(warnings=list(warnings), step_name=step, disordered=disordered)
        numbers = segments[begin:end] - segments[begin] + 1
        edges = [begin, *(begin + 1 + np.flatnonzero(np.diff(numbers))).tolist(), end]
        for first, last in pairwise(edges):
            rows = None
            if keep is not None:
                rows = keep[first:last]
            elif last - first < table.rows:
                rows = np.arange(first, last)
            part.blocks.extend(
                (int(numbers[first - begin]), block)
                for block in _blocks(
                    table, rows, steps[first:last], times[first:last], rank, hidden
                )
            )
        if len(edges) > 2:
            part.warnings.append(
                f"the run was resumed {len(edges) - 2} times"
                if begin not in aborted
                else f"{aborted[begin]} rows of given-up starts lie before the run"
            )
        parts.append(part)
    if len(parts) > 1:
        for number, part in enumerate(parts, 1):
            part.warnings.append(f"run {number} of {len(parts)} in this file: the steps start over")
    return parts


def _steps(table: Table, step: str | None) -> tuple[IntArray, bool]:
    if step is None:
        return np.arange(table.rows), False
    column = table.columns[step]
    values, places = column.values, column.places
    good = np.isfinite(values)
    if not good.all():
        values, places = values[good], places[good]
    if not len(values):
        return np.arange(table.rows), False
    if len(values) < table.rows:  # rows without a step belong to the one before
        before = np.searchsorted(places, np.arange(table.rows), side="right") - 1
        values = values[np.maximum(before, 0)]
    scaled = not _whole(values)
    if scaled:  # fractional epochs: the order counts, not the fraction
        scaled = bool(np.abs(values).max() < 1e9)
        values = np.round(values * 1000.0 if scaled else values)
    if len(values) and np.abs(values).max() > LARGEST_STEP:
        values = np.clip(values, -LARGEST_STEP, LARGEST_STEP)
    return values.astype(np.int64), scaled


def _times(table: Table, time: str | None) -> FloatArray:
    if time is None:
        return np.full(table.rows, np.nan)
    column = table.columns[time]
    values = column.values.copy()
    for _ in range(3):
        with np.errstate(invalid="ignore"):
            finer = values > _LATEST
        if not finer.any():
            break
        values[finer] /= 1e3
    if len(values) == table.rows:
        return values
    times = np.full(table.rows, np.nan)
    times[column.places] = values
    return times


def _without_repeats(
    table: Table, step: str | None, time: str | None
) -> tuple[IntArray | None, int]:
    """Rows to keep (None: all): those that say something their predecessor did not."""
    if step is None or table.rows < 2:
        return None, 0
    same = np.ones(table.rows - 1, np.bool_)
    others = [n for n in table.columns if n != step and n != time and not is_elapsed_name(n)]
    if not others:
        return None, 0
    for name in [step, *others]:
        column = table.columns[name]
        values, places = column.values, column.places
        with np.errstate(invalid="ignore"):
            equal = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
        if len(places) == table.rows:
            same &= equal
        else:  # a number that comes, goes or changes from one row to the next
            beside = places[1:] == places[:-1] + 1
            same[places[1:][~(beside & equal)] - 1] = False
            if places[0] > 0:
                same[places[0] - 1] = False
            gone = places[:-1][~beside]
            same[gone] = False
            if places[-1] < table.rows - 1:
                same[places[-1]] = False
        if not same.any():
            return None, 0
    keep = np.flatnonzero(np.concatenate([[True], ~same]))
    return keep, table.rows - len(keep)


def _lives(steps: IntArray, split: bool) -> tuple[list[int], IntArray, bool, dict[int, int]]:
    """Where runs begin, the segment of each row, whether the steps are in no order, and how many
    rows of given-up starts each run begins with."""
    one = np.ones(len(steps), np.int64)
    back = (np.flatnonzero(np.diff(steps) < 0) + 1).tolist()
    if not back:
        return [0], one, False, {}
    first = int(steps[0])
    stride = int(np.median(np.abs(np.diff(steps))))
    to_start = [p for p in back if int(steps[p]) <= first + stride]
    if len(back) > 0.25 * len(steps) or len(back) - len(to_start) > max(3, 0.05 * len(steps)):
        return [0], one, True, {}
    fresh = split and abs(first) <= 2 * stride  # else the file itself begins with a resumed run
    begins = [0, *(p for p in to_start if fresh)]
    marks = sorted(set(begins) | {p for p in back if not _stray(steps, p, back)})
    segments = one
    for place in marks[1:] if marks and marks[0] == 0 else marks:
        segments[place:] += 1
    lengths = np.diff([*begins, len(steps)])
    starts: list[int] = []
    aborted: dict[int, int] = {}
    waiting: int | None = None
    for index, begin in enumerate(begins):
        anchor = begin if waiting is None else waiting
        later = int(lengths[index + 1 :].max()) if index + 1 < len(lengths) else 0
        if lengths[index] < 20 and lengths[index] * 5 < later:
            waiting = anchor
            continue
        starts.append(anchor)
        if waiting is not None:
            aborted[anchor] = begin - anchor
        waiting = None
    return starts, segments, False, aborted


def _stray(steps: IntArray, place: int, back: list[int]) -> bool:
    """Whether the rows from `place` are a few that came late, and no resumed run."""
    end = next((p for p in back if p > place), len(steps))
    ahead = steps[place:end]
    below = int((ahead <= steps[place - 1]).sum())  # rows before it is where it was
    repeated = int((steps[:place] >= steps[place]).sum())
    return below <= 2 and repeated >= 5 * below


def digest(places: IntArray) -> bytes:
    """Equal for equal places."""
    return hashlib.blake2b(places.tobytes(), digest_size=16).digest()


def _blocks(
    table: Table,
    rows: IntArray | None,
    steps: IntArray,
    times: FloatArray,
    rank: int,
    hidden: set[str],
) -> Iterable[RowBlock]:
    """One block per set of names that stand in the same rows."""
    groups: dict[bytes, list[str]] = {}
    chosen: dict[bytes, tuple[IntArray | None, IntArray | None]] = {}
    seen: dict[int, bytes] = {}  # the same array of places is looked at once
    for name, column in table.columns.items():
        if name in hidden:
            continue
        key = seen.get(id(column.places))
        if key is None:
            inside = _inside(column.places, rows, table.rows)
            key = (
                b""
                if inside[0] is None and inside[1] is None
                else digest(np.append(*_both(inside)))
            )
            seen[id(column.places)] = key
            chosen[key] = inside
        groups.setdefault(key, []).append(name)
    for key, names in groups.items():
        taken, at = chosen[key]
        if at is not None and not len(at):
            continue
        where = steps if at is None else steps[at]
        values = np.empty((len(names), len(where)))
        for index, name in enumerate(names):
            numbers = table.columns[name].values
            values[index] = numbers if taken is None else numbers[taken]
        yield RowBlock(tuple(names), where, times if at is None else times[at], values.T, rank)


def _inside(
    places: IntArray, rows: IntArray | None, total: int
) -> tuple[IntArray | None, IntArray | None]:
    """Which numbers of a column lie in these rows, and at which of the rows; None for all."""
    everywhere = len(places) == total
    if rows is None:
        return (None, None) if everywhere else (np.arange(len(places)), places)
    if everywhere:
        return rows, None
    at = np.searchsorted(places, rows)
    found = np.flatnonzero(places[np.minimum(at, len(places) - 1)] == rows)
    return at[found], found


def _both(inside: tuple[IntArray | None, IntArray | None]) -> tuple[IntArray, IntArray]:
    empty = np.empty(0, np.int64)
    taken, at = inside
    return (empty if taken is None else taken), (empty if at is None else at)
