"""Rows and columns to blocks: which column is the step, where a run was restarted, what is absent.

Every row-like format (CSV, JSON lines, console output, trainer states, ...) goes through here, so that
steps, restarts, duplicates and gaps are treated alike.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.model import FloatArray, IntArray, RowBlock
from runvitals.readers.log import Blocks
from runvitals.readers.numbers import as_number

BoolArray = NDArray[np.bool_]
MOST_COLUMNS = 20_000
MOST_DEPTH = 12
LARGEST_STEP = 2.0**53

# Names of the step column, most telling first; compared in lower case, the last path segment too.
STEP_NAMES = (
    "global_step", "globalstep", "_step", "step", "steps", "current_steps", "timestep", "timesteps",
    "total_timesteps", "timesteps_total", "total_steps_done", "num_env_steps_sampled_lifetime",
    "totalenvinteracts", "env_steps", "environment_steps", "total_env_steps", "num_timesteps",
    "nupdates", "update", "updates", "n_updates", "iteration", "iter", "training_iteration", "itr",
    "episode", "episodes", "epoch", "epochs", "batch", "round",
)  # fmt: skip
TIME_NAMES = ("_timestamp", "timestamp", "wall_time", "walltime", "unix_time", "time", "ts", "date")
_EARLIEST, _LATEST = 946_684_800.0, 7_258_118_400.0  # Unix seconds of the years 2000 and 2200


@dataclass(frozen=True, slots=True)
class Column:
    """Numbers of one name, and in which rows it stands."""

    values: FloatArray
    present: BoolArray


@dataclass
class Table:
    """Equally long columns."""

    rows: int
    columns: dict[str, Column] = field(default_factory=dict)


@dataclass
class Part:
    """One run found in a table: its blocks, and what was odd about them."""

    blocks: Blocks = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    step_name: str | None = None


class RowCollector:
    """Gathers rows that come one by one; numbers only, nested mappings as `outer/inner`.

    >>> rows = RowCollector()
    >>> rows.add({"step": 1, "loss": {"policy": 0.5}, "note": "text"})
    >>> rows.add({"step": 2, "kl": None})
    >>> sorted(rows.table().columns)
    ['loss/policy', 'step']
    """

    def __init__(self, separator: str = "/") -> None:
        self.rows = 0
        self.texts: dict[str, str] = {}  # the last text met under each name
        self._separator = separator
        self._values: dict[str, array[float]] = {}
        self._places: dict[str, array[int]] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row in; what is no number is passed over."""
        self._walk(row, "", 0)
        self.rows += 1

    def _walk(self, row: Mapping[str, Any], prefix: str, depth: int) -> None:
        for key, value in row.items():
            name = f"{prefix}{key}"
            if isinstance(value, Mapping):
                if depth < MOST_DEPTH:
                    self._walk(value, f"{name}{self._separator}", depth + 1)
                continue
            number = as_number(value)
            if number is None:
                if type(value) is str and len(self.texts) < MOST_COLUMNS:
                    self.texts[name] = value[:1000]
                continue
            values = self._values.get(name)
            if values is None:
                if len(self._values) >= MOST_COLUMNS:
                    continue
                values = self._values[name] = array("d")
                self._places[name] = array("q")
            values.append(number)
            self._places[name].append(self.rows)

    def table(self) -> Table:
        """All rows so far."""
        table = Table(self.rows)
        for name, numbers in self._values.items():
            values = np.full(self.rows, np.nan)
            present = np.zeros(self.rows, np.bool_)
            places = np.frombuffer(self._places[name], np.int64)
            values[places] = np.frombuffer(numbers, np.float64)
            present[places] = True
            table.columns[name] = Column(values, present)
        return table


def choose_step(table: Table, names: Sequence[str] = STEP_NAMES) -> str | None:
    """The column that counts: known by name, there in nearly every row, and mostly rising."""
    by_name: dict[str, list[str]] = {}
    for name in table.columns:
        lowered = name.lower()
        by_name.setdefault(lowered, []).append(name)
        by_name.setdefault(lowered.rpartition("/")[2], []).append(name)
    for wanted in names:
        for name in sorted(set(by_name.get(wanted, ())), key=lambda n: (n.count("/"), n)):
            if _counts(table.columns[name], table.rows):
                return name
    return None


def _counts(column: Column, rows: int) -> bool:
    values = column.values[column.present & np.isfinite(column.values)]
    if len(values) < max(1, 0.9 * rows) or np.abs(values).max() > LARGEST_STEP:
        return False
    moves = np.diff(values)
    return bool(len(moves) == 0 or ((moves >= 0).mean() >= 0.5 and (moves > 0).any()))


def choose_time(table: Table) -> str | None:
    """The column of wall-clock times in Unix seconds (or milliseconds), if there is one."""
    for name, column in table.columns.items():
        if name.lower().rpartition("/")[2] in TIME_NAMES:
            values = column.values[column.present]
            if len(values) and bool(((values > _EARLIEST) & (values < _LATEST * 1e3)).all()):
                return name
    return None


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
    less is a resume, and starts a segment. A row that repeats its neighbour is dropped. With steps in
    no order at all (two writers, sorted otherwise) rows are ordered by step.
    """
    if not table.rows or not table.columns:
        return []
    step = step or choose_step(table)
    time = time or choose_time(table)
    keep, repeats = _without_repeats(table, step)
    steps = _steps(table, step)[keep]
    warnings = []
    if repeats:
        warnings.append(f"{repeats} rows repeat the row before them and were dropped")
    if step is None:
        warnings.append("no step column was found; rows are counted from 0")
    starts, segments, disordered = _lives(steps, split)
    if disordered:
        warnings.append("steps are in no order (several writers?); rows were sorted by step")
    times = _times(table, time)[keep]
    parts = []
    for begin, end in zip(starts, [*starts[1:], len(steps)], strict=True):
        rows = keep[begin:end]
        part = Part(warnings=list(warnings), step_name=step)
        numbers = segments[begin:end] - segments[begin] + 1
        for segment in range(1, int(numbers[-1]) + 1 if len(numbers) else 1):
            chosen = numbers == segment
            part.blocks.extend(
                (segment, block)
                for block in _blocks(
                    table, rows[chosen], steps[begin:end][chosen], times[begin:end][chosen], rank
                )
            )
        if numbers.size and numbers[-1] > 1:
            part.warnings.append(f"the run was resumed {numbers[-1] - 1} times")
        parts.append(part)
    if len(parts) > 1:
        for number, part in enumerate(parts, 1):
            part.warnings.append(f"run {number} of {len(parts)} in this file: the steps start over")
    return parts


def _steps(table: Table, step: str | None) -> IntArray:
    if step is None:
        return np.arange(table.rows)
    column = table.columns[step]
    values = np.where(column.present & np.isfinite(column.values), column.values, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return np.arange(table.rows)
    before = np.searchsorted(known, np.arange(table.rows), side="right") - 1
    filled = values[known[np.maximum(before, 0)]]
    if np.any(filled != np.floor(filled)):  # fractional epochs: the order counts, not the fraction
        scale = 1000.0 if np.abs(filled).max() < 1e9 else 1.0
        filled = np.round(filled * scale)
    return np.clip(filled, -LARGEST_STEP, LARGEST_STEP).astype(np.int64)


def _times(table: Table, time: str | None) -> FloatArray:
    if time is None:
        return np.full(table.rows, np.nan)
    column = table.columns[time]
    values = np.where(column.present, column.values, np.nan)
    with np.errstate(invalid="ignore"):
        return np.where(values > _LATEST, values / 1e3, values)


def _without_repeats(table: Table, step: str | None) -> tuple[IntArray, int]:
    """Rows to keep: those that say something their predecessor did not."""
    if step is None or table.rows < 2:
        return np.arange(table.rows), 0
    same = np.ones(table.rows - 1, np.bool_)
    for column in table.columns.values():
        values, present = column.values, column.present
        equal = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
        same &= equal & (present[1:] == present[:-1])
        if not same.any():
            break
    keep = np.flatnonzero(np.concatenate([[True], ~same]))
    return keep, int(same.sum())


def _lives(steps: IntArray, split: bool) -> tuple[list[int], IntArray, bool]:
    """Where runs begin, the segment of each row, and whether the steps are in no order."""
    back = np.flatnonzero(np.diff(steps) < 0) + 1
    if len(back) > max(8, 0.05 * len(steps)):
        return [0], np.ones(len(steps), np.int64), True
    segments = np.ones(len(steps), np.int64)
    for place in back.tolist():
        segments[place:] += 1
    starts = [0]
    if split:
        first = int(steps[0]) if len(steps) else 0
        stride = int(np.median(np.abs(np.diff(steps)))) if len(steps) > 1 else 0
        starts += [p for p in back.tolist() if int(steps[p]) <= first + stride]
    return starts, segments, False


def _blocks(
    table: Table, rows: IntArray, steps: IntArray, times: FloatArray, rank: int
) -> Iterable[RowBlock]:
    """One block per set of names that stand in the same rows."""
    groups: dict[bytes, list[str]] = {}
    masks: dict[bytes, BoolArray] = {}
    for name, column in table.columns.items():
        mask = column.present[rows]
        if mask.any():
            key = np.packbits(mask).tobytes()
            groups.setdefault(key, []).append(name)
            masks[key] = mask
    for key, names in groups.items():
        mask = masks[key]
        chosen = rows[mask]
        values = np.stack([table.columns[name].values[chosen] for name in names], axis=1)
        yield RowBlock(tuple(names), steps[mask], times[mask], values, rank)
