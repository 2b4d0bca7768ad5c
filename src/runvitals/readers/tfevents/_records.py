"""TFRecord framing: where the records of an event file lie, found in bulk and without trust.

A record is its length (8 bytes), the masked CRC32C of the length (4), the content, the masked CRC32C
of the content (4). Every place of a window that could be the head of an event is found with a few
NumPy comparisons; heads whose checksum is right and that follow one another need no further look.
What stands between them is stepped over one by one.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from runvitals.model import IntArray
from runvitals.readers.raw.source import DAMAGED, MAX_EXPANDED, open_binary
from runvitals.tfevents.framing import FOOT, HEAD, head_length, masked_crc, unmasked

WINDOW = 8 * 2**20
_SMALL = 2**16  # a window of a small file
PAD = 64  # bytes after a window that may be read, whatever they hold
MAX_BYTES = 64 * 2**20  # longer records hold no numbers; they are passed over unread

_BLOCK = 2**19
_TIME_KEY = 9  # the first byte of every usual event

Bytes = NDArray[np.uint8]


class ByteChecksums:
    """What one byte of a content does to its CRC32C: row `d` for the byte `d` places before the last.

    The CRC is linear, so that of a content which differs from a known one in a few bytes is found by
    a few look-ups.
    """

    DEEPEST = 4096

    def __init__(self) -> None:
        zero = google_crc32c.value(b"\0")
        first = [google_crc32c.value(bytes([byte])) ^ zero for byte in range(256)]
        self._rows = np.array([first], np.uint32)

    def rows(self, depth: int) -> NDArray[np.uint32]:
        """The table for contents of at most this length."""
        known = len(self._rows)
        if depth > known:
            more = np.empty((min(self.DEEPEST, max(depth, 2 * known)), 256), np.uint32)
            more[:known] = self._rows
            for place in range(known, len(more)):
                before = more[place - 1]
                more[place] = before >> np.uint32(8) ^ more[0][before & np.uint32(255)]
            self._rows = more
        return self._rows


BYTE_CHECKSUMS = ByteChecksums()
# the same for the bytes of a length of less than 2**32, the lowest first
_TABLES = BYTE_CHECKSUMS.rows(8)[7:3:-1].copy()
_TABLES[0] ^= np.uint32(google_crc32c.value(bytes(8)))


@dataclass(frozen=True, slots=True)
class RecordWindow:
    """Part of a file: `data[starts[i] : starts[i] + lengths[i]]` is the content of a record.

    `base` is where the data lie in the file. `PAD` more bytes than needed can be read.
    """

    data: Bytes
    starts: IntArray
    lengths: IntArray
    base: int

    def content(self, start: int, length: int) -> bytes:
        """The content of one record."""
        return self.data[start : start + length].tobytes()

    def sound(self, start: int, length: int) -> bool:
        """True if the content of a record has the checksum that is stored with it."""
        stored = int.from_bytes(
            self.data[start + length : start + length + FOOT].tobytes(), "little"
        )
        return masked_crc(self.content(start, length)) == stored

    def checksums(self, ends: IntArray) -> NDArray[np.uint32]:
        """Plain CRC32C as stored at these ends of contents."""
        data = self.data
        return unmasked(np.ndarray((len(data) - 3,), "<u4", buffer=data.data, strides=(1,))[ends])


@dataclass
class RecordStream:
    """The records of one file from `offset` on, window by window; nothing of it is ever raised.

    After `windows()` has run out, `offset` is where a later reading goes on, `partial` how many
    bytes of a record that is still being written lie behind it, and `lost` how many bytes in
    how many places (`breaks`) belonged to no sound record.
    """

    path: Path
    offset: int = 0
    partial: int = 0
    lost: int = 0
    breaks: int = 0
    first_break: int | None = None
    problem: str = ""
    records: int = 0
    plain: bool = True  # not compressed
    _last_end: int = field(default=-1, repr=False)

    def windows(self) -> Iterator[RecordWindow]:
        """Everything from `offset` to the end of the file."""
        try:
            with open_binary(self.path) as file:
                self.plain = isinstance(file, io.BufferedReader)
                if self.offset:
                    file.seek(self.offset)
                yield from self._windows(file)
        except DAMAGED as error:
            self.problem = f"{error}" or type(error).__name__

    def _windows(self, file: BinaryIO) -> Iterator[RecordWindow]:
        size = _size(file)
        room = WINDOW if size is None else min(WINDOW, max(_SMALL, size - self.offset + 1))
        buffer = np.zeros(room + PAD, np.uint8)
        filled, limit = 0, self.offset + MAX_EXPANDED
        while True:
            filled, ended = self._fill(file, buffer, filled)
            framing = _Framing(buffer, filled)
            base = self.offset
            starts, stop = self._frame(framing, ended)
            lengths = framing.words[starts - HEAD].astype(np.int64)
            self.offset = base + stop
            self.partial = filled - stop
            self.records += len(starts)
            if len(starts):
                yield RecordWindow(buffer, starts, lengths, base)
            if ended:
                return
            if self.offset > limit:
                self.problem = f"larger than {MAX_EXPANDED >> 30} GiB; the rest was not read"
                return
            rest = filled - stop
            if stop == 0 and (needed := int(framing.words[0]) + HEAD + FOOT) > len(buffer) - PAD:
                if needed <= MAX_BYTES:
                    grown = np.zeros(needed + PAD, np.uint8)
                    grown[:rest] = buffer[:rest]
                    buffer = grown
                elif (size := _size(file)) is not None and base + needed <= size:
                    self.offset = file.seek(base + needed)
                    rest = 0
                else:  # no such record: search behind its head
                    self._note_break(base, HEAD)
                    self.offset = base + HEAD
                    rest = filled - HEAD
                    buffer[:rest] = buffer[HEAD:filled].copy()
            else:
                tail = buffer[stop:filled].copy()
                if len(buffer) > WINDOW + PAD and rest < WINDOW:
                    buffer = np.zeros(WINDOW + PAD, np.uint8)
                buffer[:rest] = tail
            filled = rest

    def _fill(self, file: BinaryIO, buffer: Bytes, filled: int) -> tuple[int, bool]:
        view = buffer.data[: len(buffer) - PAD]
        while filled < len(view):
            room = view[filled:]
            try:
                if isinstance(file, io.BufferedReader):
                    count = file.readinto(room)
                else:  # what a damaged one still gives comes in small pieces, the error after it
                    piece = getattr(file, "read1", file.read)(min(len(room), 2**16))
                    count = len(piece)
                    room[:count] = piece
            except DAMAGED as error:
                self.problem = f"{error}" or type(error).__name__
                return filled, True
            if not count:
                return filled, True
            filled += count
        return filled, False

    def _frame(self, framing: _Framing, ended: bool) -> tuple[IntArray, int]:
        """Content starts of the records in a window, and where the first unfinished one begins."""
        found: list[IntArray] = []
        at = 0
        while True:
            run, at = framing.run(at)
            if run is not None:
                found.append(run)
            length = framing.length(at)
            if length is None:
                if framing.filled - at < HEAD:
                    break
                after = framing.next_head(at + 1)
                if after is None and not ended:  # a head may begin in the last bytes
                    after = max(at + 1, framing.filled - HEAD + 1)
                elif after is None:
                    after = framing.filled
                self._note_break(self.offset + at, after - at)
                at = after
            elif at + HEAD + length + FOOT <= framing.filled:
                run, at = framing.walk(at, length)
                found.append(run)
            else:
                after = framing.next_head(at + 1) if ended else None
                if ended and length > MAX_BYTES:  # nobody is writing such a record: damaged
                    after = framing.filled if after is None else after
                elif after is None or framing.run(after)[0] is None:
                    break
                self._note_break(self.offset + at, after - at)
                at = after
        starts = np.concatenate(found) if found else np.empty(0, np.int64)
        return starts, at

    def _note_break(self, at: int, count: int) -> None:
        if self.first_break is None:
            self.first_break = at
        if not (self.breaks and at == self._last_end):
            self.breaks += 1
        self._last_end = at + count
        self.lost += count


class _Framing:
    """All likely heads of a window, and the runs in which each leads to the next."""

    def __init__(self, buffer: Bytes, filled: int) -> None:
        self.buffer, self.filled = buffer, filled
        count = len(buffer) - 7
        self.words = np.ndarray((count,), "<u8", buffer=buffer.data, strides=(1,))
        heads, lengths = self._heads()
        self._heads_at = heads
        self._after = heads + lengths + (HEAD + FOOT)
        linked = self._after[:-1] == heads[1:]
        self._run_ends = np.flatnonzero(np.append(~linked, True)[: len(heads)])

    def _heads(self) -> tuple[IntArray, IntArray]:
        data = self.buffer
        found = []
        for low in range(0, self.filled - HEAD, _BLOCK):
            high = min(low + _BLOCK, self.filled - HEAD)
            likely = data[low + HEAD : high + HEAD] == _TIME_KEY
            likely &= data[low + 7 : high + 7] == 0
            likely &= data[low + 5 : high + 5] == 0
            found.append(np.flatnonzero(likely) + low)
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        at = np.concatenate(found)
        lengths = self.words[at]
        small = lengths < 2**32
        if not small.all():
            at, lengths = at[small], lengths[small]
        crc = _TABLES[0][lengths & 255]
        for place in (1, 2, 3):
            part = lengths >> np.uint64(8 * place)
            if not part.any():
                break
            crc ^= _TABLES[place][part & 255]
        crc = (crc >> np.uint32(15) | crc << np.uint32(17)) + np.uint32(0xA282EAD8)
        crcs = np.ndarray((len(data) - 11,), "<u4", buffer=data.data, offset=8, strides=(1,))
        sound = crcs[at] == crc
        if not sound.all():
            at, lengths = at[sound], lengths[sound]
        return at, lengths.astype(np.int64)

    def run(self, at: int) -> tuple[IntArray | None, int]:
        """Content starts of the whole records from `at` on, as far as they follow one another."""
        heads = self._heads_at
        first = int(np.searchsorted(heads, at))
        if first == len(heads) or heads[first] != at:
            return None, at
        last = int(self._run_ends[np.searchsorted(self._run_ends, first)])
        if self._after[last] > self.filled:
            last -= 1
            if last < first:
                return None, at
        return heads[first : last + 1] + HEAD, int(self._after[last])

    def walk(self, at: int, length: int) -> tuple[IntArray, int]:
        """The same for records that do not look like events, step by step."""
        found = []
        data, filled = self.buffer.data, self.filled
        while True:
            found.append(at + HEAD)
            at += HEAD + length + FOOT
            if at + HEAD + 1 > filled or data[at + HEAD] == _TIME_KEY:
                break
            sound = head_length(data, at)
            if sound is None or at + HEAD + sound + FOOT > filled:
                break
            length = sound
        return np.array(found, np.int64), at

    def length(self, at: int) -> int | None:
        """The length in the head at a place, None when no sound head stands there."""
        if self.filled - at < HEAD:
            return None
        return head_length(self.buffer.data, at)

    def next_head(self, at: int) -> int | None:
        """The first place from `at` on where a likely head stands."""
        index = int(np.searchsorted(self._heads_at, at))
        return int(self._heads_at[index]) if index < len(self._heads_at) else None


def _size(file: BinaryIO) -> int | None:
    """The size of a plain file; None when it is decompressed on the fly."""
    return os.fstat(file.fileno()).st_size if isinstance(file, io.BufferedReader) else None


def read_record(file: BinaryIO, offset: int) -> bytes | None:
    """The content of the record whose head is at an offset; None when it is not there (any more)."""
    file.seek(offset)
    head = file.read(HEAD)
    if len(head) < HEAD:
        return None
    length = head_length(head)
    if length is None or length > MAX_BYTES:
        return None
    content = file.read(length)
    return content if len(content) == length else None
