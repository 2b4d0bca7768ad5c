"""CSV files that spreadsheets and pandas open: one row per step, one column per metric."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from runvitals.exporters._append import AppendFile, replacing
from runvitals.exporters._merge import slices
from runvitals.model import Event, RowBlock, RunInfo
from runvitals.model.row import gathered

REWRITE_BYTES = 8 * 1024 * 1024
LINE_CELLS = 10_000  # spelled at a time: their text fits into the cache
MAX_COLUMNS = 5_000  # spreadsheets end at 16,384; further names are left out, and that is said
MAX_PLAIN_STEP = 10**15  # further numbers are spelled 1e15, and beyond 2**53 not exactly
OWN_COLUMNS = ("step", "time")
SYSTEM_PREFIXES = ("System/", "system/")


class CsvSink:
    """Writes `metrics/metrics.csv` and, for names that start with `System/`, `metrics/system.csv`.

    An empty cell was not logged; `nan`, `inf` and `-inf` were. Numbers come back exactly. When a
    new metric turns up, a small file is rewritten with one more column, and a large one is
    followed by `metrics.2.csv`. A resumed run goes on in the last file; rows of earlier processes from
    the step on at which it goes on are dropped, so that no step is there twice. A metric called
    `step` or `time` is in the column `step_` or `time_`. Rows that the disk refuses are in neither
    file.
    """

    whole_batches = True

    def __init__(self) -> None:
        self._files: tuple[CsvFile, CsvFile] | None = None
        self._parts: dict[tuple[str, ...], tuple[list[int], list[int]]] = {}
        self._began: float | None = None  # of a resumed run, until its first row

    def open(self, info: RunInfo) -> None:
        """Note where to write; files appear with their first row."""
        self._began = info.started if info.segment > 1 else None
        self._info: RunInfo | None = info
        self._chosen: set[str] = set()
        ending = f".rank{info.rank}" if info.rank else ""
        folder = info.folder / "metrics"
        self._files = CsvFile(folder, f"metrics{ending}"), CsvFile(folder, f"system{ending}")

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:  # noqa: ARG002
        """Append the rows. Histograms, texts and samples have no place in a table."""
        if self._files is None:
            return
        both: tuple[list[RowBlock], list[RowBlock]] = ([], [])
        for whole in gathered(blocks):
            block = self._with_room(whole)
            if block is None:
                continue
            for target, columns in zip(both, self._split(block.names), strict=True):
                if columns:
                    whole_row = len(columns) == len(block.names)
                    target.append(block if whole_row else block.select(columns))
        if self._began is not None and both[0]:
            step = min(int(block.steps.min()) for block in both[0])
            for file in self._files:
                file.drop_abandoned(step, self._began)
            self._began = None
        targets = [(file, mine) for file, mine in zip(self._files, both, strict=True) if mine]
        for file, mine in targets:
            file.make_room(mine)
        sizes = [file.size for file, _ in targets]
        try:
            for file, mine in targets:
                file.append(mine)
        except OSError:
            for (file, _), size in zip(targets, sizes, strict=True):
                file.cut(size)
            raise

    def _with_room(self, block: RowBlock) -> RowBlock | None:
        """The columns of a block that the table has room for."""
        new = [name for name in block.names if name not in self._chosen]
        self._chosen.update(new[: max(0, MAX_COLUMNS - len(self._chosen))])
        if not new or self._chosen.issuperset(new):
            return block
        if self._info is not None:
            self._info.complain(
                "csv columns",
                f"more than {MAX_COLUMNS:,} names: the CSV file has the first ones only",
            )
        kept = [i for i, name in enumerate(block.names) if name in self._chosen]
        return block.select(kept) if kept else None

    def close(self, status: str) -> None:  # noqa: ARG002
        """Close the files."""
        for file in self._files or ():
            file.close()
        self._files = None

    def _split(self, names: tuple[str, ...]) -> tuple[list[int], list[int]]:
        found = self._parts.get(names)
        if found is None:
            system = [i for i, name in enumerate(names) if name.startswith(SYSTEM_PREFIXES)]
            others = sorted(set(range(len(names))) - set(system))
            if len(self._parts) > 256:
                self._parts.clear()
            found = self._parts[names] = others, system
        return found


class CsvFile:
    """A growing table, spread over `<stem>.csv`, `<stem>.2.csv`, ... when it has to be."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._folder, self._stem = folder, stem
        self._part = 0
        self._file: AppendFile | None = None
        self._header_bytes = 0
        self._names: list[str] = []
        self._columns: dict[str, int] = {}  # by name as logged

    def make_room(self, blocks: Sequence[RowBlock]) -> None:
        """Add columns where these rows need them."""
        if self._file is None:
            self._resume()
        self._add_columns(list(dict.fromkeys(name for block in blocks for name in block.names)))

    def drop_abandoned(self, step: int, began: float) -> None:
        """Leave out rows of before `began` from this step on: they are logged anew."""
        self.close()
        for part in range(1, _newest_part(self._folder, self._stem) + 1):
            path = self._path(part)
            if path.exists() and (found := read_header(path)) is not None:
                _drop_rows(path, found[1], step, began)

    @property
    def size(self) -> int:
        """Bytes of the part that is written now."""
        return 0 if self._file is None else self._file.size

    def cut(self, size: int) -> None:
        """Undo the rows that were added since."""
        if self._file is not None:
            self._file.cut(size)

    def append(self, blocks: Sequence[RowBlock]) -> None:
        """Add rows for which there is room."""
        from runvitals.exporters._table import wide_columns

        assert self._file is not None
        if len(blocks) == 1 and is_plain(blocks[0], self._columns):
            for lines in plain_lines(blocks[0], self._columns, len(self._names)):
                self._file.write(lines)
            return
        for arrays in wide_columns(blocks, self._columns, len(self._names)):
            self._file.write(csv_bytes(arrays))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _path(self, part: int) -> Path:
        return self._folder / (f"{self._stem}.csv" if part == 1 else f"{self._stem}.{part}.csv")

    def _resume(self) -> None:
        """Go on in the newest part of an earlier segment, if there is one."""
        if self._part == 0:
            self._part = _newest_part(self._folder, self._stem)
        path = self._path(self._part)
        if self._part and path.exists() and (found := read_header(path)) is not None:
            header, self._header_bytes = found
            self._names = header[len(OWN_COLUMNS) :]
            self._columns = {}
            self._file = AppendFile(path)
            cut_torn_line(path)
            self._file.size = path.stat().st_size

    def _add_columns(self, names: Sequence[str]) -> None:
        from runvitals.exporters._table import column_names

        new = [name for name in names if name not in self._columns]
        if not new and self._file is not None:
            return
        places = {name: i for i, name in enumerate(self._names)}
        columns = {
            name: places.setdefault(column, len(places))
            for name, column in column_names(new, OWN_COLUMNS).items()
        }
        if self._file is None or len(places) > len(self._names):
            if self._file is None or self._file.size > REWRITE_BYTES:
                self._start(list(places))
            else:
                self._widen(self._file, list(places))
        self._columns.update(columns)

    def _start(self, names: list[str]) -> None:
        part = self._part + 1
        while self._path(part).exists():
            part += 1
        header = header_bytes(names)
        file = AppendFile(self._path(part))
        try:
            file.write(header)
        except OSError:
            file.close()
            file.path.unlink(missing_ok=True)
            raise
        self._switch(file, names, len(header))
        self._part = part

    def _widen(self, old: AppendFile, names: list[str]) -> None:
        """Rewrite the file with more columns, all empty. Data rows never hold a quoted newline."""
        body = old.path.read_bytes()[self._header_bytes :]
        header = header_bytes(names)
        with replacing(old.path) as file:
            file.write(header)
            file.write(body.replace(b"\n", b"," * (len(names) - len(self._names)) + b"\n"))
        self._switch(AppendFile(old.path), names, len(header))

    def _switch(self, file: AppendFile, names: list[str], header_bytes: int) -> None:
        self.close()
        self._file, self._names, self._header_bytes = file, names, header_bytes


def is_plain(block: RowBlock, columns: Mapping[str, int]) -> bool:
    """Whether all cells of a block are ordinary numbers, each in a column of its own."""
    places = {columns[name] for name in block.names}
    finite = np.isfinite(block.values).all() and np.isfinite(block.times).all()
    steps = block.steps
    short = bool(((steps > -MAX_PLAIN_STEP) & (steps < MAX_PLAIN_STEP)).all())
    return short and len(places) == len(block.names) and bool(finite)


def plain_lines(block: RowBlock, columns: Mapping[str, int], count: int) -> Iterator[bytes]:
    """The lines of such a block; a JSON library spells numbers several times as fast as CSV ones do.

    >>> one = RowBlock(("a", "b"), np.array([7]), np.array([1.5]), np.array([[2.0, 0.25]]))
    >>> list(plain_lines(one, {"a": 1, "b": 2}, 3))
    [b'7,1.5,,2,0.25\\n']
    """
    import orjson

    places = [1 + columns[name] for name in block.names]
    for part in slices(len(block), count, LINE_CELLS):
        steps = np.ascontiguousarray(block.steps[part])
        table = np.full((len(steps), 1 + count), np.nan)
        table[:, 0] = block.times[part]
        table[:, places] = block.values[part]
        numbers = orjson.dumps(steps, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].split(b",")
        # one byte is found many times as fast as three; each row has two in front: "[[" or ",["
        cells = orjson.dumps(table, option=orjson.OPT_SERIALIZE_NUMPY)[:-2].split(b"]")
        lines = b"".join(
            [b"%b,%b\n" % (step, row[2:]) for step, row in zip(numbers, cells, strict=True)]
        )
        if len(places) < count:
            lines = lines.replace(b"null", b"")
        if (table == np.floor(table)).any():
            lines = lines.replace(b".0,", b",").replace(b".0\n", b"\n")
        yield lines


def csv_bytes(arrays: list[object]) -> bytes:
    """Rows of numbers, each as short as it can be while coming back exactly."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    table = pa.Table.from_arrays(arrays, names=[str(i) for i in range(len(arrays))])
    out = pa.BufferOutputStream()
    arrow_csv.write_csv(table, out, arrow_csv.WriteOptions(include_header=False))
    return out.getvalue().to_pybytes()


def header_bytes(names: Sequence[str], own: Sequence[str] = OWN_COLUMNS) -> bytes:
    """The first line; names with commas, quotes or line breaks are quoted.

    >>> header_bytes(['loss', 'a,b'])
    b'step,time,loss,"a,b"\\n'
    """
    cells = (f'"{name.replace(chr(34), chr(34) * 2)}"' if _quoted(name) else name for name in names)
    return (",".join([*own, *cells]) + "\n").encode("utf-8", "replace")


def _quoted(name: str) -> bool:
    return not name or name != name.strip() or any(c in name for c in ',"\r\n')


def read_header(path: Path) -> tuple[list[str], int] | None:
    """Names and length in bytes of the header, or None if this is not one of our files."""
    with path.open("rb") as file:
        head = b""
        for line in file:  # a quoted name may hold line breaks
            head += line
            if head.endswith(b"\n") and head.count(b'"') % 2 == 0:
                break
        else:
            return None
    try:
        [names] = csv.reader(io.StringIO(head.decode("utf-8"), newline=""))
    except (ValueError, csv.Error):
        return None
    return (names, len(head)) if tuple(names[: len(OWN_COLUMNS)]) == OWN_COLUMNS else None


def _drop_rows(path: Path, header: int, step: int, began: float) -> None:
    cut_torn_line(path)
    with path.open("rb") as old:
        old.seek(header)
        if not any(_is_abandoned(line, step, began) for line in old):
            return
        old.seek(0)
        with replacing(path) as new:
            new.write(old.read(header))
            new.writelines(line for line in old if not _is_abandoned(line, step, began))


def _is_abandoned(line: bytes, step: int, began: float) -> bool:
    """Whether a row is of this step or later, and older than `began`.

    >>> _is_abandoned(b"7,1.5,0.3", 7, 2.0), _is_abandoned(b"7,2.5,0.3", 7, 2.0)
    (True, False)
    """
    cells = line.split(b",", 2)
    try:
        return int(cells[0]) >= step and (not cells[1] or float(cells[1]) < began)
    except (ValueError, IndexError):
        return False


def cut_torn_line(path: Path) -> None:
    """Drop what follows the last line break: a line whose writer was killed."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - 65_536)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                file.truncate(start + found + 1)
                return
            end = start


def export_csv(blocks: Iterable[RowBlock], path: str | os.PathLike[str]) -> Path:
    """Write a recorded run as one CSV file, with a column `rank` when there are several ranks."""
    from runvitals.exporters._table import column_names, wide_columns

    by_rank: dict[int, list[RowBlock]] = {}
    for block in blocks:
        by_rank.setdefault(block.rank, []).append(block)
    by_rank = {rank: list(gathered(mine)) for rank, mine in by_rank.items()}
    ranked = any(by_rank)
    own = (*OWN_COLUMNS, "rank") if ranked else OWN_COLUMNS
    names = dict.fromkeys(name for mine in by_rank.values() for b in mine for name in b.names)
    header = column_names(list(names), own)
    places = {column: i for i, column in enumerate(dict.fromkeys(header.values()))}
    columns = {name: places[column] for name, column in header.items()}
    with replacing(path) as file:
        file.write(header_bytes(list(places), own))
        for rank in sorted(by_rank):
            for arrays in wide_columns(by_rank[rank], columns, len(places)):
                if ranked:
                    arrays.insert(2, np.full(len(arrays[0]), rank))
                file.write(csv_bytes(arrays))
    return Path(path)


def _newest_part(folder: Path, stem: str) -> int:
    if not folder.is_dir():
        return 0
    pattern = re.compile(re.escape(stem) + r"(?:\.(\d+))?\.csv")
    found = [pattern.fullmatch(path.name) for path in folder.iterdir()]
    return max((int(match[1] or 1) for match in found if match), default=0)
