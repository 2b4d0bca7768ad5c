"""Rows to TensorBoard records, whole blocks at a time.

All rows of a block have the same names, so their records differ only in time, step, values and
checksum. One record is laid out as a template; NumPy copies it n times and fills in what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from runvitals.exporters._merge import slices
from runvitals.model import FloatArray, IntArray, RowBlock
from runvitals.model.row import gathered
from runvitals.tfevents import encode
from runvitals.tfevents.framing import HEAD, masked, record_head

MAX_EVENT_BYTES = 64 * 1024  # wider rows are split over several events
MAX_CHUNK_BYTES = 1024 * 1024  # of rows encoded at a time: they fit into the cache
MAX_TEMPLATES = 128

_TIME = HEAD + 1
_STEP = _TIME + 9

Bytes = NDArray[np.uint8]


class Template:
    """One record for some tags, with steps of a fixed width in bytes."""

    def __init__(self, tags: list[str], first: int, step_width: int) -> None:
        self.columns = slice(first, first + len(tags))
        self.step_width = step_width
        summary = bytearray()
        places = []
        for tag in tags:
            # simple_value is a float32 at the end of its Value
            value = encode.text(1, tag) + encode.key(2, encode.FIXED32) + bytes(4)
            summary += encode.block(1, value)
            places.append(len(summary) - 4)
        front = (
            encode.double(1, 0.0)
            + encode.key(2, encode.VARINT)
            + bytes(step_width)
            + encode.key(5, encode.BYTES)
            + encode.varint(len(summary))
        )
        length = len(front) + len(summary)
        start = HEAD + len(front)
        self.size = HEAD + length + 4
        self._bytes = np.frombuffer(
            record_head(length) + front + bytes(summary) + bytes(4), dtype=np.uint8
        )
        self._values = np.dtype(
            {
                "names": [str(i) for i in range(len(places))],
                "formats": ["<f4"] * len(places),
                "offsets": [start + place for place in places],
                "itemsize": self.size,
            }
        )

    def fill(self, steps: Bytes, times: FloatArray, values: FloatArray) -> Bytes:
        """The records of these rows, one after the other. `steps` come from `step_bytes`."""
        n = len(times)
        out = np.empty((n, self.size), dtype=np.uint8)
        out[:] = self._bytes
        out[:, _TIME : _TIME + 8] = times.astype("<f8").view(np.uint8).reshape(n, 8)
        out[:, _STEP : _STEP + self.step_width] = steps
        slots = out.reshape(-1).view(self._values)
        with np.errstate(over="ignore"):  # beyond float32 is infinity, as in TensorBoard's writer
            for i, column in enumerate(values[:, self.columns].T):
                slots[str(i)] = column
        out[:, -4:] = _checksums(out, self.size).view(np.uint8).reshape(n, 4)
        return out


def _checksums(records: Bytes, size: int) -> NDArray[np.uint32]:
    raw = records.tobytes()
    crc32c = google_crc32c.value
    starts = range(HEAD, len(raw), size)
    length = size - HEAD - 4
    crcs = np.fromiter((crc32c(raw[i : i + length]) for i in starts), np.uint32, len(records))
    return masked(crcs).astype("<u4")


def step_width(steps: IntArray) -> int:
    """How many bytes the longest of these steps takes as a varint."""
    largest = int(steps.view(np.uint64).max())
    return max(1, -(-largest.bit_length() // 7))


def step_bytes(steps: IntArray, width: int) -> Bytes:
    """Steps as varints of one width. Shorter numbers are padded with zero groups, which every
    protobuf parser reads as the same number.

    >>> step_bytes(np.array([1, 300]), 2).tolist()
    [[129, 0], [172, 2]]
    """
    shifts = np.arange(width, dtype=np.uint64) * np.uint64(7)
    groups = steps.view(np.uint64)[:, None] >> shifts & np.uint64(0x7F)
    out = groups.astype(np.uint8)
    out[:, :-1] |= 0x80
    return out


class RowEncoder:
    """Turns blocks into records. `tag` says under which tag a name is shown."""

    def __init__(self, tag: Callable[[str], str]) -> None:
        self._tag = tag
        self._templates: dict[tuple[tuple[str, ...], int], list[Template]] = {}

    def encode(self, blocks: Sequence[RowBlock], unknown_time: float) -> Iterator[Any]:
        """Buffers of whole records, to be written one after the other.

        A tag's points must be in order: TensorBoard takes a step back for a restart and drops what
        it read before. So where a name occurs in blocks of several shapes, they are interleaved.
        """
        shapes = list(gathered(blocks))
        if len({name for shape in shapes for name in shape.names}) == sum(
            len(shape.names) for shape in shapes
        ):
            for shape in shapes:
                templates, steps = self._prepare(shape)
                for part in slices(len(shape), sum(t.size for t in templates), MAX_CHUNK_BYTES):
                    yield _fill(templates, shape, steps, part, unknown_time)
        else:
            yield from self._interleaved(shapes, unknown_time)

    def _interleaved(self, shapes: list[RowBlock], unknown_time: float) -> Iterator[bytes]:
        ready = [(shape, *self._prepare(shape)) for shape in shapes]
        order = np.argsort(np.concatenate([shape.times for shape in shapes]), kind="stable")
        owners = np.repeat(np.arange(len(shapes)), [len(shape) for shape in shapes])[order]
        rows = np.concatenate([np.arange(len(shape)) for shape in shapes])[order]
        largest = max(sum(t.size for t in templates) for _, templates, _ in ready)
        for part in slices(len(order), largest, MAX_CHUNK_BYTES):
            mine = owners[part]
            records: list[bytes] = [b""] * len(mine)
            for i in np.unique(mine).tolist():
                shape, templates, steps = ready[i]
                places = np.flatnonzero(mine == i)
                filled = _fill(templates, shape, steps, rows[part][places], unknown_time)
                size, raw = filled.shape[1], filled.tobytes()
                for k, place in enumerate(places.tolist()):
                    records[place] = raw[k * size : (k + 1) * size]
            yield b"".join(records)

    def _prepare(self, block: RowBlock) -> tuple[list[Template], Bytes]:
        steps = np.ascontiguousarray(block.steps, dtype=np.int64)
        width = step_width(steps)
        return self._templates_for(block.names, width), step_bytes(steps, width)

    def _templates_for(self, names: tuple[str, ...], width: int) -> list[Template]:
        found = self._templates.get((names, width))
        if found is None:
            if len(self._templates) >= MAX_TEMPLATES:
                del self._templates[next(iter(self._templates))]
            found = list(self._split(names, width))
            self._templates[names, width] = found
        return found

    def _split(self, names: tuple[str, ...], width: int) -> Iterator[Template]:
        tags: list[str] = []
        first = size = 0
        for i, name in enumerate(names):
            tag = self._tag(name)
            cost = len(tag.encode("utf-8", "replace")) + 15
            if tags and size + cost > MAX_EVENT_BYTES:
                yield Template(tags, first, width)
                tags, first, size = [], i, 0
            tags.append(tag)
            size += cost
        yield Template(tags, first, width)


def _fill(
    templates: list[Template], block: RowBlock, steps: Bytes, rows: Any, unknown_time: float
) -> Bytes:
    times = block.times[rows]
    times = np.where(np.isnan(times), unknown_time, times)
    values = block.values[rows]
    filled = [template.fill(steps[rows], times, values) for template in templates]
    # the events of a wide row stay together, so that steps stay in order
    return filled[0] if len(filled) == 1 else np.concatenate(filled, axis=1)
