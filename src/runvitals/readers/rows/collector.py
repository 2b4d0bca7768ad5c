"""Gathers rows that come one by one, or many at once, into a table."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runvitals.model import FloatArray, Gap, IntArray
from runvitals.readers.raw.numbers import (
    ABSENT,
    as_number,
    parse_duration,
    parse_time,
    plain_numbers,
)
from runvitals.readers.rows.column_names import is_key_name, is_time_name
from runvitals.readers.rows.columns import (
    CELLS_OF_ROW,
    CELLS_OF_SPARSE,
    CELLS_OF_TEXT,
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_DEPTH,
    Column,
    Key,
    Table,
    digest,
)

_MAX_NAME_LENGTH = 1000
_MAX_TEXT_LENGTH = 1000
_MAX_TEXTS = MAX_COLUMNS  # different ones in a column


def too_large(rows: int) -> Gap:
    """The warning for a log that was read only up to this many rows."""
    return Gap(f"too large for memory: only the first {rows:,} rows were read")


class RowCollector:
    """Gathers rows that come one by one or in bulk; numbers only, nested mappings as `outer/inner`.

    >>> rows = RowCollector()
    >>> rows.add({"step": 1, "loss": {"policy": 0.5}, "note": "text"})
    >>> rows.add({"step": 2, "kl": None})
    >>> sorted(rows.table().columns)
    ['loss/policy', 'step']
    """

    def __init__(self, separator: str = "/", left_out: Callable[[str], bool] | None = None) -> None:
        self.rows = 0
        self.refused = False  # whether rows came that it had no room for
        self._cells = 0  # but for those of the rows
        self.texts: dict[str, str] = {}  # the last text met under each name
        self.varying: set[str] = set()  # names whose text changed
        self.changes: dict[str, int] = {}  # how often, as far as it was looked at
        # names and texts of the last row that are not numbers
        self.unread: list[tuple[str, str]] = []
        self.too_many = 0  # columns beyond the limit
        self._separator = separator
        self._left_out = left_out  # mappings of such a key are not metrics
        self._chunks: dict[str, list[tuple[FloatArray, IntArray | None, int]]] = {}
        self._values: dict[str, array[float]] = {}
        self._places: dict[str, array[int]] = {}
        self._unknown: set[int] = set()
        self._keys: dict[str, _Texts] = {}
        self._breaks: list[int] = []

    def fresh(self) -> RowCollector:
        """An empty one of the same kind."""
        return RowCollector(self._separator, self._left_out)

    @property
    def full(self) -> bool:
        """True if the table has reached its memory limit."""
        return self.cells >= MAX_CELLS

    @property
    def cells(self) -> int:
        """Memory taken by the table, in units of 8 bytes."""
        return self._cells + CELLS_OF_ROW * self.rows

    def cut(self) -> Gap | None:
        """A warning if not all rows fitted into the table; else None."""
        return too_large(self.rows) if self.refused else None

    def constants(self) -> dict[str, str]:
        """Texts that never changed, under names that have no number."""
        return {
            k: v for k, v in self.texts.items() if k not in self.varying and k not in self._chunks
        }

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row in; what is not a number is passed over."""
        if self.full:
            self.refused = True
            return
        self.unread.clear()
        self._walk(row, "", 0)
        self.rows += 1

    def add_cells(self, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Take rows of texts in, as `add` does; much faster where all of them are plain numbers."""
        if not self.add_numbers(names, rows):
            for cells in rows:
                self.add(dict(zip(names, cells, strict=False)))

    def add_numbers(self, names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
        """Take rows of texts in if all of them are plain numbers; False if they are not."""
        alike = len(set(names)) == len(names) and all(len(cells) == len(names) for cells in rows)
        numbers = plain_numbers([cell for cells in rows for cell in cells]) if alike else None
        if numbers is None:
            return False
        columns = np.ascontiguousarray(numbers.reshape(len(rows), len(names)).T)
        self.add_columns(len(rows), {name: (columns[i], None) for i, name in enumerate(names)})
        return True

    def add_all(self, rows: Sequence[dict[str, Any]]) -> None:
        """Take many rows in: much faster than one by one when they have the same keys."""
        if self.full:
            self.refused = self.refused or bool(rows)
            return
        self._walk_all(rows, None, "", 0)
        self.rows += len(rows)

    def add_columns(
        self, count: int, columns: Mapping[str, tuple[FloatArray, IntArray | None]]
    ) -> None:
        """Take `count` rows in, as columns: numbers, and their rows from 0 (None: all of them)."""
        if self.full:
            self.refused = self.refused or count > 0
            return
        for name, (values, places) in columns.items():
            if len(values):
                self._append(name, values, places)
        self.rows += count

    def count(self, name: str) -> int:
        """How many numbers a column has."""
        chunks = self._chunks.get(name, ())
        return sum(len(values) for values, _, _ in chunks) + len(self._values.get(name, ()))

    def add_break(self) -> None:
        """Note that the rows that follow were begun anew: their header was written once more."""
        self._breaks.append(self.rows)

    def add_texts(
        self, name: str, texts: Sequence[str | None], places: IntArray | None = None
    ) -> None:
        """Take in texts that say what rows are of; `places` are the rows from the next one on."""
        known = self._keys.get(name)
        if known is None:
            known = self._keys[name] = _Texts()
        known.add(texts, np.arange(len(texts)) if places is None else places, self.rows)
        self._cells += CELLS_OF_TEXT * len(texts)

    def _known(self, name: str) -> bool:
        """True if there is room for this name; makes it if it is new."""
        if name in self._chunks:
            return True
        if len(self._chunks) >= MAX_COLUMNS or len(name) > _MAX_NAME_LENGTH:
            if len(self._unknown) < MAX_COLUMNS:
                self._unknown.add(hash(name))
                self.too_many = len(self._unknown)
            return False
        self._chunks[name] = []
        self._values[name] = array("d")
        self._places[name] = array("q")
        return True

    def _walk(self, row: Mapping[str, Any], prefix: str, depth: int) -> None:
        for key, value in row.items():
            name = f"{prefix}{key}"
            if isinstance(value, Mapping):
                if depth < MAX_DEPTH and not (self._left_out and self._left_out(str(key))):
                    self._walk(value, f"{name}{self._separator}", depth + 1)
                continue
            number = self._number(name, value)
            if number is None:
                self._text(name, value)
            elif self._known(name):
                self._values[name].append(number)
                self._places[name].append(self.rows)
                self._cells += CELLS_OF_SPARSE

    def _number(self, name: str, value: Any) -> float | None:
        number = as_number(value)
        if number is None and type(value) is str and value.strip().lower() not in ABSENT:
            if is_time_name(name):
                number = parse_time(value)
            if number is None:
                number = parse_duration(value)
            if number is None:
                self.note(name, value)
        return number

    def _text(self, name: str, value: Any) -> None:
        if type(value) is str:
            self.unread.append((name, value))
            if is_key_name(name):
                self.add_texts(name, [value], np.zeros(1, np.int64))

    def note(self, name: str, text: str) -> None:
        """Remember a text; those that never change are the run's settings."""
        text = text[:_MAX_TEXT_LENGTH]
        known = self.texts.get(name)
        if known is None:
            if len(self.texts) >= MAX_COLUMNS or len(name) > _MAX_NAME_LENGTH:
                return
        elif known != text:
            self.varying.add(name)
            self.changes[name] = self.changes.get(name, 0) + 1
        self.texts[name] = text

    def _walk_all(
        self, rows: Sequence[dict[str, Any]], places: IntArray | None, prefix: str, depth: int
    ) -> None:
        """Rows of equal keys go column by column; `places` are their rows in the batch."""
        groups: dict[tuple[Any, ...], list[int]] = {}
        for index, keys in enumerate(map(tuple, rows)):
            group = groups.get(keys)
            if group is None:
                groups[keys] = [index]
            else:
                group.append(index)
        if len(groups) > 64 and len(groups) > len(rows) // 4:  # no two rows alike
            start = self.rows
            for index, row in enumerate(rows):
                self.rows = start + (index if places is None else int(places[index]))
                self._walk(row, prefix, depth)
                self.unread.clear()
            self.rows = start
            return
        for keys, members in groups.items():
            if len(members) == len(rows):
                chosen, where = rows, places
            else:
                chosen = [rows[index] for index in members]
                where = np.array(members, np.int64) if places is None else places[members]
            for key, column in zip(keys, zip(*map(dict.values, chosen), strict=True), strict=True):
                self._take(f"{prefix}{key}", key, column, where, depth)

    def _take(
        self, name: str, key: str, column: Sequence[Any], where: IntArray | None, depth: int
    ) -> None:
        kinds = set(map(type, column))
        if kinds <= {float, int, bool}:
            try:
                self._append(name, np.array(column, np.float64), where)
                return
            except OverflowError:
                pass  # an integer beyond all floats
        elif kinds <= {list, type(None)}:
            return
        if str in kinds:
            if is_key_name(name):
                self.add_texts(name, [v if type(v) is str else None for v in column], where)
            if self._holds_no_numbers(name, column):
                kinds.discard(str)
                if not kinds & {float, int, bool, dict}:
                    return
        if dict in kinds:
            self._take_inner(name, key, column, where, depth)
            if kinds == {dict}:
                return
        self._take_mixed(name, column, where, texts_too=str in kinds)

    def _holds_no_numbers(self, name: str, column: Sequence[Any]) -> bool:
        """True if the texts of a column are a few words, which say nothing as numbers."""
        texts = {value for value in column if type(value) is str}
        if len(texts) > 16:
            return False
        found = [self._number(name, text) for text in texts]  # of all: each is noted on the way
        return all(number is None for number in found)

    def _take_inner(
        self, name: str, key: str, column: Sequence[Any], where: IntArray | None, depth: int
    ) -> None:
        """Take what the mappings of a column hold, below its name."""
        if depth < MAX_DEPTH and not (self._left_out and self._left_out(key)):
            inner = [i for i, value in enumerate(column) if type(value) is dict]
            self._walk_all(
                [column[i] for i in inner],
                np.array(inner, np.int64) if where is None else where[inner],
                f"{name}{self._separator}",
                depth + 1,
            )

    def _take_mixed(
        self, name: str, column: Sequence[Any], where: IntArray | None, *, texts_too: bool
    ) -> None:
        """Take the numbers of a column one by one, since it holds other things as well."""
        numbers: list[float] = []
        kept: list[int] = []
        for index, value in enumerate(column):
            if type(value) is float:
                number: float | None = value
            elif value is None or (type(value) is str and not texts_too):
                continue
            else:
                number = self._number(name, value)
            if number is not None:
                numbers.append(number)
                kept.append(index)
        if numbers:
            if len(kept) < len(column):
                where = np.array(kept, np.int64) if where is None else where[kept]
            self._append(name, np.array(numbers, np.float64), where)

    def _append(self, name: str, values: FloatArray, where: IntArray | None) -> None:
        if self._known(name):
            self._flush(name)
            self._chunks[name].append((values, where, self.rows))
            self._cells += len(values) * (1 if where is None else CELLS_OF_SPARSE)

    def _flush(self, name: str) -> None:
        """What was added row by row goes into a chunk."""
        if len(self._values[name]):
            self._chunks[name].append(
                (
                    np.frombuffer(self._values[name], np.float64),
                    np.frombuffer(self._places[name], np.int64),
                    0,
                )
            )
            self._values[name] = array("d")
            self._places[name] = array("q")

    def table(self) -> Table:
        """All rows so far."""
        table = Table(self.rows)
        everywhere = np.arange(self.rows)
        shared: dict[bytes, IntArray] = {}
        for name in self._chunks:
            self._flush(name)
            chunks = self._chunks[name]
            if not chunks:
                continue
            values = chunks[0][0] if len(chunks) == 1 else np.concatenate([c[0] for c in chunks])
            if len(values) == self.rows and all(places is None for _, places, _ in chunks):
                self._chunks[name] = [(values, None, 0)]  # nothing is held twice
                table.columns[name] = Column(values, everywhere)
                continue
            pieces = [
                np.arange(start, start + len(numbers)) if places is None else places + start
                for numbers, places, start in chunks
            ]
            places = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
            if len(places) > 1 and bool((places[1:] <= places[:-1]).any()):
                # one name at two depths of one row, or of two groups: by row, the last one counts
                order = np.argsort(places, kind="stable")
                places, values = places[order], values[order]
                last = np.append(places[1:] != places[:-1], True)
                places, values = places[last], values[last]
            if len(places) == self.rows:
                places = everywhere
            else:
                places = shared.setdefault(digest(places), places)
            self._chunks[name] = [(values, places, 0)]
            table.columns[name] = Column(values, places)
        for name, texts in self._keys.items():
            if (key := texts.key(self.rows)) is not None and name not in table.columns:
                table.keys[name] = key
        table.breaks = tuple(place for place in self._breaks if 0 < place < self.rows)
        return table


class _Texts:
    """The texts of one column, by number."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._found: list[tuple[IntArray, IntArray]] = []

    def add(self, texts: Sequence[str | None], places: IntArray, start: int) -> None:
        if len(self._codes) > _MAX_TEXTS:
            return
        codes = self._codes
        numbers = [
            -1
            if text is None or text.strip().lower() in ABSENT
            else codes.setdefault(text.strip()[:_MAX_TEXT_LENGTH], len(codes))
            for text in texts
        ]
        self._found.append((np.array(numbers, np.int64), places + start))

    def key(self, rows: int) -> Key | None:
        """The column; None when the texts are not names of anything, as each row has its own."""
        if not self._codes or len(self._codes) > _MAX_TEXTS:
            return None
        codes = np.full(rows, -1, np.int64)
        for numbers, places in self._found:
            codes[places] = numbers
        return Key(tuple(self._codes), codes)
