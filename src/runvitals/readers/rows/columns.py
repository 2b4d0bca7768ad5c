"""Columns over rows: what every row-like format is brought into first."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np

from runvitals.model import FloatArray, IntArray

MAX_COLUMNS = 20_000
MAX_CELLS = 80_000_000  # of 8 bytes that a table and what is made of it may take: 640 MB
CELLS_OF_ROW = 4  # its step, its time, its place, and one while they are compared
CELLS_OF_TEXT = 3  # its number, its place, and the two put together
CELLS_OF_SPARSE = 5  # a number with a place, a step and a time of its own, and its copy in a block
# of series of their own: 24 bytes each, an eighth more while they are gathered
MAX_POINTS = 30_000_000
MAX_DEPTH = 12
MAX_STEP = 2.0**53


@dataclass(frozen=True, slots=True)
class Column:
    """The numbers of one name, and the rows they stand in (rising, each row once)."""

    values: FloatArray
    places: IntArray


@dataclass(frozen=True, slots=True)
class Key:
    """A column of texts that say what a row is of: for each row the number of its text, or -1."""

    texts: tuple[str, ...]
    codes: IntArray


@dataclass
class Table:
    """Columns over the same rows; a column need not have a number in every row."""

    rows: int
    columns: dict[str, Column] = field(default_factory=dict)
    keys: dict[str, Key] = field(default_factory=dict)
    breaks: tuple[int, ...] = ()  # rows before which the names of the columns stand once more

    def without_first(self, count: int) -> Table:
        """The same table from row `count` on."""
        table = Table(max(0, self.rows - count))
        shared: dict[int, IntArray] = {}
        for name, column in self.columns.items():
            cut = int(np.searchsorted(column.places, count))
            if cut < len(column.places):
                places = shared.setdefault(id(column.places), column.places[cut:] - count)
                table.columns[name] = Column(column.values[cut:], places)
        table.keys = {name: Key(key.texts, key.codes[count:]) for name, key in self.keys.items()}
        table.breaks = tuple(place - count for place in self.breaks if place > count)
        return table

    def only(self, rows: IntArray) -> Table:
        """The table of these rows alone, in their order (rising)."""
        table = Table(len(rows))
        shared: dict[int, tuple[IntArray, IntArray]] = {}
        for name, column in self.columns.items():
            known = shared.get(id(column.places))
            if known is None:
                at = np.minimum(np.searchsorted(column.places, rows), len(column.places) - 1)
                found = np.flatnonzero(column.places[at] == rows)
                known = shared[id(column.places)] = (at[found], found)
            taken, places = known
            if len(taken):
                table.columns[name] = Column(column.values[taken], places)
        table.keys = {name: Key(key.texts, key.codes[rows]) for name, key in self.keys.items()}
        table.breaks = tuple(np.searchsorted(rows, self.breaks).tolist()) if self.breaks else ()
        return table

    def dense(self, name: str) -> FloatArray:
        """The numbers of a column row by row, NaN where there is none."""
        column = self.columns[name]
        if len(column.values) == self.rows:
            return column.values
        values = np.full(self.rows, np.nan)
        values[column.places] = column.values
        return values


def digest(places: IntArray) -> bytes:
    """Equal for equal places."""
    return hashlib.blake2b(places.tobytes(), digest_size=16).digest()
