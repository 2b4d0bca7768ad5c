"""Walks protobuf messages without their schema, on untrusted bytes."""

import math
import struct
from collections.abc import Iterator

from runvitals.tfevents import decode
from runvitals.tfevents.decode import signed as signed
from runvitals.tfevents.decode import varint as varint

Field = tuple[int, int | bytes]  # the field's number; a varint or fixed value, or the bytes inside


def fields(data: bytes) -> Iterator[Field]:
    """The fields of a message in order. Raises ValueError where the bytes are not a message.

    >>> list(fields(bytes([0x08, 0x96, 0x01, 0x12, 0x02, 0x68, 0x69])))
    [(1, 150), (2, b'hi')]
    """
    for number, kind, start, stop in decode.fields(data, 0, len(data)):
        if kind == decode.BYTES:
            yield number, data[start:stop]
        elif kind == decode.VARINT:
            yield number, varint(data, start, stop)[0]
        else:
            yield number, int.from_bytes(data[start:stop], "little")


def numbers(message: bytes) -> dict[int, int]:
    """The fields of a message that are numbers."""
    return {number: value for number, value in fields(message) if isinstance(value, int)}


def timestamp(message: bytes) -> float:
    """Unix seconds of a `google.protobuf.Timestamp`; NaN if it is empty."""
    parts = numbers(message)
    return signed(parts.get(1, 0)) + parts.get(2, 0) / 1e9 if parts else math.nan


def zigzag(value: int) -> int:
    """A varint read as sint64.

    >>> zigzag(3), zigzag(4)
    (-2, 2)
    """
    return (value >> 1) ^ -(value & 1)


def double(value: int) -> float:
    """A fixed64 field read as a double."""
    return struct.unpack("<d", struct.pack("<Q", value))[0]


def text(value: int | bytes) -> str:
    """A string field; bytes that are no UTF-8 are replaced."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
