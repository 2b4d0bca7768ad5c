"""Names over columns of numbers that blanks set apart, as `print`, `numpy.savetxt` and pandas write.

The names may stand behind a `#`, a rule may lie below them, and a few lines of text before them. Where
there are none, the name of the file says what is measured.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.numbers import ABSENT, parse_number
from runvitals.readers.raw.source import uncompressed_name
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.evidence import confidence_of
from runvitals.readers.tabular._blocks import constant_texts, is_binary, logs_of, parse_file
from runvitals.readers.tabular._delimited import CsvParser
from runvitals.readers.tabular._table_head import (
    SAMPLE_ROWS,
    Dialect,
    FileHead,
    first_lines,
    is_nameless_log,
    lines_of,
    names_by_file,
    tidy,
)

ID = "spaced-table"

_ENDINGS = (".txt", ".dat", ".log", ".out", ".csv", ".tsv", ".tab", ".asc", ".data")
_BEFORE = 20  # lines of text over the names
_MIN_ROWS = 3
_MIN_SHARE = 0.9  # of the lines below the names, that are rows of the table
_RULE = b"-=+ \t"
_NAME = re.compile(r"[^\W\d_][^\"'{}]{0,60}|_\w{1,60}")
_APART = re.compile(r"\s{2,}|\t")


@dataclass
class _Table:
    """Where the names stand, and what the first rows hold."""

    sample: FileHead
    header: int  # lines up to the names, these included


def sniff(path: Path, head: bytes) -> int:
    """Names over rows of numbers, and nothing else; a table with delimiters is not one of these."""
    name = uncompressed_name(path)
    if is_binary(head) or head[:1] in b"{[<" or ("." in name and not name.endswith(_ENDINGS)):
        return 0
    found = _table(head, path.stem)
    if found is None:
        return 0
    if not found.header:
        return 25
    rows = RowCollector()
    for cells in found.sample.rows:
        rows.add(dict(zip(found.sample.names, cells, strict=True)))
    return min(confidence_of(rows, path.stem), 40)


def _table(start: bytes, stem: str) -> _Table | None:
    """The table at the beginning of a file; without names, what the file is called says what it is."""
    lines = lines_of(start)[: SAMPLE_ROWS + 4 * _BEFORE]
    first = next((i for i, line in enumerate(lines) if _is_row(line.split())), None)
    if first is None:
        return None
    over = [i for i, line in enumerate(lines[:first]) if line.strip() and not _is_rule(line)]
    if sum(not lines[i].lstrip().startswith("#") for i in over) > _BEFORE:
        return None
    below = [line for line in lines[first:] if line.strip() and line.lstrip()[0] != "#"]
    width = len(lines[first].split())
    rows = [cells for line in below if _is_row(cells := line.split()) and len(cells) == width]
    if len(rows) < max(_MIN_ROWS, _MIN_SHARE * len(below)):
        return None
    if not over:
        if not is_nameless_log(stem, rows):
            return None
        names, header = names_by_file(stem, rows), 0
    elif names := _names(lines[over[-1]], width):
        header = over[-1] + 1
    else:
        return None
    return _Table(FileHead(Dialect("\t"), names, rows[:SAMPLE_ROWS], header=False), header)


def _is_row(cells: list[str]) -> bool:
    """True if these are the cells of a row: numbers, some of which may be absent."""
    if len(cells) < 2 or parse_number(cells[0]) is None:
        return False
    numbers = [cell for cell in cells if parse_number(cell) is not None]
    absent = sum(cell.lower() in ABSENT for cell in cells)
    return len(numbers) + absent == len(cells) and len(numbers) >= absent


def _is_rule(line: str) -> bool:
    return not line.strip("-=+ \t│┃|─━┼")


def _names(line: str, width: int) -> list[str]:
    """The names in the line over the rows, as many as there are columns; none if it holds no names."""
    text = line.lstrip("# \t%").rstrip()
    for names in (text.split(), [name for name in _APART.split(text) if name]):
        if len(names) == width - 1 and len(names) > 1 and line[:1] in (" ", "\t"):
            names = ["index", *names]  # pandas leaves the name of the index out
        if len(names) == width and all(_NAME.fullmatch(name) for name in names):
            return tidy(names)
    return []


class _Parser(CsvParser):
    """Brings blanks of any width to one tab, and leaves out what stands over the rows."""

    def __init__(self, found: _Table, warnings: list[str]) -> None:
        super().__init__(found.sample, warnings)
        self._over = found.header

    def feed(self, block: bytes) -> None:
        """Take in whole lines."""
        lines = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        passed = min(self._over, block.count(b"\n"))
        self._over -= passed
        self._line += passed
        rest = [_tabbed(line) for line in lines[passed:]]
        if any(rest):
            super().feed(b"\n".join(rest))

    def feed_last(self, line: bytes) -> bool:
        """Take in a last line without its end; False when it is not whole."""
        return not self._over and super().feed_last(_tabbed(line))


def _tabbed(line: bytes) -> bytes:
    if line[:1] in b"-=+ \t#" and (not line.strip(_RULE) or line.lstrip()[:1] == b"#"):
        return b""
    return b"\t".join(line.split())


def read(path: Path) -> list[Log]:
    """The runs of the table: mostly one."""
    start = first_lines(path)
    if not start.strip():
        raise ReadError(path, "the file is empty", hint="has the run logged anything yet?")
    found = None if is_binary(start) else _table(start, path.stem)
    if found is None:
        raise ReadError(path, "there are no names over columns of numbers")
    warnings: list[str] = []
    parser = _Parser(found, warnings)
    follower = parse_file(path, parser, warnings)
    parser.report()
    table = parser.rows.table()
    logs, parts = logs_of(path, ID, table, warnings, config=constant_texts(parser.rows))
    if follower is not None:
        logs[-1].read_new = follower.follow(
            parser,
            lambda: _Parser(_table(first_lines(path), path.stem) or found, []),
            parts[-1],
            rows=table.rows,
        )
    return logs


READER = Reader(ID, "table with columns set apart by blanks", sniff, read, at_most=40)
