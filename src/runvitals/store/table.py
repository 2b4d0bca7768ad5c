"""A compacted segment whose columns are read one by one: opening it reads steps and times alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from runvitals.model import FloatArray, IntArray, RowBlock
from runvitals.store.checksums import Sums
from runvitals.store.compact import DAMAGED, Complain, fill, read_blocks, read_rest
from runvitals.store.copied import parquet_source, pointer
from runvitals.store.layout import Segment, TableFiles
from runvitals.store.table_layout import Keyset, TableLayout, column_name, layout_of

Clock = tuple[IntArray, FloatArray]  # steps, Unix seconds
LARGE = 4_000_000  # points from which on a table is not read at once


class ClockedRows:
    """Rows whose steps and times are in memory; their values may still lie in a file."""

    def __init__(self, names: tuple[str, ...], rank: int, clock: Clock) -> None:
        self.names, self.rank, self._clock = names, rank, clock

    def __len__(self) -> int:
        return len(self._clock[0])

    @property
    def in_order(self) -> bool:
        """True if steps never decrease."""
        steps = self._clock[0]
        return bool((steps[1:] >= steps[:-1]).all())

    def clock(self) -> Clock:
        """Steps and times of all rows."""
        return self._clock


class TableRows(ClockedRows):
    """The rows of one keyset in a table that stays open."""

    def __init__(self, file: TableFile, keyset: Keyset, rank: int) -> None:
        self._file, self._groups = file, keyset.groups
        self._ends = keyset.ends(file.parquet.metadata)
        steps: IntArray = np.empty(int(self._ends[-1]), np.int64)
        times: FloatArray = np.empty(len(steps))
        file.read("step", self._groups, steps)
        file.read("time", self._groups, times)
        super().__init__(keyset.names, rank, (steps, times))

    def values(self, name: str, first: int = 0, stop: int | None = None) -> FloatArray:
        """Values of one name; only the row groups that hold them are read."""
        stop = len(self) if stop is None else min(stop, len(self))
        if first >= stop:
            return np.empty(0)
        low = int(np.searchsorted(self._ends, first, side="right"))
        high = int(np.searchsorted(self._ends, stop, side="left")) + 1
        begin = int(self._ends[low - 1]) if low else 0
        found = np.full(int(self._ends[high - 1]) - begin, np.nan)
        self._file.try_to_read(column_name(name), self._groups[low:high], found)
        return found[first - begin : stop - begin]


class TableFile:
    """A Parquet file that one thread at a time reads from."""

    def __init__(self, path: Path, sums: Sums | None, complain: Complain) -> None:
        self.parquet = pq.ParquetFile(parquet_source(path), page_checksum_verification=True)
        self._path, self._sums, self._complain = path, sums, complain
        schema = self.parquet.metadata.schema
        self._places = {schema.column(i).path: i for i in range(len(schema))}
        self._lock = threading.Lock()

    def read(self, column: str, groups: Sequence[int], target: IntArray | FloatArray) -> None:
        """Fill an array with a column of some row groups."""
        with self._lock:
            self._compare(column, groups)
            table = self.parquet.read_row_groups(list(groups), columns=[column], use_threads=False)
        fill(target, table.column(0))

    def _compare(self, column: str, groups: Sequence[int]) -> None:
        """Tell of wrong sums where a column lies; whether it can be read is for its pages to say.

        Only with a footer that is known to be right: pyarrow ends the process when it is asked where
        a column lies and the footer is damaged.
        """
        if self._sums is None:
            return
        for group in groups:
            chunk = self.parquet.metadata.row_group(group).column(self._places[column])
            start = min(
                chunk.dictionary_page_offset or chunk.data_page_offset, chunk.data_page_offset
            )
            wrong = self._sums.wrong(start, start + chunk.total_compressed_size)
            if wrong is not None:
                self._complain(f"{self._path.name} is damaged: {wrong}")

    def try_to_read(self, column: str, groups: Sequence[int], target: FloatArray) -> None:
        """Like `read`, but warns about a column that cannot be read and leaves the array as it is."""
        try:
            self.read(column, groups, target)
        except DAMAGED as error:
            self._complain(f"{self._path.name}: {column} is damaged and was skipped: {error}")


class OpenTable(NamedTuple):
    """A table that was opened but not read, and how its columns lie in it."""

    file: TableFile
    layout: TableLayout
    stays: bool  # too large, or too far away, to be read at once


def open_file(run_folder: Path, files: TableFiles, complain: Complain) -> OpenTable:
    """Open a table; what its checksums show to be wrong at once is complained about."""
    table, rest = files.table(run_folder), files.rest(run_folder)
    away = pointer(table) is not None  # then its pages' own checksums have to do
    written = files.sums(run_folder).with_suffix(".none") if away else files.sums(run_folder)
    sums = {path: Sums(written, path) for path in (table, rest) if path.exists()}
    sound = set()
    for path, mine in sums.items():
        if (wrong := mine.wrong_at_once()) is not None:
            complain(f"{path.name} is damaged: {wrong}")
        elif mine.can_tell:
            sound.add(path)
    file = TableFile(table, sums[table] if table in sound else None, complain)
    metadata = file.parquet.metadata
    layout = layout_of(table, metadata)
    points = sum(len(one.names) * one.ends(metadata)[-1] for one in layout.keysets)
    return OpenTable(file, layout, away or points >= LARGE)


def open_table(
    run_folder: Path, segment: Segment, complain: Complain
) -> Iterator[RowBlock | TableRows]:
    """All of a compacted segment: a small one as blocks, of a large one the rows that stay in it."""
    table = open_file(run_folder, segment, complain)
    rows = [TableRows(table.file, one, segment.rank) for one in table.layout.keysets if table.stays]
    if not rows or not all(one.in_order for one in rows):
        yield from read_blocks(run_folder, segment, complain, table.file.parquet, table.layout)
        return
    yield from rows
    if table.layout.has_rest:
        yield from read_rest(run_folder, segment)
