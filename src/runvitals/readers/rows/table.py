"""Rows and columns to blocks: which column is the step, where a run was restarted, what is absent.

Every row-like format (CSV, JSON lines, console output, trainer states, ...) goes through here, so that
steps, restarts, duplicates and gaps are treated alike.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from runvitals.model import FloatArray, IntArray, RowBlock
from runvitals.readers.log import Blocks
from runvitals.readers.rows.column_names import is_elapsed_name, is_step_name, unit_of
from runvitals.readers.rows.columns import (
    MAX_COLUMNS,
    MAX_DEPTH,
    MAX_POINTS,
    MAX_STEP,
    Column,
    Table,
    digest,
)
from runvitals.readers.rows.restarts import counted_on, find_lives, times_told
from runvitals.readers.rows.step_choice import (
    AXIS,
    COMBINED,
    LATEST,
    choose_step,
    choose_time,
    counts_within,
    row_numbers,
    whole,
)
from runvitals.readers.rows.turns import Turns, turns_in

__all__ = [
    "MAX_COLUMNS", "MAX_DEPTH", "MAX_POINTS", "MAX_STEP", "Column", "Table", "TableRun",
    "choose_step", "choose_time", "digest", "runs_in",
]  # fmt: skip

# say no more
_PURE_STEPS = frozenset({"step", "steps", COMBINED, AXIS, "global_step", "Step", "Steps"})
_MAX_COPIED = 1_000_000  # numbers of columns that are put side by side; more stay where they are
_SAME = 0.02  # of a value: two writers of one run differ by less


@dataclass
class TableRun:
    """One run found in a table: its blocks, and what was odd about them."""

    blocks: Blocks = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    step_name: str | None = None
    disordered: bool = False
    time_name: str | None = None
    shape: Callable[[Table], Table] | None = None  # brings rows that are appended into shape
    # the rows of other counters in what is appended
    others: Callable[[Table], list[tuple[str, Table]]] | None = None
    followed: bool = True  # whether what is appended to the file is of this run
    turns: Turns | None = None  # columns that hold two series in turn
    shift: int | None = None  # added to the last rows' counts, where the counter started over
    # series on another counter than its own
    counted_by: dict[str, str] = field(default_factory=dict)

    def add_counted_by(self, axis: str, table: Table, time: str | None) -> None:
        """Take in rows of the same run that another column counts."""
        for part in runs_in(table, step=axis, time=time, split=False):
            self.blocks += part.blocks
            self.counted_by |= part.counted_apart(self.step_name)

    def counted_apart(self, main: str | None) -> dict[str, str]:
        """Its series with the column that counts them, if that is in another unit than `main`."""
        if unit_of(self.step_name) == unit_of(main):
            return {}
        return {name: self.step_name or "rows" for _, block in self.blocks for name in block.names}


def runs_in(
    table: Table,
    *,
    step: str | None = None,
    time: str | None = None,
    rank: int = 0,
    split: bool = True,
) -> list[TableRun]:
    """The runs in a table, in order: mostly one.

    `restarts.py` decides what steps that fall back mean; `split` allows for several runs. A row that
    repeats its neighbour is dropped. Rows whose steps come in no order at all are sorted by step. The
    column of the steps is not a series of its own when its name says nothing more, nor is that of the
    wall-clock times.
    """
    if not table.rows or not table.columns:
        return []
    if step is None or step not in table.columns:
        step = choose_step(table)
    if time is None or time not in table.columns:
        time = choose_time(table)
    turns = turns_in(table, step) if split else None
    table = turns.apply(table) if turns is not None else table
    keep, repeats = _without_repeats(table, step, time)
    steps, scaled = _steps(table, step)
    times = _times(table, time)
    breaks = table.breaks
    if keep is not None:
        steps, times = steps[keep], times[keep]
        breaks = tuple(np.searchsorted(keep, breaks).tolist()) if breaks else ()
    warnings = list(_remarks(table, step, turns, repeats=repeats, scaled=scaled))
    compare = _Compare(table, keep, steps, {name for name in (step, time) if name})
    shift = None
    if split and (on := counted_on(steps, compare.columns())) is not None:
        over = times_told(int((np.diff(steps) < 0).sum()))
        warnings.append(f"`{step}` starts over {over} while the training goes on: counted on")
        shift, steps = int(on[-1] - steps[-1]), on
    lives = find_lives(
        steps, split=split, breaks=breaks, other=compare.are_other, same=compare.are_same
    )
    # An epoch or an episode count is also worth a chart; `step` over itself is not.
    hidden = {name for name in (time, step if step in _PURE_STEPS else None) if name}
    hidden |= row_numbers(table) | {name for name in table.columns if name.startswith("\0")}
    parts = []
    for life in lives:
        part = TableRun([], warnings + life.warnings, step, life.disordered, time)
        part.followed = not life.interleaved
        part.shift, part.turns = shift, turns
        for number, piece in enumerate(life.pieces, 1):
            whole = len(piece) == len(steps)
            own_steps, own_times = (steps, times) if whole else (steps[piece], times[piece])
            rows = piece if keep is None else keep[piece]
            some = rows if len(rows) < table.rows else None
            found = _blocks(table, some, own_steps, own_times, rank, hidden)
            part.blocks += ((number, block) for block in found)
        parts.append(part)
    for number, part in enumerate(parts if len(parts) > 1 else (), 1):
        why = ": the steps start over" if part.followed else ""
        part.warnings.append(f"run {number} of {len(parts)} in this file{why}")
    return parts


def _remarks(
    table: Table, step: str | None, turns: Turns | None, *, repeats: int, scaled: bool
) -> Iterator[str]:
    if repeats:
        yield f"{repeats:,} rows repeat the row before them and were dropped"
    if step is None and (within := counts_within(table)):
        yield f"`{within[0]}` starts over {within[1]:,} times; rows are counted from 0"
    elif step is None:
        yield "no step column was found; rows are counted from 0"
    elif scaled:
        yield f"`{step}` is fractional; steps are its thousandths"
    if turns is not None:
        yield turns.told


class _Compare:
    """Compares what two stretches of a table measured."""

    def __init__(
        self, table: Table, keep: IntArray | None, steps: IntArray, axes: set[str]
    ) -> None:
        self._table = table
        self._keep = keep
        self._steps = steps
        self._names = [
            name
            for name in table.columns
            if name not in axes and not is_elapsed_name(name) and not is_step_name(name)
        ]

    def columns(self) -> Iterator[FloatArray]:
        """What was measured in every row."""
        for name in self._names:
            if len(self._table.columns[name].values) == self._table.rows:
                values = self._table.columns[name].values
                yield values if self._keep is None else values[self._keep]

    def _rows(self, rows: IntArray) -> IntArray:
        return rows if self._keep is None else self._keep[rows]

    def _has(self, name: str, stretch: tuple[int, int]) -> bool:
        places = self._table.columns[name].places
        first, last = stretch[0], stretch[1] - 1
        if self._keep is not None:
            first, last = int(self._keep[first]), int(self._keep[last])
        return int(np.searchsorted(places, first)) < int(np.searchsorted(places, last + 1))

    def are_other(self, before: tuple[int, int], after: tuple[int, int]) -> bool:
        """True if the two stretches share no metric, so that neither can replace the other."""
        if any(len(self._table.columns[n].places) == self._table.rows for n in self._names):
            return False
        both = [(self._has(n, before), self._has(n, after)) for n in self._names]
        some_before, some_after = any(a for a, _ in both), any(b for _, b in both)
        return some_before and some_after and not any(a and b for a, b in both)

    def are_same(self, one: IntArray, two: IntArray) -> bool:
        """True if two writers wrote nearly the same numbers at the same steps."""
        _, at_one, at_two = np.intersect1d(self._steps[one], self._steps[two], return_indices=True)
        if not len(at_one):
            return False
        shares = []
        for name in self._names[:50]:
            values = self._table.dense(name)
            a, b = values[self._rows(one)[at_one]], values[self._rows(two)[at_two]]
            good = np.isfinite(a) & np.isfinite(b)
            a, b = a[good], b[good]
            if len(a) < 3 or len(np.unique(a)) < 3:
                continue
            close = np.abs(a - b) <= _SAME * np.maximum(np.abs(a), np.abs(b))
            shares.append(float(close.mean()))
        return bool(shares) and float(np.median(shares)) >= 0.8


def _steps(table: Table, step: str | None) -> tuple[IntArray, bool]:
    if step is None:
        return _counted(table), False
    column = table.columns[step]
    values, places = column.values, column.places
    good = np.isfinite(values)
    if not good.all():
        values, places = values[good], places[good]
    if not len(values):
        return _counted(table), False
    if len(values) < table.rows:  # rows without a step belong to the one before
        before = np.searchsorted(places, np.arange(table.rows), side="right") - 1
        values = values[np.maximum(before, 0)]
    scaled = not whole(values)
    if scaled:  # fractional epochs: the order counts, not the fraction
        scaled = bool(np.abs(values).max() < 1e9)
        values = np.round(values * 1000.0 if scaled else values)
    if len(values) and np.abs(values).max() > MAX_STEP:
        values = np.clip(values, -MAX_STEP, MAX_STEP)
    return values.astype(np.int64), scaled


def _counted(table: Table) -> IntArray:
    """Row numbers, restarting where the header was written again."""
    rows = np.arange(table.rows)
    for place in table.breaks:
        rows[place:] = np.arange(table.rows - place)
    return rows


def _times(table: Table, time: str | None) -> FloatArray:
    if time is None:
        return np.broadcast_to(np.nan, table.rows)
    column = table.columns[time]
    values = column.values.copy()
    for _ in range(3):
        with np.errstate(invalid="ignore"):
            finer = values > LATEST
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


def _blocks(
    table: Table,
    rows: IntArray | None,
    steps: IntArray,
    times: FloatArray,
    rank: int,
    hidden: set[str],
) -> Iterable[RowBlock]:
    """One block per set of names that stand in the same rows; of a long table, one per name."""
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
        when = times if at is None else times[at]
        if taken is None and (len(names) == 1 or len(names) * len(where) > _MAX_COPIED):
            for name in names:
                values = table.columns[name].values[:, None]
                yield RowBlock((name,), where, when, values, rank)
            continue
        values = np.empty((len(names), len(where)))
        for index, name in enumerate(names):
            numbers = table.columns[name].values
            values[index] = numbers if taken is None else numbers[taken]
        yield RowBlock(tuple(names), where, when, values.T, rank)


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
