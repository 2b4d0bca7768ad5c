"""Lists of rows in a JSON document: which of them tell what, and under which names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from runvitals.readers.rows.arrangement import Arrangement, arrange
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.column_names import SPLITS, is_step_name, normalized
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


@dataclass
class _Rows:
    path: str
    piece: Piece

    @property
    def numbers(self) -> int:
        return sum(len(column.values) for column in self.piece.table.columns.values())


def pieces_of_rows(found: list[tuple[str, list[dict[str, Any]]]]) -> list[Piece]:
    """The richest list under plain names, others under the name of their list where two lists have the
    same name; what only repeats another list is left out."""
    lists = [
        _Rows(path, piece) for path, rows in found if (piece := _piece(path, rows)) is not None
    ]
    if any(one.piece.step is not None for one in lists):
        lists = [one for one in lists if one.piece.step is not None or _speaks(one.piece)]
    lists.sort(key=lambda one: -one.numbers)
    known: dict[str, tuple[Table, str | None]] = {}
    pieces: list[Piece] = []
    for one in lists:
        piece = one.piece
        if piece.shape is None:
            columns = _named(one, known, several=len(lists) > 1)
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
    one: _Rows, known: dict[str, tuple[Table, str | None]], several: bool
) -> dict[str, Column]:
    """The columns of a list that say something new, each under a name of its own."""
    table, step, path = one.piece.table, one.piece.step, one.path
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
    """Whether a column only says what another list said at the same steps."""
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
