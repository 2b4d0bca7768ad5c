"""The head of a delimited table: how its cells are split, and what its columns are called."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from runvitals.readers.raw.numbers import ABSENT, parse_number, parse_time
from runvitals.readers.raw.source import HEAD_BYTES, MAX_LINE, head
from runvitals.readers.rows.column_names import is_step_name
from runvitals.readers.rows.evidence import is_training_file, measured_in
from runvitals.readers.tabular._blocks import utf8

DELIMITERS = (",", "\t", ";", "|")
SAMPLE_ROWS = 200
_MAX_JOINED = 200  # lines that one quoted cell may go over
_MAX_ADDED = 20  # columns, to rows below a header that lacks them
_COMMA_NUMBER = re.compile(r"\s*[-+]?\d+,\d+(?:[eE][-+]?\d+)?\s*")


@dataclass(frozen=True)
class Dialect:
    """How cells are set apart, and numbers written."""

    delimiter: str = ","
    decimal: str = "."


def cells_of(line: str, delimiter: str) -> list[str]:
    """The cells of one line."""
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # a cell beyond the limit, a stray quote
        return [cell.strip('"') for cell in line.split(delimiter)]


def rows_of(lines: Sequence[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of these lines, each with the number of its line from 1; quoted cells may go over
    several lines."""
    index = 0
    while index < len(lines):
        line = lines[index]
        number = index + 1
        index += 1
        if line.count('"') % 2:
            end = index
            while end < len(lines) and end - number < _MAX_JOINED and line.count('"') % 2:
                line += "\n" + lines[end]
                end += 1
            if line.count('"') % 2:
                line = lines[number - 1]  # a stray quote, no cell over several lines
            else:
                index = end
        if line.strip() and not line.startswith("#"):
            yield number, cells_of(line, delimiter)


@dataclass
class FileHead:
    """What the first bytes of a delimited file tell."""

    dialect: Dialect
    names: list[str]
    rows: list[list[str]]
    header: bool = True
    narrow: int = 0  # columns of those rows that have fewer than the names here
    unfilled: bool = False  # the header itself names more than most rows have


def first_lines(path: Path) -> bytes:
    """The first bytes of a file: at least a header and a row, however wide they are."""
    size = HEAD_BYTES
    start = head(path, size)
    while len(start) >= size and start.count(b"\n") < 3 and size < 2 * MAX_LINE:
        size *= 8
        start = head(path, size)
    return start


def sample(start: bytes, delimiters: Sequence[str] = DELIMITERS) -> FileHead | None:
    """Dialect, header and first rows; None when this is not a table."""
    lines = _table_lines(start)
    if not lines:
        return None
    delimiter = _delimiter([line for line in lines if line.strip()][:50], delimiters)
    if delimiter is None:
        return _single([line.strip() for line in lines if line.strip()])
    rows = [cells for _, cells in rows_of(lines, delimiter)][: SAMPLE_ROWS + 1]
    if not rows:
        return None
    dialect = Dialect(delimiter, _decimal_mark(rows[1:]) if delimiter in ";\t" else ".")
    if _is_numbered_header(rows):
        return FileHead(dialect, _numbered(rows[0]), rows[1:])
    if any(number_in(cell, dialect) is not None for cell in rows[0] if cell.strip()):
        return FileHead(dialect, [], rows, header=False)
    return _with_header(dialect, tidy(rows[0]), rows[1:])


def lines_of(start: bytes) -> list[str]:
    """The lines of the first bytes of a file, without one that is cut."""
    text = utf8(start)
    end = text.rfind(b"\n") + 1
    if len(text) > 60_000 and end:
        text = text[:end]
    return text.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _table_lines(start: bytes) -> list[str]:
    """The lines of the first bytes, from the header on; empty when there is nothing but comments."""
    lines = lines_of(start)
    first = next((i for i, line in enumerate(lines) if line.strip() and line[0] != "#"), None)
    if first is None:
        return []
    if first and lines[first - 1].startswith("#") and lines[first].strip()[0] in "-+.0123456789":
        first -= 1  # numpy.savetxt writes its header so
        lines[first] = lines[first].lstrip("# ")
    return lines[first : first + SAMPLE_ROWS + 50]


def _decimal_mark(rows: list[list[str]]) -> str:
    """A comma where more cells are numbers with a comma than with a point."""
    cells = [cell for row in rows for cell in row]
    commas = sum(1 for cell in cells if _COMMA_NUMBER.fullmatch(cell))
    points = sum(1 for cell in cells if "." in cell and parse_number(cell) is not None)
    return "," if commas > points else "."


def _with_header(dialect: Dialect, names: list[str], rows: list[list[str]]) -> FileHead:
    """Names and rows brought to one width."""
    for row in rows:
        while len(row) > len(names) and not row[-1].strip():
            row.pop()  # each row ends in a delimiter
    widths = Counter(len(row) for row in rows)
    one_more = bool(widths) and widths.most_common(1)[0] == (len(names) + 1, len(rows))
    if one_more and not _lacks_last(names, rows):
        names = ["index", *names]  # pandas leaves the name of the index out
    wide = _wider(names, rows)
    if wide:  # columns were added, the header was not written again
        more = [f"column {i + 1}" for i in range(len(names), wide)]
        padded = [row + [""] * (wide - len(row)) if len(row) == len(names) else row for row in rows]
        return FileHead(dialect, names + more, padded, narrow=len(names))
    narrow = _narrower(names, rows)
    if narrow:  # settings stand in the first row only
        padded = [row + [""] * (len(names) - narrow) if len(row) == narrow else row for row in rows]
        return FileHead(dialect, names, padded, narrow=narrow, unfilled=True)
    return FileHead(dialect, names, rows)


def _lacks_last(names: list[str], rows: list[list[str]]) -> bool:
    """True if the last of the columns is the one without a name, as the column of the steps shows."""
    place = next((i for i, name in enumerate(names) if is_step_name(name)), None)
    return place is not None and _counts(rows, place) and not _counts(rows, place + 1)


def _counts(rows: list[list[str]], place: int) -> bool:
    """True if a column goes up by whole numbers."""
    values = [parse_number(row[place]) for row in rows]
    counts = [value for value in values if value is not None and value == value // 1]
    return len(counts) == len(values) > 1 and all(a < b for a, b in pairwise(counts))


def _wider(names: list[str], rows: list[list[str]]) -> int:
    """How many columns later rows have, where many of them have more than the header, all numbers."""
    widths = Counter(len(row) for row in rows if len(row) > len(names))
    wide, count = widths.most_common(1)[0] if widths else (0, 0)
    if count < max(3, 0.1 * len(rows)) or wide > len(names) + _MAX_ADDED:
        return 0
    cells = [cell for row in rows if len(row) == wide for cell in row if cell.strip()]
    return wide if all(parse_number(cell) is not None for cell in cells) else 0


def _narrower(names: list[str], rows: list[list[str]]) -> int:
    """How many columns most rows have, where that is fewer than the header names, all numbers."""
    widths = Counter(len(row) for row in rows)
    width, count = widths.most_common(1)[0] if widths else (0, 0)
    if not 2 <= width < len(names) or count < max(3, 0.5 * len(rows)):
        return 0
    cells = [cell for row in rows if len(row) == width for cell in row if cell.strip()]
    return width if all(parse_number(cell) is not None for cell in cells) else 0


def _single(lines: list[str]) -> FileHead | None:
    """One column of numbers, with a name above it or without."""
    numbers = [parse_number(line) is not None for line in lines]
    if len(lines) < 3 or not all(numbers[1:]):
        return None
    rows = [[line] for line in lines]
    if _is_numbered_header(rows):
        return FileHead(Dialect(), _numbered(rows[0]), rows[1:])
    if numbers[0]:
        return FileHead(Dialect(), [], rows, header=False)
    return FileHead(Dialect(), [lines[0]], rows[1:])


def _is_numbered_header(rows: list[list[str]]) -> bool:
    """True if pandas wrote 0, 1, ... above columns that had no names: whole numbers above others."""
    first = [cell.strip() for cell in rows[0]]
    if first and not first[0]:
        first = first[1:]
    if not first or first != [str(i) for i in range(len(first))] or len(rows) < 4:
        return False
    if len(first) < len(rows[0]):
        return True
    return any("." in row[0] for row in rows[1:4]) and all(
        len(row) == len(first) for row in rows[1:4]
    )


def _numbered(cells: list[str]) -> list[str]:
    return [f"column {i + 1}" if cell.strip() else "index" for i, cell in enumerate(cells)]


def tidy(cells: Sequence[str]) -> list[str]:
    """Names of columns: trimmed, and each one once.

    >>> tidy([" step", "loss", "loss"])
    ['step', 'loss', 'loss.1']
    """
    names: list[str] = []
    used: Counter[str] = Counter()
    for index, cell in enumerate(cells):
        name = cell.strip() or (f"column {index + 1}" if index else "index")
        used[name] += 1
        names.append(f"{name}.{used[name] - 1}" if used[name] > 1 else name)
    return names


def _delimiter(lines: Sequence[str], delimiters: Sequence[str]) -> str | None:
    best: tuple[float, int, str] | None = None
    for delimiter in delimiters:
        if delimiter not in lines[0]:
            continue
        widths = [len(cells_of(line, delimiter)) for line in lines]
        agree = sum(width == widths[0] for width in widths) / len(widths)
        found = (round(agree, 1), widths[0], delimiter)
        if best is None or found[:2] > best[:2]:
            best = found
    return best[2] if best else None


def number_in(cell: str, dialect: Dialect) -> float | None:
    if dialect.decimal == "," and "," in cell:
        cell = cell.replace(",", ".")
    return parse_number(cell)


def is_names(cells: Sequence[str]) -> bool:
    """True if a row holds names: each cell another one, and none a number."""
    if len(cells) < 2 or parse_number(cells[0]) is not None:
        return False
    filled = [cell.strip() for cell in cells if cell.strip()]
    if len(filled) < max(2, len(cells) - 1) or len(set(filled)) != len(filled):
        return False
    return not any(parse_number(cell) is not None or cell.lower() in ABSENT for cell in filled)


MIN_ROWS = 8  # a shorter file without column names could be anything (judgement)
MAX_COLUMNS = 64
ALMOST = 0.95  # of the steps: a log that was appended to begins anew now and then (judgement)


def is_nameless_log(stem: str, rows: Sequence[Sequence[str]]) -> bool:
    """True if a file is called like the log of a training, and holds columns of numbers."""
    if len(rows) < MIN_ROWS or not is_training_file(stem, surely=True):
        return False
    width = len(rows[0])
    return (
        width <= MAX_COLUMNS
        and all(len(row) == width for row in rows[:-1])
        and all(
            parse_number(cell) is not None or (width > 1 and cell is row[0] and _is_moment(cell))
            for row in rows
            for cell in row
        )
    )


def _is_moment(cell: str) -> bool:
    return parse_time(cell) is not None


def names_by_file(stem: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """The names of such columns; one of dates, which comes first, is the time.

    The last of those that count comes right before what is measured; a file is called after the first
    of that, or after the only one.

    >>> names_by_file("rewards", [["0", "0", "4.5"], ["1", "1000", "3.5"]])
    ['index', 'step', 'rewards']
    """
    width = len(rows[0])
    names = [f"column {i + 1}" for i in range(width)]
    timed = counters = int(width > 1 and _is_moment(rows[0][0]))
    while counters < width - 1 and _counts_up(rows, counters):
        counters += 1
    if counters > timed:
        names[timed:counters] = ["index", *names[1 : counters - 1], "step"][timed - counters :]
    if timed:
        names[0] = "timestamp"
    said = measured_in(stem)
    if width - counters == 1:
        names[-1] = said or stem
    elif said is not None:
        names[counters] = said
    return names


def _counts_up(rows: Sequence[Sequence[str]], column: int) -> bool:
    """True if it goes up by whole numbers; it may begin anew."""
    values = [parse_number(row[column]) or 0.0 for row in rows if len(row) > column]
    steps = [later - earlier for earlier, later in pairwise(values)]
    up = sum(step > 0 for step in steps)
    return all(value % 1 == 0 for value in values) and up >= ALMOST * len(steps)
