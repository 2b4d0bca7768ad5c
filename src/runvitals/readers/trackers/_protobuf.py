"""Walks protobuf messages without their schema, on untrusted bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator

Field = tuple[int, int | bytes]  # the field's number; a varint or fixed value, or the bytes inside

_FIXED64 = struct.Struct("<Q")
_FIXED32 = struct.Struct("<I")


def fields(data: bytes) -> Iterator[Field]:
    """The fields of a message in order. Raises ValueError where the bytes are not a message.

    >>> list(fields(bytes([0x08, 0x96, 0x01, 0x12, 0x02, 0x68, 0x69])))
    [(1, 150), (2, b'hi')]
    """
    place, end = 0, len(data)
    while place < end:
        tag, place = varint(data, place)
        number, kind = tag >> 3, tag & 7
        if not number:
            raise ValueError("field number 0")
        if kind == 2:
            size, place = varint(data, place)
            if size > end - place:
                raise ValueError("a field is longer than its message")
            yield number, data[place : place + size]
            place += size
        elif kind == 0:
            value, place = varint(data, place)
            yield number, value
        elif kind == 1 or kind == 5:
            form = _FIXED64 if kind == 1 else _FIXED32
            if form.size > end - place:
                raise ValueError("a field is longer than its message")
            yield number, form.unpack_from(data, place)[0]
            place += form.size
        else:
            raise ValueError(f"wire type {kind}")


def varint(data: bytes, place: int) -> tuple[int, int]:
    """The varint at `place`, and where it ends."""
    value = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise ValueError("a number does not end")
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFF_FFFF_FFFF_FFFF, place
        shift += 7


def signed(value: int) -> int:
    """A varint read as int32 or int64.

    >>> signed(2**64 - 1)
    -1
    """
    return value - 2**64 if value >= 2**63 else value


def zigzag(value: int) -> int:
    """A varint read as sint64.

    >>> zigzag(3), zigzag(4)
    (-2, 2)
    """
    return (value >> 1) ^ -(value & 1)


def double(value: int) -> float:
    """A fixed64 field read as a double."""
    number: float = struct.unpack("<d", _FIXED64.pack(value))[0]
    return number


def text(value: int | bytes) -> str:
    """A string field; bytes that are no UTF-8 are replaced."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
