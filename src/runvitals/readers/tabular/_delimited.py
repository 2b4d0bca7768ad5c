"""Delimited text: finds out delimiter, header and kinds of columns; in bulk where the file is clean."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from runvitals.model import Gap
from runvitals.readers.raw.numbers import (
    ABSENT,
    BEFORE,
    HUGE_POWER,
    is_garbled,
    parse_duration,
    parse_time,
    wholeness,
)
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.column_names import is_key_name, is_step_name, is_time_name
from runvitals.readers.rows.evidence import is_metric_name
from runvitals.readers.rows.table import MAX_COLUMNS
from runvitals.readers.tabular._table_head import (
    FileHead,
    cells_of,
    is_names,
    number_in,
    rows_of,
    tidy,
)

_MAX_CELL_LENGTH = 100_000
_MAX_SHOWN = 40  # characters of a damaged cell that a warning shows
_FEW_BYTES = 2**16  # read sooner than pyarrow begins
_TAIL_BYTES = 2**16  # kept of each block, to see how its last lines look
_HUGE = re.compile(HUGE_POWER.pattern.encode())
_BOOLS = frozenset({"True", "true", "TRUE", "False", "false", "FALSE"})


@dataclass
class _Texts:
    """Cells of a column that are no numbers; how many were numbers once, and the first of these."""

    cells: int = 0
    garbled: int = 0
    line: int = 0
    text: str = ""


class CsvParser:
    """Lines of delimited text to rows. A clean block goes through pyarrow, an odd one row by row."""

    def __init__(self, found: FileHead, warnings: list[str], skip: Container[str] = ()) -> None:
        self._skip = skip
        self.rows = RowCollector()
        self.dialect = found.dialect
        self.names = found.names
        self._warnings = warnings
        self._line = 0
        self._started = not found.header
        self._narrow = found.narrow
        self._unfilled = found.unfilled
        self._headers: dict[int, list[str]] = {}  # those above other tables, by their width
        self._bad: list[tuple[int, int, int]] = []
        self._bad_count = 0
        self._zeroed = 0  # lines with zero bytes in them
        self._tail = b""  # the end of what came last
        self._texts: dict[str, _Texts] = {}
        self._kinds: list[str] = []
        self._set_names(found.names, found.rows)

    def _set_names(self, names: list[str], rows: Sequence[Sequence[str]]) -> None:
        self.names = names
        self._in_header = names[: None if self._unfilled else self._narrow or None]
        whole = [row for row in rows if len(row) == len(names)]
        self._kinds = [
            self._kind(name, (row[place].strip() for row in whole))
            for place, name in enumerate(names)
        ]

    def _kind(self, name: str, cells: Iterator[str]) -> str:
        if name in self._skip:
            return "text"
        written = (cell for cell in cells if cell.lower() not in ABSENT)
        first = next(written, None)
        if first is None or (first not in _BOOLS and number_in(first, self.dialect) is not None):
            return "number"
        filled = [first, *written]
        if all(cell in _BOOLS for cell in filled):
            return "bool"
        if any(number_in(cell, self.dialect) is not None for cell in filled):
            return "number"
        if is_time_name(name) and parse_time(filled[0]) is not None:
            return "time"
        if parse_duration(filled[0]) is not None:
            return "duration"
        if is_key_name(name):
            return "key"
        if len(set(filled)) == 1 and len(filled[0]) <= 200:
            return "constant"
        return "text"

    def feed(self, block: bytes) -> None:
        if b"\0" in block:
            self._zeroed += sum(b"\0" in line for line in block.split(b"\n"))
        if not self._started:
            block = self._after_header(block)
            if not self._started:
                return
        if block:
            self._tail = block[-_TAIL_BYTES:]
        if self._in_bulk(block):
            self._line += block.count(b"\n")
        elif self._narrow or not self._without_bad_lines(block):
            self._row_by_row(block)

    def feed_last(self, line: bytes) -> bool:
        if not self._started:
            self.feed(line + b"\n")
            return True
        self._zeroed += b"\0" in line
        text = line.decode("utf-8", "replace").rstrip("\r")
        cells = cells_of(text, self.dialect.delimiter)
        ended = len(cells) > len(self.names) and not cells[-1].strip()  # with a delimiter
        if ended:
            cells = cells[: len(self.names)]
        if len(cells) != len(self.names) or text.count('"') % 2:
            return False
        if not ended and self._is_cut(cells[-1]):
            if is_step_name(self.names[-1]):
                return False
            if cut := cells[-1].strip()[:_MAX_SHOWN]:
                where = f"within a number ({self.names[-1]}, {cut!r}), which was left out"
            else:
                where = f"before {self.names[-1]}"
            self._warnings.append(f"the last line breaks off {where}")
            line = line[: line.rfind(self.dialect.delimiter.encode()) + 1]
        self._row_by_row(line + b"\n")
        return True

    def _is_cut(self, cell: str) -> bool:
        """True if the last cell of a file without a final line break is only a part of a number."""
        kind = self._kinds[-1] if self._kinds else "text"
        before = self._last_cells()
        if kind not in {"number", "bool", "time", "duration"} or not before:
            return False
        if not cell.strip():
            return all(before)
        if kind != "number" or '"' in cell:
            return len(cell.strip()) < min(map(len, before))
        if self.dialect.decimal == ",":
            cell, before = cell.replace(",", "."), [one.replace(",", ".") for one in before]
        found = wholeness(cell, before)
        if found == "unknown":
            what = f"{self.names[-1]}, {cell.strip()[:_MAX_SHOWN]!r}"
            self._warnings.append(
                f"the file does not end with a line break; its last number ({what}) may be cut off"
            )
        return found == "cut"

    def _last_cells(self) -> list[str]:
        """What stood in the last column of the lines before."""
        lines = self._tail.decode("utf-8", "replace").split("\n")[-BEFORE:]
        rows = (cells_of(line, self.dialect.delimiter) for line in lines)
        return [cells[-1].strip() for cells in rows if len(cells) == len(self.names)]

    def report(self) -> None:
        """Say which lines and columns were left out."""
        if self._unfilled:
            self._warnings.append(
                f"the header names {len(self.names)} columns, most rows have {self._narrow}: "
                "the others are empty there"
            )
        elif self._narrow:
            self._warnings.append(
                f"some rows have {len(self.names)} columns, the header names {self._narrow}; "
                "the others are numbered"
            )
        if len(self.names) > MAX_COLUMNS:
            self._warnings.append(
                f"{len(self.names):,} columns; only the first {MAX_COLUMNS:,} were read"
            )
        if self._zeroed:
            lines = "1 line contains" if self._zeroed == 1 else f"{self._zeroed:,} lines contain"
            self._warnings.append(Gap(f"{lines} zero bytes, as a crash of the machine leaves them"))
        self._report_garbled()
        if not self._bad_count:
            return
        number, has, wants = self._bad[0]
        more = f", and {self._bad_count - 1} more such lines" if self._bad_count > 1 else ""
        told = f"line {number} has {has} columns, the header has {wants}{more}; left out"
        self._warnings.append(Gap(told))

    def _report_garbled(self) -> None:
        """Name cells that are no numbers, in columns of numbers."""
        found = {
            name: texts
            for name, texts in self._texts.items()
            if texts.garbled and self.rows.count(name) > texts.cells
        }
        if not found:
            return
        name, first = min(found.items(), key=lambda pair: pair[1].line)
        cells = sum(texts.garbled for texts in found.values()) - 1
        more = f", and {cells:,} more such cell{'s' * (cells > 1)}" if cells else ""
        shown = first.text.strip(" ")[:_MAX_SHOWN]
        self._warnings.append(
            Gap(f"line {first.line}: {shown!r} in {name} is not a number{more}; left out")
        )

    def _after_header(self, block: bytes) -> bytes:
        """What follows the header line."""
        while block:
            line, _, rest = block.partition(b"\n")
            self._line += 1
            block = rest
            text = line.strip()
            if text and (not text.startswith(b"#") or self._is_header_comment(text)):
                self._started = True
                break
        return block

    def _is_header_comment(self, text: bytes) -> bool:
        names = text.decode("utf-8", "replace").lstrip("# ")
        return tidy(cells_of(names, self.dialect.delimiter)) == self._in_header

    def _in_bulk(self, block: bytes) -> bool:
        """True if the block could be read as a whole; then its rows are taken in."""
        if not 2 <= len(self.names) <= MAX_COLUMNS or set(self._kinds) <= {"text"}:
            return False
        if len(block) <= _FEW_BYTES and set(self._kinds) == {"number"}:
            lines = block.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
            rows = [line.split(self.dialect.delimiter) for line in lines if line]
            if self.rows.add_numbers(self.names, rows):
                return True
        from runvitals.readers.tabular._arrow import read_block

        found = read_block(block, self._kinds, self.dialect.delimiter, self.dialect.decimal)
        if found is None:
            return False
        count, columns, texts, keys = found
        if any(np.isinf(numbers).any() for numbers, _ in columns.values()) and _HUGE.search(block):
            return False
        for index, text in texts:
            self.rows.note(self.names[index], text)
        for index, key in keys.items():
            self.rows.add_texts(self.names[index], key)
        self.rows.add_columns(
            count, {self.names[index]: column for index, column in columns.items()}
        )
        return True

    def _without_bad_lines(self, block: bytes) -> bool:
        """True if pyarrow could read the block once lines of another width were left out."""
        if b'"' in block or b"\r" in block.replace(b"\r\n", b"\n"):
            return False
        delimiter, wanted = self.dialect.delimiter.encode(), len(self.names) - 1
        good: list[bytes] = []
        bad: list[tuple[int, int]] = []
        for number, line in enumerate(block.split(b"\n"), self._line + 1):
            count = line.count(delimiter)
            if count == wanted:
                good.append(line)
            elif line.strip() and not line.startswith(b"#"):
                cells = line.decode("utf-8", "replace").split(self.dialect.delimiter)
                if (
                    len(bad) > 0.5 * len(good) + 100
                    or not cells[-1].strip()
                    or len(cells) in self._headers
                    or self._is_header(cells)
                ):
                    return False
                bad.append((number, count + 1))
        if not bad or not good or not self._in_bulk(b"\n".join([*good, b""])):
            return False
        for number, count in bad:
            self._refuse(number, count)
        self._line += block.count(b"\n")
        return True

    def _refuse(self, number: int, count: int) -> None:
        self._bad_count += 1
        if not self._bad:
            self._bad.append((number, count, len(self.names)))

    def _row_by_row(self, block: bytes) -> None:
        text = block.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        lines = text.split("\n")
        if lines and not lines[-1]:
            lines.pop()
        names = self.names[:MAX_COLUMNS]
        comma = self.dialect.decimal == ","
        for number, cells in rows_of(lines, self.dialect.delimiter):
            if self._is_header(cells):
                self._headers[len(self.names)] = self.names
                self._set_names(tidy(cells), [])
                names = self.names[:MAX_COLUMNS]
                self.rows.add_break()
                continue
            while len(cells) > len(self.names) and not cells[-1].strip():
                cells.pop()
            if len(cells) == self._narrow:
                cells += [""] * (len(self.names) - len(cells))
            if len(cells) != len(self.names) and len(cells) in self._headers:
                self._headers[len(self.names)] = self.names  # rows of two tables come in turn
                self._set_names(self._headers[len(cells)], [])
                names = self.names[:MAX_COLUMNS]
            if len(cells) != len(self.names):
                self._refuse(self._line + number, len(cells))
                continue
            row: dict[str, str] = {}
            for name, cell in zip(names, cells, strict=False):
                if cell and len(cell) < _MAX_CELL_LENGTH and name not in self._skip:
                    row[name] = cell.replace(",", ".") if comma and "," in cell else cell
            self.rows.add(row)
            for name, cell in self.rows.unread:
                self._look_at(name, cell, self._line + number)
        self._line += len(lines)

    def _look_at(self, name: str, text: str, line: int) -> None:
        """Note a cell that is no number."""
        garbled = is_garbled(text) and "\0" not in text  # zero bytes are told of by the line
        if not garbled and text.strip().lower() in ABSENT:
            return
        known = self._texts.setdefault(name, _Texts())
        known.cells += 1
        if garbled:
            if not known.garbled:
                known.line, known.text = line, text
            known.garbled += 1

    def _is_header(self, cells: Sequence[str]) -> bool:
        """True if a row in the middle names columns: anew, or those of another table.

        Other names than those above have to be such as logs have.
        """
        if not is_names(cells):
            return False
        known = set(self.names)
        filled = [cell.strip() for cell in cells if cell.strip()]
        shared = sum(cell in known for cell in filled)
        if shared * 2 >= len(filled) or (shared and any(map(is_step_name, filled))):
            return True
        said = sum(is_step_name(cell) or is_metric_name(cell) for cell in filled)
        return said * 2 >= len(filled)
