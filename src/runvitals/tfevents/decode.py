"""Where in the bytes of one TensorBoard event its time, step and values lie.

`layout` walks the protobuf message by hand. It serves the rare events one by one, and for the many
it makes the template that whole arrays of equal events are compared with.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MAX_VALUES = 100_000
MAX_FIELDS = 200_000
CONFIG_TEXTS = frozenset(
    {"args", "hyperparameters", "config", "hparams", "model_config", "parameters", "params"}
)

# TensorFlow's numeric types: how they lie in `tensor_content`
_CONTENT = {
    1: "<f4", 2: "<f8", 3: "<i4", 4: "|u1", 5: "<i2", 6: "|i1", 9: "<i8", 10: "|b1", 14: "bf16",
    17: "<u2", 19: "<f2", 22: "<u4", 23: "<u8",
}  # fmt: skip
SIZES = {
    "<f4": 4, "<f8": 8, "<i4": 4, "|u1": 1, "<i2": 2, "|i1": 1, "<i8": 8, "|b1": 1, "bf16": 2,
    "<u2": 2, "<f2": 2, "<u4": 4, "<u8": 8,
}  # fmt: skip
_CODES = {
    "<f4": "<f", "<f8": "<d", "<i4": "<i", "|u1": "<B", "<i2": "<h", "|i1": "<b", "<i8": "<q",
    "|b1": "<?", "<u2": "<H", "<f2": "<e", "<u4": "<I", "<u8": "<Q",
}  # fmt: skip
_STRING = 7
_FLOAT_VALUES = {5: "<f4", 6: "<f8"}
_VARINT_VALUES = {7, 10, 11, 13, 16, 17}


class MalformedError(ValueError):
    """The bytes are not a protobuf message."""


class Scalar(NamedTuple):
    """A number of a fixed size at a place, or, when `kind` is empty, the number itself."""

    tag: bytes
    kind: str
    at: int
    number: float = 0.0


class Other(NamedTuple):
    """A value that is not a number: `kind` is histo, text, tensor, hparams or skip."""

    tag: bytes
    kind: str
    start: int
    stop: int
    plugin: bytes = b""


@dataclass(slots=True)
class Layout:
    """What one event holds, and where."""

    time_at: int = -1
    step_at: int = -1
    step_width: int = 0
    scalars: list[Scalar] = field(default_factory=list)
    others: list[Other] = field(default_factory=list)
    tags: list[tuple[int, int]] = field(default_factory=list)
    starts_session: bool = False
    version: bool = False

    @property
    def regular(self) -> bool:
        """True if events of the same shape can be read by comparing bytes."""
        return not self.starts_session and all(scalar.kind for scalar in self.scalars)

    def time(self, data: bytes) -> float:
        """Unix seconds; NaN when the event has none."""
        if self.time_at < 0:
            return float("nan")
        return float(struct.unpack_from("<d", data, self.time_at)[0])

    def step(self, data: bytes) -> int:
        """The step, 0 when the event has none."""
        if self.step_at < 0:
            return 0
        return signed(varint(data, self.step_at, len(data))[0])


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A base-128 number of at most ten bytes, and where it ends."""
    if at < end and (byte := data[at]) < 0x80:
        return byte, at + 1
    number = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7
    raise MalformedError("a number without end")


def signed(number: int) -> int:
    """An int64 from its 64 bits."""
    return number - 2**64 if number >= 2**63 else number


def fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Number, wire type, start and stop of the content of each field of a message."""
    left = MAX_FIELDS
    while at < end:
        key, at = varint(data, at, end)
        kind = key & 7
        left -= 1
        if left < 0:
            raise MalformedError("too many fields in one message")
        if kind == BYTES:
            length, at = varint(data, at, end)
            stop = at + length
        elif kind == VARINT:
            stop = varint(data, at, end)[1]
        elif kind == FIXED32:
            stop = at + 4
        elif kind == FIXED64:
            stop = at + 8
        else:
            raise MalformedError(f"wire type {kind}")
        if stop > end:
            raise MalformedError("a field longer than its message")
        yield key >> 3, kind, at, stop
        at = stop


def layout(data: bytes) -> Layout:
    """What an event holds; raises `MalformedError`."""
    found = Layout()
    for number, kind, start, stop in fields(data, 0, len(data)):
        if number == 1 and kind == FIXED64:
            found.time_at = start
        elif number == 2 and kind == VARINT:
            found.step_at, found.step_width = start, stop - start
        elif number == 5 and kind == BYTES:
            for inner, inner_kind, low, high in fields(data, start, stop):
                if inner == 1 and inner_kind == BYTES:
                    _value(data, low, high, found)
                    if len(found.scalars) + len(found.others) > MAX_VALUES:
                        raise MalformedError("too many values in one event")
        elif number == 7 and kind == BYTES:
            for inner, inner_kind, low, high in fields(data, start, stop):
                if inner == 1 and inner_kind == VARINT:
                    found.starts_session = varint(data, low, high)[0] == 1
        elif number == 3 and kind == BYTES:
            found.version = True
    return found


def _value(data: bytes, start: int, stop: int, into: Layout) -> None:
    tag, plugin = b"", b""
    what = content = end = -1
    hparams: tuple[int, int] | None = None
    for number, kind, low, high in fields(data, start, stop):
        if number == 1 and kind == BYTES:
            tag = data[low:high]
            into.tags.append((low, high))
        elif (number == 2 and kind == FIXED32) or (number in (4, 5, 6, 8, 3) and kind == BYTES):
            what, content, end = number, low, high
        elif number == 9 and kind == BYTES:
            for inner, inner_kind, inner_low, inner_high in fields(data, low, high):
                if inner == 1 and inner_kind == BYTES:
                    for n, k, a, b in fields(data, inner_low, inner_high):
                        if n == 1 and k == BYTES:
                            plugin = data[a:b]
                        elif n == 2 and k == BYTES:
                            hparams = (a, b)
    if plugin == b"hparams" and hparams is not None:
        into.others.append(Other(tag, "hparams", *hparams, plugin))
    elif what == 2:
        into.scalars.append(Scalar(tag, "<f4", content))
    elif what == 5:
        into.others.append(Other(tag, "histo", content, end, plugin))
    elif what == 8:
        _tensor_value(data, tag, plugin, content, end, into)
    elif what >= 0:
        into.others.append(Other(tag, "skip", content, end, plugin))


def _tensor_value(
    data: bytes, tag: bytes, plugin: bytes, start: int, stop: int, into: Layout
) -> None:
    tensor = Tensor.parse(data, start, stop)
    if tensor.type == _STRING:
        kind = "text" if plugin in (b"", b"text") else "skip"
        into.others.append(Other(tag, kind, start, stop, plugin))
        return
    if plugin in (b"", b"scalars") and (scalar := tensor.scalar(data, tag, plugin)) is not None:
        into.scalars.append(scalar)
        return
    kind = "tensor" if plugin in (b"", b"histograms") else "skip"
    into.others.append(Other(tag, kind, start, stop, plugin))


@dataclass(slots=True)
class Tensor:
    """A TensorProto: its type, its shape, and where its numbers lie."""

    type: int = 0
    shape: list[int] = field(default_factory=list)
    content: tuple[int, int] | None = None
    values: list[tuple[int, int, int, int]] = field(default_factory=list)

    @classmethod
    def parse(cls, data: bytes, start: int, stop: int) -> Tensor:
        """Read the message; raises `MalformedError`."""
        found = cls()
        for number, kind, low, high in fields(data, start, stop):
            if number == 1 and kind == VARINT:
                found.type = varint(data, low, high)[0]
            elif number == 2 and kind == BYTES:
                for inner, inner_kind, a, b in fields(data, low, high):
                    if inner == 2 and inner_kind == BYTES and len(found.shape) < 16:
                        size = 0
                        for n, k, x, y in fields(data, a, b):
                            if n == 1 and k == VARINT:
                                size = signed(varint(data, x, y)[0])
                        found.shape.append(size)
            elif number == 4 and kind == BYTES:
                found.content = (low, high)
            elif number == 8 or number in _FLOAT_VALUES or number in _VARINT_VALUES:
                found.values.append((number, kind, low, high))
        return found

    def scalar(self, data: bytes, tag: bytes, plugin: bytes) -> Scalar | None:
        """The number, when there is just one."""
        kind = _CONTENT.get(self.type)
        alone = all(size == 1 for size in self.shape) if plugin else not self.shape
        if kind is None or not alone:
            return None
        if self.content is not None and self.content[0] != self.content[1]:
            low, high = self.content
            return Scalar(tag, kind, low) if high - low == SIZES[kind] else None
        for number, wire, low, high in self.values:
            if number in _FLOAT_VALUES and wire != VARINT:
                wanted = _FLOAT_VALUES[number]
                if high - low == SIZES[wanted]:
                    return Scalar(tag, wanted, low)
            elif number in _VARINT_VALUES and wire in (VARINT, BYTES) and high > low:
                raw = varint(data, low, high)[0]
                return Scalar(tag, "", low, self._decoded(number, raw))
        return None if self.values else Scalar(tag, "", -1, 0.0)

    def _decoded(self, number: int, raw: int) -> float:
        if number == 13:
            bits = struct.pack("<H", raw & 0xFFFF)
            return unpack("bf16" if self.type == 14 else "<f2", bits, 0)
        return float(raw if number in (16, 17) else signed(raw))

    def numbers(self, data: bytes) -> list[float]:
        """All numbers of a float or double tensor."""
        kind = {1: "<f", 2: "<d"}.get(self.type)
        if kind is None:
            return []
        size = struct.calcsize(kind)
        spans = [(low, high) for number, _, low, high in self.values if number in _FLOAT_VALUES]
        if self.content is not None and self.content[0] != self.content[1]:
            spans = [self.content]
        return [
            number
            for low, high in spans
            for (number,) in struct.iter_unpack(kind, data[low : high - (high - low) % size])
        ]

    def texts(self, data: bytes) -> list[str]:
        """All strings of a string tensor."""
        return [
            data[low:high].decode("utf-8", "replace")
            for number, kind, low, high in self.values
            if number == 8 and kind == BYTES
        ]


def unpack(kind: str, data: bytes, at: int) -> float:
    """One number of a kind."""
    if kind == "bf16":
        return float(struct.unpack("<f", b"\0\0" + data[at : at + 2])[0])
    return float(struct.unpack_from(_CODES[kind], data, at)[0])
