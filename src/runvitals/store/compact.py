"""What `finish` does: the live stream becomes a Parquet file with one column a metric.

Rows of one keyset lie together in row groups, so a metric that was logged beside others costs no
step or time of its own. Names that came too rarely for a column go into a long table beside it. The
stream is removed only after the new file is complete.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from runvitals.model import DamagedError, FloatArray, IntArray, RowBlock
from runvitals.model.atomic import take_name
from runvitals.store.checksums import write_sums
from runvitals.store.copied import parquet_source
from runvitals.store.layout import Segment
from runvitals.store.stream import Damage, StreamDecoder, arrow, arrow_strings, decoded
from runvitals.store.table_layout import LAYOUT_KEY, TableLayout, column_name, layout_of

# What reading a damaged file can end with: ours, and what pyarrow and NumPy raise for numbers in it
# that make no sense.
DAMAGED = (
    DamagedError, pa.ArrowException, OSError, LookupError, TypeError, ValueError, OverflowError,
    MemoryError,
)  # fmt: skip
Complain = Callable[[str], None]
_WORTH_THREADS = 2**20  # values: fewer are read sooner than they are handed to other threads
_READ_BYTES = 16 * 2**20  # at once: a stream of any length is read in bounded memory
_GROUP_VALUES = 2**21  # values in a row group: 16 MiB before compression
# Each column costs a chunk with its metadata in every row group, whether it has values there or not:
# with too many columns or groups the footer outgrows the data (judgement; such names go into the long
# table).
_MANY_COLUMNS = 20_000
_MANY_KEYSETS = 64
_FEW_ROWS = 8


def compact(
    run_folder: Path, segment: Segment, rows: Mapping[tuple[str, ...], int] | None = None
) -> list[str]:
    """Turn the stream of a segment into Parquet; returns warnings about what could not be read.

    A damaged stream is kept under another name, since something in it may still be saved by hand. Who
    wrote the stream knows how many rows each set of names has; else it is read once more for that.
    """
    stream = segment.stream(run_folder)
    if not stream.exists() or segment.table(run_folder).exists():
        return []
    if rows is None:
        rows = _count_rows(stream, segment.rank)
    damage: list[Damage] = []
    paths = segment.table(run_folder), segment.rest(run_folder), segment.sums(run_folder)
    table = TableWriter(*paths, worth_columns(rows))
    try:
        for block in read_stream(stream, segment.rank, damage):
            table.add(block)
        table.finish()
    except BaseException:
        table.abort()
        raise
    # an unfinished record at the end is what any crash leaves, and holds nothing to save
    if any(not found.tail for found in damage):
        os.replace(stream, stream.with_suffix(".arrows.damaged"))
    else:
        stream.unlink()
    return [f"{stream.name}: {found}" for found in damage]


def _count_rows(stream: Path, rank: int) -> dict[tuple[str, ...], int]:
    """How many rows each set of names has: Parquet needs all columns before the first row, and a long
    run does not fit into memory."""
    rows: dict[tuple[str, ...], int] = {}
    for block in read_stream(stream, rank, []):
        rows[block.names] = rows.get(block.names, 0) + len(block)
    return rows


def read_stream(path: Path, rank: int, damage: list[Damage]) -> Iterator[RowBlock]:
    """All blocks of a finished stream, in pieces that do not fill the memory."""
    pieces = (_READ_BYTES, _READ_BYTES)
    for blocks, found in decoded(path, StreamDecoder(rank), final=True, pieces=pieces):
        damage.extend(found)
        yield from blocks


def worth_columns(rows: Mapping[tuple[str, ...], int]) -> list[tuple[str, ...]]:
    """Of all sets of names that were logged together, with their rows, those that get columns."""
    chosen: list[tuple[str, ...]] = []
    columns: set[str] = set()
    for names in sorted(rows, key=lambda names: -rows[names] * len(names)):
        if len(chosen) == _MANY_KEYSETS:
            break
        new = sum(name not in columns for name in names)
        if rows[names] >= _FEW_ROWS and len(columns) + new <= _MANY_COLUMNS:
            chosen.append(names)
            columns.update(names)
    return chosen


class TableWriter:
    """Writes `rank0.parquet` (and `rank0.rest.parquet`), under temporary names until complete.

    A table of many segments also says whose rows follow one another in each set of names.
    """

    def __init__(self, table: Path, rest: Path, sums: Path, keysets: list[tuple[str, ...]]) -> None:
        self._table_path, self._rest_path, self._sums_path = table, rest, sums
        names = list(dict.fromkeys(name for keyset in keysets for name in keyset))
        self._column = {name: column_name(name) for name in names}
        self._layout: list[dict[str, Any]] = [{"names": k, "groups": []} for k in keysets]
        self._owners: dict[tuple[str, ...], list[tuple[str, int]]] = {k: [] for k in keysets}
        self._rest_owners: list[str] = []
        self._buffers: dict[tuple[str, ...], list[RowBlock]] = {k: [] for k in keysets}
        self._index = {keyset: i for i, keyset in enumerate(keysets)}
        self._groups = 0
        self._waiting = dict.fromkeys(keysets, 0)  # values in each buffer
        self._rest: list[RowBlock] = []
        self._rest_waiting = 0
        self._rest_writer: Any = None
        self._schema = pa.schema(
            [("step", pa.int64()), ("time", pa.float64())]
            + [(column, pa.float64()) for column in self._column.values()]
        )
        self._writer = pq.ParquetWriter(
            _temporary(self._table_path),
            self._schema,
            # Metrics are noise in their low bits: dictionaries and statistics cost more than they save.
            # Splitting the bytes of the floats lets zstd find the exponents, which hardly vary.
            compression="zstd",
            compression_level=1,
            use_dictionary=False,
            write_statistics=False,
            write_page_checksum=True,
            store_schema=False,  # Arrow's own types: ours are plain numbers
            column_encoding={
                "step": "DELTA_BINARY_PACKED",
                **dict.fromkeys(["time", *self._column.values()], "BYTE_STREAM_SPLIT"),
            },
        )

    def add(self, block: RowBlock, owner: str = "") -> None:
        """Take in rows, which belong to the segment `owner` if there are several."""
        buffer = self._buffers.get(block.names)
        if buffer is None:
            self._rest.append(block)
            self._rest_owners.append(owner)
            self._rest_waiting += block.values.size
            if self._rest_waiting >= _GROUP_VALUES:
                self._write_rest()
            return
        buffer.append(block)
        self._owners[block.names].append((owner, len(block)))
        self._waiting[block.names] += block.values.size
        if self._waiting[block.names] >= _GROUP_VALUES:
            self._write_group(block.names)

    def _write_group(self, names: tuple[str, ...]) -> None:
        blocks = self._buffers[names]
        if not blocks:
            return
        steps = np.concatenate([b.steps for b in blocks])
        times = np.concatenate([b.times for b in blocks])
        columns = {name: i for i, name in enumerate(names)}
        values = np.ascontiguousarray(np.concatenate([b.values for b in blocks]).T)
        empty = pa.nulls(len(steps), pa.float64())
        arrays = [arrow(values[columns[n]]) if n in columns else empty for n in self._column]
        table = pa.Table.from_arrays([arrow(steps), arrow(times), *arrays], schema=self._schema)
        self._writer.write_table(table, row_group_size=len(steps))
        self._layout[self._index[names]]["groups"].append(self._groups)
        self._groups += 1
        self._waiting[names] = 0
        blocks.clear()

    def _write_rest(self) -> None:
        if not self._rest:
            return
        table = long_table(self._rest)
        if any(self._rest_owners):
            sizes = [block.values.size for block in self._rest]
            whose = [o for o, n in zip(self._rest_owners, sizes, strict=True) for _ in range(n)]
            table = table.append_column("segment", arrow_strings(whose))
        if self._rest_writer is None:
            path = _temporary(self._rest_path)
            self._rest_writer = pq.ParquetWriter(
                path, table.schema, compression="zstd", write_page_checksum=True, store_schema=False
            )
        self._rest_writer.write_table(table)
        self._rest.clear()
        self._rest_owners.clear()
        self._rest_waiting = 0

    def finish(self) -> None:
        """Complete the files; they appear at once, the table last."""
        for names in self._buffers:
            self._write_group(names)
        self._write_rest()
        for names, owners in self._owners.items():
            if any(owner for owner, _ in owners):
                self._layout[self._index[names]]["owners"] = owners
        layout = {"rest": self._rest_writer is not None, "keysets": self._layout}
        self._writer.add_key_value_metadata({LAYOUT_KEY: orjson.dumps(layout)})
        self._writer.close()
        paths = [self._table_path]
        if self._rest_writer is not None:
            self._rest_writer.close()
            paths.append(self._rest_path)
        write_sums(self._sums_path, [(path.name, _temporary(path)) for path in paths])
        for path in reversed(paths):
            # the table last: its presence says that all is there
            take_name(_temporary(path), path, durable=True)

    def abort(self) -> None:
        """Close and remove the unfinished files."""
        for writer in (self._writer, self._rest_writer):
            if writer is not None:
                try:
                    writer.close()
                except (OSError, pa.ArrowException):
                    continue  # the disk that refused the data may refuse the footer too
        for path in (self._table_path, self._rest_path):
            _temporary(path).unlink(missing_ok=True)
        self._sums_path.unlink(missing_ok=True)


def read_table(run_folder: Path, segment: Segment, complain: Complain) -> Iterator[RowBlock]:
    """All blocks of a compacted segment; what is damaged is told, and only that is left out."""
    path = segment.table(run_folder)
    file = pq.ParquetFile(parquet_source(path), memory_map=True, page_checksum_verification=True)
    yield from read_blocks(run_folder, segment, complain, file, layout_of(path, file.metadata))


def read_blocks(
    run_folder: Path, segment: Segment, complain: Complain, file: Any, layout: TableLayout
) -> Iterator[RowBlock]:
    """The same of a table that is open."""
    name = segment.table(run_folder).name
    for names, groups, _ in layout.keysets:
        try:
            yield _block(file, names, groups, segment.rank)
        except DAMAGED:
            for group in groups:
                yield from _whole_columns(file, names, group, segment.rank, name, complain)
    if layout.has_rest:
        yield from read_rest(run_folder, segment)


def _block(file: Any, names: tuple[str, ...], groups: Sequence[int], rank: int) -> RowBlock:
    columns = ["step", "time", *map(column_name, names)]
    rows = sum(file.metadata.row_group(group).num_rows for group in groups)
    threads = rows * len(columns) >= _WORTH_THREADS
    table = file.read_row_groups(list(groups), columns=columns, use_threads=threads)
    values = np.empty((len(names), table.num_rows))
    for i, name in enumerate(names):
        fill(values[i], table.column(column_name(name)))
    steps: IntArray = np.empty(table.num_rows, np.int64)
    times: FloatArray = np.empty(table.num_rows)
    fill(steps, table.column("step"))
    fill(times, table.column("time"))
    return RowBlock(names, steps, times, values.T, rank)


def _whole_columns(
    file: Any, names: tuple[str, ...], group: int, rank: int, path: str, complain: Complain
) -> Iterator[RowBlock]:
    """Of one row group the columns that are sound; without steps nothing is."""
    count = file.metadata.row_group(group).num_rows
    sound = []
    try:
        _block(file, (), [group], rank)
    except DAMAGED as error:
        complain(f"{path}: {count:,} rows are damaged and were skipped: {error}")
        return
    for name in names:
        try:
            _block(file, (name,), [group], rank)
            sound.append(name)
        except DAMAGED as error:
            complain(f"{path}: {count:,} points of {name} are damaged and were skipped: {error}")
    if sound:
        yield _block(file, tuple(sound), [group], rank)


def read_rest(run_folder: Path, segment: Segment) -> Iterator[RowBlock]:
    """The blocks of names that came too rarely for a column."""
    yield from rest_blocks(rest_table(segment.rest(run_folder)), segment.rank)


def rest_table(path: Path) -> pa.Table:
    """The table of points one by one in a file; `DamagedError` if it is not one."""
    try:
        rest = pq.read_table(parquet_source(path), memory_map=True, page_checksum_verification=True)
        rest.validate(full=True)
    except DAMAGED as error:
        raise DamagedError(path, str(error)) from error
    kinds = dict(zip(rest.schema.names, rest.schema.types, strict=True))
    kinds.pop("segment", None)
    if kinds != _REST_KINDS or any(column.null_count for column in rest.columns):
        raise DamagedError(path, "it does not hold names, steps, times and values")
    return rest


def rest_blocks(rest: pa.Table, rank: int) -> Iterator[RowBlock]:
    """The blocks in a table of points one by one."""
    texts = rest.column("name").to_pylist()
    steps, times = np.empty(len(texts), np.int64), np.empty(len(texts))
    flat = np.empty(len(texts))
    for array, column in ((steps, "step"), (times, "time"), (flat, "value")):
        fill(array, rest.column(column))
    rows_of: dict[str, list[int]] = {}
    for index in np.argsort(times, kind="stable").tolist():  # log order, across keysets
        rows_of.setdefault(texts[index], []).append(index)
    for name, rows in rows_of.items():
        yield RowBlock((name,), steps[rows], times[rows], flat[rows][:, None], rank)


def long_table(blocks: list[RowBlock]) -> pa.Table:
    """Points one by one: name, step, time, value."""
    texts = [name for block in blocks for name in block.names * len(block)]
    return pa.Table.from_arrays(
        [
            arrow_strings(texts),
            arrow(np.concatenate([np.repeat(b.steps, len(b.names)) for b in blocks])),
            arrow(np.concatenate([np.repeat(b.times, len(b.names)) for b in blocks])),
            arrow(np.concatenate([b.values.ravel() for b in blocks])),
        ],
        names=["name", "step", "time", "value"],
    )


_REST_KINDS = {"name": pa.string(), "step": pa.int64(), "time": pa.float64(), "value": pa.float64()}


def fill(target: Any, column: pa.ChunkedArray) -> None:
    """Copy a column of numbers without nulls into an array."""
    at = 0
    for chunk in column.chunks:
        data = np.frombuffer(chunk.buffers()[1], target.dtype, len(chunk) + chunk.offset)
        target[at : at + len(chunk)] = data[chunk.offset :]
        at += len(chunk)
    if at != len(target):
        raise ValueError(f"{at:,} values where {len(target):,} were expected")


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.tmp")
