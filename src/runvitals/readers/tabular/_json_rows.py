"""Lists in a JSON document, of rows or of numbers: which of them tell what, and under which names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from runvitals.model import FloatArray
from runvitals.readers.raw.numbers import as_number
from runvitals.readers.rows.arrangement import Arrangement, arrange
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.column_names import SPLITS, ends_in_counter, is_step_name, normalized
from runvitals.readers.rows.columns import Column, Table
from runvitals.readers.rows.evidence import is_of_things, is_training_name
from runvitals.readers.rows.step_choice import choose_step
from runvitals.readers.tabular._blocks import is_config_name

_VALUES = frozenset({"value", "y", "v", "val"})


@dataclass
class Piece:
    """Series that share an axis. `step` is the column of it; None where the rows count."""

    table: Table
    step: str | None
    lists: bool = False  # each series is a list of its own, and no column of rows
    of_things: bool = False  # each row has a name of its own
    shape: Arrangement | None = None  # of rows that are of several runs

    @property
    def numbers(self) -> int:
        """How many there are in all series."""
        return sum(len(column.values) for column in self.table.columns.values())


def pieces_of_rows(found: list[tuple[str, list[dict[str, Any]]]]) -> list[Piece]:
    """The richest list under plain names, others under the name of their list where two lists have the
    same name; what only repeats another list is left out."""
    lists = [(path, one) for path, rows in found if (one := _piece(path, rows)) is not None]
    if any(piece.step is not None for _, piece in lists):
        lists = [(path, one) for path, one in lists if one.step is not None or _speaks(one)]
    lists.sort(key=lambda one: -one[1].numbers)
    known: dict[str, tuple[Table, str | None]] = {}
    pieces: list[Piece] = []
    for path, piece in lists:
        if piece.shape is None:
            columns = _named(path, piece, known, several=len(lists) > 1)
            if len(columns) <= (piece.step in columns):
                continue
            piece.table = Table(piece.table.rows, columns)
            known |= {name: (piece.table, piece.step) for name in columns if name != piece.step}
        pieces.append(piece)
    return pieces


def _piece(path: str, list_: list[dict[str, Any]]) -> Piece | None:
    rows = RowCollector(left_out=is_config_name)
    rows.add_all(list_)
    table = rows.table()
    if not table.columns:
        return None
    things = is_of_things(table.rows, rows.changes)
    shape = arrange(table)
    runs = [] if shape.is_trivial else shape.apply(table)
    if len(runs) > 1 or shape.long:
        return Piece(table, shape.step, of_things=things, shape=shape)
    if runs:
        table = runs[0].tables[0][1]
    step = shape.step if shape.step in table.columns else choose_step(table)
    measured = [name for name in table.columns if name != step and not is_step_name(name)]
    if path and len(measured) == 1 and normalized(measured[0]) in _VALUES:
        kept = {step: table.columns[step]} if step is not None else {}
        table = Table(table.rows, {**kept, path: table.columns[measured[0]]})
    return Piece(table, step, of_things=things) if len(table.columns) > (step is not None) else None


def _speaks(piece: Piece) -> bool:
    return not piece.of_things and any(map(is_training_name, piece.table.columns))


def _named(
    path: str, piece: Piece, known: dict[str, tuple[Table, str | None]], several: bool
) -> dict[str, Column]:
    """The columns of a list that say something new, each under a name of its own."""
    table, step = piece.table, piece.step
    split = next((part for part in path.split("/") if normalized(part) in SPLITS), "")
    if not several and normalized(split).startswith("train"):
        split = ""
    columns: dict[str, Column] = {}
    for name, column in table.columns.items():
        if name == step:
            columns[name] = column
            continue
        told = name == path or normalized(re.split(r"[_/ .-]", name)[0]) in SPLITS
        own = f"{split}/{name}" if split and not told else name
        last = path.rpartition("/")[2]
        twin = next((n for n in (own, name.rpartition("/")[2], last) if n in known), None)
        if twin is not None and _repeats(known[twin], twin, table, column, step):
            continue
        columns[f"{path}/{name}" if own in known else own] = column
    return columns


def _repeats(
    known: tuple[Table, str | None], name: str, table: Table, column: Column, step: str | None
) -> bool:
    """True if a column only says what another list said at the same steps."""
    other, axis = known
    if name not in other.columns or step is None or axis is None:
        return False
    places = other.columns[name].places
    theirs = dict(
        zip(other.dense(axis)[places].tolist(), other.columns[name].values.tolist(), strict=True)
    )
    mine = zip(table.dense(step)[column.places].tolist(), column.values.tolist(), strict=True)
    same: int = sum(theirs.get(at) == value for at, value in mine)
    return same >= 0.9 * len(column.places)


FAR_LONGER = 5  # times as many values: such a list is that of single steps (judgement)
_ABSENT = 0x7FF8_0000_0000_0DEA  # the bits of our own NaN
_NOTHING = np.array([_ABSENT], np.uint64).view(np.float64)[0]


def numbers_in(values: list[Any]) -> FloatArray:
    """As numbers; what is none is a NaN of its own kind, which `absent` knows."""
    found = np.empty(len(values))
    for index, value in enumerate(values):
        number = as_number(value)
        found[index] = _NOTHING if number is None else number
    return found


def absent(values: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return values.view(np.uint64) == np.uint64(_ABSENT)


def table_of(lists: Mapping[str, FloatArray]) -> Table:
    """Lists as columns of one table; what is absent has no place in it."""
    longest = max(map(len, lists.values()), default=0)
    table = Table(longest)
    for name, values in lists.items():
        there = np.flatnonzero(~absent(values))
        if len(there):
            places = np.arange(longest) if len(there) == longest else there
            if are_now_and_then(len(values), longest):
                places = (there + 1) * longest // len(values) - 1
            table.columns[name] = Column(values[there], places)
    return table


def is_axis(name: str, values: FloatArray) -> bool:
    """True if a list holds steps; `val_steps` are those of `val_loss`."""
    named = is_step_name(_without_split(name)[1]) or ends_in_counter(name)
    return named and rising(values)


def _without_split(name: str) -> tuple[str, str]:
    """The split in the last part of a name, and the rest of it."""
    last = name.rpartition("/")[2]
    head, found, tail = last.partition("_")
    return (head.lower(), tail) if found and head.lower() in SPLITS else ("", last)


def axis_of(name: str, values: FloatArray, axes: Mapping[str, FloatArray]) -> str | None:
    """The list of steps beside a list: as long, and of the same place and split where there is one."""

    def order(axis: str) -> tuple[bool, bool, int]:
        place, own = axis.rpartition("/")[0], name.rpartition("/")[0]
        table = Table(len(values), {axis: Column(axes[axis], np.arange(len(values)))})
        telling = choose_step(table) is not None
        split = _without_split(axis)[0]
        return (place != own, split not in ("", _without_split(name)[0]), 0 if telling else 1)

    fitting = [axis for axis, steps in axes.items() if len(steps) == len(values) and axis != name]
    fitting = [
        axis
        for axis in fitting
        if _without_split(axis)[0] in ("", _without_split(name)[0])
        and name.startswith(axis.rpartition("/")[0])
    ]
    if not fitting:
        return None
    best = min(order(axis) for axis in fitting)
    equal = [axis for axis in fitting if order(axis) == best]
    if len(equal) == 1:
        return equal[0]
    everywhere = np.arange(len(values))
    table = Table(len(values), {axis: Column(axes[axis], everywhere) for axis in equal})
    return choose_step(table) or equal[0]


def rising(steps: FloatArray) -> bool:
    whole = bool((steps == np.floor(steps)).all())
    return whole and bool((np.diff(steps) >= 0).all()) and bool(steps[-1] > steps[0])


def are_now_and_then(count: int, rows: int) -> bool:
    """True if a list is so much shorter than the longest that it was measured every few rows only.

    Three evaluations beside 2,000 losses belong to the whole run and not to its first three rows.
    """
    if not 0 < count < rows:
        return False
    return rows % count == 0 or rows >= FAR_LONGER * count
