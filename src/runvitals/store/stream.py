"""The live format: an Arrow IPC stream with one row per `log()` call.

Columns: `keyset` (which names this row holds), `step`, `time`, `values` (a list, one number per
name), `names` (filled only in the first row of a keyset). Any Arrow library opens it. Arrow streams
carry no checksum, so each record batch has the CRC-32 of its columns as custom metadata.
"""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from runvitals.model import FloatArray, IntArray, RowBlock

FORMAT = "runvitals-points/1"
_INTRODUCE_EVERY = 64  # batches; names stand again, so one damaged record cannot orphan the rest
# A record holds at most what waited in the buffer, and its rows take no more than half of this
# (`recorder/buffer.py`). So many bytes without a whole record are damage: zeros, or a hole in a file.
MAX_RECORD_LENGTH = 128 * 2**20
_MAX_TRIES = 1_000_000  # places to look for a record behind damaged bytes
_PIECE = 8 * 2**20  # bytes of a stream whose rows are counted at once
_MARK = b"\xff\xff\xff\xff"  # every encapsulated Arrow message starts with it, 8-byte aligned


def schema(facts: Mapping[str, str]) -> pa.Schema:
    """The schema of a stream; `facts` (rank, segment, ...) travel as its metadata."""
    return pa.schema(
        [
            ("keyset", pa.int32()),
            ("step", pa.int64()),
            ("time", pa.float64()),
            ("values", pa.list_(pa.float64())),
            ("names", pa.list_(pa.string())),
        ],
        metadata={"format": FORMAT, **facts},
    )


class StreamEncoder:
    """Turns row blocks into the bytes to append; the first ones carry the schema."""

    def __init__(self, facts: Mapping[str, str]) -> None:
        self._schema = schema(facts)
        self._keysets: dict[tuple[str, ...], int] = {}
        self._introduced: set[int] = set()
        self._batches = 0
        self._output = _Chunks()
        options = pa.ipc.IpcWriteOptions(use_threads=False)  # threads do not survive a fork
        output = pa.PythonFile(self._output, mode="w")
        self._writer = pa.ipc.new_stream(output, self._schema, options=options)

    def encode(self, blocks: Sequence[RowBlock]) -> bytes:
        """One record batch with all rows of all blocks."""
        # At every power of two as well: a short run, which never gets to 64 batches, has its names more
        # than once too.
        if self._batches % _INTRODUCE_EVERY == 0 or self._batches.bit_count() == 1:
            self._introduced.clear()
        self._batches += 1
        rows = sum(len(block) for block in blocks)
        keysets = np.empty(rows, np.int32)
        steps = np.empty(rows, np.int64)
        times = np.empty(rows, np.float64)
        lengths = np.zeros(rows + 1, np.int32)
        new_names: list[tuple[int, tuple[str, ...]]] = []
        at = 0
        for block in blocks:
            keyset = self._keysets.setdefault(block.names, len(self._keysets))
            if keyset not in self._introduced:
                self._introduced.add(keyset)
                new_names.append((at, block.names))
            here = slice(at, at + len(block))
            keysets[here], steps[here], times[here] = keyset, block.steps, block.times
            lengths[at + 1 : at + 1 + len(block)] = len(block.names)
            at += len(block)
        values = np.concatenate([block.values.ravel() for block in blocks])
        offsets = np.cumsum(lengths, dtype=np.int32)
        batch = pa.record_batch(
            [
                arrow(keysets),
                arrow(steps),
                arrow(times),
                pa.ListArray.from_arrays(arrow(offsets), arrow(values)),
                _names_column(rows, new_names),
            ],
            schema=self._schema,
        )
        self._writer.write_batch(batch, custom_metadata={"crc": str(_checksum(batch))})
        return self._output.take()

    def introduce_again(self) -> None:
        """The last bytes did not reach the disk: send all names once more."""
        self._introduced.clear()


def arrow(values: NDArray[Any]) -> pa.Array:
    """A NumPy array as Arrow, without a copy (and without `pa.array`, which imports pandas)."""
    values = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def arrow_strings(texts: Sequence[str]) -> pa.Array:
    """Strings as Arrow, likewise."""
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def _names_column(rows: int, new_names: Sequence[tuple[int, tuple[str, ...]]]) -> pa.Array:
    kind = pa.list_(pa.string())
    if not new_names:
        return pa.nulls(rows, kind)
    lengths = np.zeros(rows + 1, np.int32)
    valid = np.zeros(rows, np.bool_)
    for index, names in new_names:
        lengths[index + 1] = len(names)
        valid[index] = True
    bitmap = np.packbits(valid, bitorder="little")
    buffers = [pa.py_buffer(bitmap), pa.py_buffer(np.cumsum(lengths, dtype=np.int32))]
    texts = arrow_strings([name for _, names in new_names for name in names])
    return pa.Array.from_buffers(kind, rows, buffers, children=[texts])


def numpy(array: pa.Array) -> NDArray[Any]:
    """The numbers of an Arrow array without nulls, without a copy (and without pandas)."""
    kind = array.type.to_pandas_dtype()
    return np.frombuffer(array.buffers()[1], kind, len(array) + array.offset)[array.offset :]


def _lists(array: pa.Array) -> tuple[FloatArray, NDArray[np.int32]]:
    """Flat values of a list column and the offsets into them."""
    return numpy(array.values), numpy(array.offsets)


def _checksum(batch: pa.RecordBatch) -> int:
    # Of the columns, not of the record's bytes: the sum itself travels in the record. Lengths instead
    # of offsets, which need not start at 0.
    values, offsets = _lists(batch.column("values"))
    crc = 0
    for column in (*map(numpy, batch.columns[:3]), values, np.diff(offsets)):
        crc = zlib.crc32(column.data, crc)
    return zlib.crc32(repr(_introduced(batch)).encode(), crc)


def _introduced(batch: pa.RecordBatch) -> list[tuple[int, tuple[str, ...]]]:
    """Which rows say names, and which."""
    column = batch.column("names")
    if column.null_count == len(column):
        return []
    texts, offsets = column.values.to_pylist(), numpy(column.offsets).tolist()
    rows = np.flatnonzero(np.diff(offsets)).tolist()
    return [(row, tuple(texts[offsets[row] : offsets[row + 1]])) for row in rows]


class _Chunks:
    """A file object that hands over what was written to it."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def take(self) -> bytes:
        data = b"".join(self._parts)
        self._parts.clear()
        return data

    def flush(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes that could not be read: `tail` when the file simply ends inside a record."""

    offset: int
    length: int
    tail: bool

    def __str__(self) -> str:
        what = "an unfinished record at the end" if self.tail else "damaged bytes"
        return f"{what}: {self.length} bytes at offset {self.offset} were skipped"


_Nameless = tuple[IntArray, FloatArray, FloatArray]  # rows whose names were not met yet


class StreamDecoder:
    """Reads a stream piece by piece: `feed` it the bytes that were appended since."""

    def __init__(self, rank: int = 0) -> None:
        self.rank = rank
        self.facts: dict[str, str] = {}
        self.offset = 0  # in the file, of the first byte that was not consumed
        self._header = b""
        self._names: dict[int, tuple[str, ...]] = {}
        self._orphans: dict[int, list[_Nameless]] = {}

    def feed(self, data: bytes, *, final: bool) -> tuple[list[RowBlock], list[Damage]]:
        """Decode whole records; `final` says that nothing will be appended any more.

        Only then is an unfinished tail reported; before that it may still be written.
        """
        blocks: list[RowBlock] = []
        damage: list[Damage] = []
        at = 0
        if not self._header:
            at = self._read_header(data)
            if not at and not self._can_do_without_header(data):
                return blocks, [Damage(self.offset, len(data), True)] if final and data else []
        while at < len(data):
            record, size = self._read_batch(data, at)
            if record is not None:
                blocks.extend(self._blocks(record))
                at += size
                continue
            resume = self._next_good(data, at)
            if resume is None:
                break
            damage.append(Damage(self.offset + at, resume - at, False))
            at = resume
        self.offset += at
        if final and at < len(data):
            damage.append(Damage(self.offset, len(data) - at, True))
        return blocks, damage

    def skip(self, count: int) -> Damage:
        """Skip bytes that hold no record, so that no file can fill the memory."""
        given_up = Damage(self.offset, count, False)
        self.offset += count
        return given_up

    def _read_header(self, data: bytes) -> int:
        source = pa.BufferReader(data)
        try:
            found = pa.ipc.open_stream(source).schema
        except (pa.ArrowException, OSError, ValueError):
            return 0
        size = int(source.tell())
        # Flipped bits can make a header that parses and claims too few or too many bytes. What
        # follows it must be a record, the beginning of its mark, or nothing.
        ends_well = _MARK.startswith(data[size : size + 4])
        if not ends_well or not found.equals(schema({})):  # which does not look at the metadata
            return 0
        self._header = data[:size]
        metadata = found.metadata or {}
        self.facts = {
            k.decode("utf-8", "replace"): v.decode("utf-8", "replace") for k, v in metadata.items()
        }
        return size

    def _can_do_without_header(self, data: bytes) -> bool:
        """The header is damaged when a whole record follows; every stream has the same one."""
        self._header = schema({}).serialize().to_pybytes()
        if self._next_good(data, 0) is None:
            self._header = b""
        return bool(self._header)

    def _read_batch(self, data: bytes, at: int) -> tuple[pa.RecordBatch | None, int]:
        """The record at this place and its size, or None when it is torn or damaged."""
        if data[at : at + 4] != _MARK:
            return None, 0
        size = _message_size(data, at)
        if size is None or at + size > len(data):
            return None, 0
        source = pa.BufferReader(self._header + data[at : at + size])
        try:
            batch, metadata = pa.ipc.open_stream(source).read_next_batch_with_custom_metadata()
            batch.validate(full=True)
            if metadata is None or int(metadata["crc"]) != _checksum(batch):
                return None, 0
        except (pa.ArrowException, OSError, ValueError, KeyError, StopIteration, OverflowError):
            return None, 0
        return batch, size

    def _next_good(self, data: bytes, at: int) -> int | None:
        """Where the next whole record starts; records are 8-byte aligned in the file."""
        candidate = data.find(_MARK, at + 1)
        for _ in range(_MAX_TRIES):
            if candidate == -1:
                return None
            aligned = (self.offset + candidate) % 8 == 0
            if aligned and self._read_batch(data, candidate)[0] is not None:
                return candidate
            candidate = data.find(_MARK, candidate + 1)
        return None

    def _blocks(self, batch: pa.RecordBatch) -> Iterator[RowBlock]:
        keysets = numpy(batch.column("keyset"))
        for row, names in _introduced(batch):
            self._names[int(keysets[row])] = names
        steps, times = numpy(batch.column("step")), numpy(batch.column("time"))
        values, offsets = _lists(batch.column("values"))
        edges = np.flatnonzero(np.diff(keysets)) + 1
        for start, stop in zip([0, *edges], [*edges, len(keysets)], strict=True):
            if start == stop:
                continue
            part = values[offsets[start] : offsets[stop]].reshape(stop - start, -1)
            nameless = (steps[start:stop], times[start:stop], part)
            self._orphans.setdefault(int(keysets[start]), []).append(nameless)
        for keyset in [k for k in self._orphans if k in self._names]:
            known = self._names[keyset]
            for row_steps, row_times, part in self._orphans.pop(keyset):
                # else rows and names do not belong together: one of them came from a damaged file
                if part.shape[1] == len(known):
                    yield RowBlock(known, row_steps, row_times, part, self.rank)


def decoded(
    path: Path, decoder: StreamDecoder, *, final: bool, pieces: tuple[int, int]
) -> Iterator[tuple[list[RowBlock], list[Damage]]]:
    """What a stream has behind what its decoder consumed, in pieces, and what is damaged there.

    `pieces`: bytes that are read at once, at least and at most; the more, the longer a record is that
    is not whole yet. A hole or a rest that is too long to be within a record is skipped.
    """
    with open(path, "rb") as file:
        pending, hole, last = b"", 0, False
        while not last:
            at = decoder.offset + len(pending)
            hole = hole_at(file, at)
            if hole <= MAX_RECORD_LENGTH:
                hole = 0
                file.seek(at)
                wanted = min(pieces[1], max(pieces[0], len(pending)))
                piece = file.read(wanted)
                pending, last = pending + piece, len(piece) < wanted
            start = decoder.offset
            blocks, damage = decoder.feed(pending, final=final and last)
            pending = pending[decoder.offset - start :]
            if hole or len(pending) > MAX_RECORD_LENGTH:
                damage.append(decoder.skip(len(pending) + hole))
                pending = b""
            yield blocks, damage


def whole_records(data: bytes | memoryview) -> tuple[int, int]:
    """How many of these bytes, from the start on, are whole records, and how many rows these hold.

    A stream's header is a record too, without rows.
    """
    at = rows = 0
    view = memoryview(data)
    while data[at : at + 4] == _MARK:
        size = _message_size(data, at)
        if size is None or at + size > len(data):
            break
        rows += _rows_of(view[at : at + size])
        at += size
    return at, rows


def rows_between(path: Path, start: int, stop: int | None = None) -> int:
    """Rows of the whole records in a part of a stream that begins with one; 0 if the file is gone."""
    rows = 0
    try:
        with open(path, "rb") as file:
            file.seek(start)
            pending = b""
            while stop is None or start < stop:
                piece = file.read(_PIECE if stop is None else min(_PIECE, stop - start))
                start += len(piece)
                pending += piece
                size, found = whole_records(pending)
                rows += found
                pending = pending[size:]
                if not piece or len(pending) > MAX_RECORD_LENGTH:
                    break
    except FileNotFoundError:
        return rows
    return rows


def _rows_of(record: memoryview) -> int:
    try:
        message = pa.ipc.read_message(pa.BufferReader(record))
        if message.type != "record batch":
            return 0
        return int(pa.ipc.read_record_batch(message, schema({})).num_rows)
    except (pa.ArrowException, OSError, ValueError, EOFError):
        return 0  # damaged; who reads the points says so


def _message_size(data: bytes | memoryview, at: int) -> int | None:
    """Size of the encapsulated message from its own header, None when that is implausible."""
    metadata = int.from_bytes(data[at + 4 : at + 8], "little", signed=True)
    if not 0 < metadata <= len(data) - at - 8:
        return None
    try:
        message = pa.ipc.read_message(pa.BufferReader(memoryview(data)[at:]))
    except (pa.ArrowException, OSError, ValueError, EOFError):
        return None
    return 8 + metadata + (message.body.size if message.body is not None else 0)


def hole_at(file: BinaryIO, offset: int) -> int:
    """Number of bytes after `offset` that were never written (a hole); 0 if the system cannot tell.

    Moves the position in the file.
    """
    if not hasattr(os, "SEEK_DATA"):
        return 0
    try:
        return os.lseek(file.fileno(), offset, os.SEEK_DATA) - offset
    except OSError as error:
        if error.errno != errno.ENXIO:  # which says that no data follows
            return 0
        return max(0, os.fstat(file.fileno()).st_size - offset)
