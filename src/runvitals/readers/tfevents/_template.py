"""Events of one shape: a template that says where their numbers lie, and the columns read by it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from runvitals.model import FloatArray, IntArray
from runvitals.readers.tfevents._records import BYTE_CHECKSUMS, ByteChecksums
from runvitals.tfevents.decode import SIZES, Layout

_MAX_LOOKUPS = 64  # bytes that differ: with more, a checksum of the whole record is quicker
Words = NDArray[np.uint64]


class Growing:
    """An array that grows at its end without being copied as a whole."""

    __slots__ = ("array", "count")

    def __init__(self, kind: Any) -> None:
        self.array: NDArray[Any] = np.empty(0, kind)
        self.count = 0

    def append(self, values: NDArray[Any]) -> None:
        """Take in values of the same kind."""
        needed = self.count + len(values)
        if needed > len(self.array):
            if not self.count:
                self.array = np.array(values, self.array.dtype)
                self.count = needed
                return
            # realloc moves large arrays by their pages
            self.array.resize(max(needed, self.count + self.count // 4), refcheck=False)
        self.array[self.count : needed] = values
        self.count = needed

    def widen(self, kind: Any) -> None:
        """Make room for larger numbers."""
        self.array = self.array[: self.count].astype(kind)

    def take(self, kind: Any) -> NDArray[Any]:
        """What was gathered, and no more; the array is given away."""
        array, self.array = self.array, np.empty(0, self.array.dtype)
        if array.dtype != kind:
            array = array[: self.count].astype(kind)
        elif len(array) != self.count:
            array.resize(self.count, refcheck=False)
        self.count = 0
        return array


class Columns:
    """The points of events that hold the same tags."""

    __slots__ = ("first", "steps", "times", "values")

    def __init__(self, width: int, exact: bool, first: int) -> None:
        self.first = first
        # half the memory; widened for the few runs that count beyond 2**31
        self.steps = Growing(np.int32)
        self.times = Growing(np.float64)
        self.values = [Growing(np.float64 if exact else np.float32) for _ in range(width)]

    def append(self, part: EventPoints) -> None:
        """Take in the points of a window."""
        if self.steps.array.dtype == np.int32 and len(part.steps):
            low, high = int(part.steps.min()), int(part.steps.max())
            if low < -(2**31) or high >= 2**31:
                self.steps.widen(np.int64)
        self.steps.append(part.steps)
        self.times.append(part.times)
        for column, values in zip(self.values, part.values, strict=True):
            column.append(values)


@dataclass(slots=True)
class EventPoints:
    at: IntArray
    steps: IntArray
    times: FloatArray
    values: list[NDArray[Any]]

    def cut(self, low: int, high: int) -> EventPoints:
        return EventPoints(
            self.at[low:high],
            self.steps[low:high],
            self.times[low:high],
            [column[low:high] for column in self.values],
        )


@dataclass(slots=True)
class Singles:
    """Points of events parsed one by one."""

    at: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)


class EventTemplate:
    """One event: which of its bits equal events share, and where its numbers lie."""

    def __init__(self, data: bytes, found: Layout, width: int) -> None:
        mask = np.zeros(width, np.uint8)
        mask[: len(data)] = 255
        if found.time_at >= 0:
            mask[found.time_at : found.time_at + 8] = 0
        mask[found.step_at : found.step_at + found.step_width] = 0x80  # its width stays
        for scalar in found.scalars:
            mask[scalar.at : scalar.at + SIZES[scalar.kind]] = 0
        for other in found.others:
            mask[other.start : other.stop] = 0
        self.layout = found
        self.mask = mask.view("<u8")
        shape = mask.copy()
        for start, stop in found.tags:
            shape[start:stop] = 0
        self.shape = shape.view("<u8")
        self.words = np.frombuffer(data.ljust(width, b"\0"), "<u8")
        self.lazy = any(other.kind != "skip" for other in found.others)
        self.length = len(data)
        self._data = data
        self._changing = np.flatnonzero(mask[: len(data)] != 255).tolist()

    def checksums(self, block: Words) -> NDArray[np.uint32]:
        """CRC32C of events that agree with this one."""
        length = self.length
        if length > ByteChecksums.DEEPEST or len(self._changing) > _MAX_LOOKUPS:
            value, raw = google_crc32c.value, block.tobytes()
            places = range(0, len(raw), block.strides[0])
            sums = (value(raw[place : place + length]) for place in places)
            return np.fromiter(sums, np.uint32, len(block))
        # A CRC is linear: that of another record is the template's, XORed with one table entry for
        # each byte that differs. A few lookups over all records at once, instead of a call for each.
        crcs = np.full(len(block), google_crc32c.value(self._data), np.uint32)
        rows = BYTE_CHECKSUMS.rows(length)
        columns = block.view(np.uint8)
        for place in self._changing:
            crcs ^= rows[length - 1 - place][columns[:, place] ^ np.uint8(self._data[place])]
        return crcs

    def differs(self, block: Words) -> Words:
        """Which bits of each event should be as in this one, and are not."""
        return (block ^ self.words) & self.mask

    def same_shape(self, block: Words) -> NDArray[np.bool_]:
        """Which events agree with this one but for the letters of their tags."""
        same = np.ones(len(block), np.bool_)
        for column in np.flatnonzero(self.shape).tolist():
            same &= (block[:, column] ^ self.words[column]) & self.shape[column] == 0
        return same

    def columns(self, block: Words, at: IntArray) -> EventPoints:
        """Steps, times and values of events that agree with this one."""
        found = self.layout
        rows, stride = len(block), block.strides[0]
        steps = np.zeros(rows, np.uint64)
        raw = block.view(np.uint8)
        for place in range(min(found.step_width, 10)):
            group = raw[:, found.step_at + place].astype(np.uint64) & np.uint64(0x7F)
            steps |= group << np.uint64(7 * place)
        if found.time_at >= 0:
            times = _strided(block, "<f8", found.time_at, rows, stride)
        else:
            times = np.full(rows, np.nan)
        values = [_strided(block, scalar.kind, scalar.at, rows, stride) for scalar in found.scalars]
        return EventPoints(at, steps.view(np.int64), times, values)


def _strided(block: Words, kind: str, at: int, rows: int, stride: int) -> NDArray[Any]:
    if kind == "bf16":
        halves = np.ndarray((rows,), "<u2", buffer=block.data, offset=at, strides=(stride,))
        return (halves.astype(np.uint32) << np.uint32(16)).view(np.float32)
    # a copy, so that the records themselves need not be kept until the end of the window
    return np.ndarray((rows,), kind, buffer=block.data, offset=at, strides=(stride,)).copy()
