"""The few pieces of protobuf's wire format that writing events takes."""

from __future__ import annotations

import struct
from collections.abc import Iterable

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(number: int) -> bytes:
    """A base-128 number; negative ones take ten bytes, as protobuf's int64 does.

    >>> varint(300).hex(), len(varint(-1))
    ('ac02', 10)
    """
    number &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def key(field: int, kind: int) -> bytes:
    """What stands before each field: its number and how its value is written."""
    return varint(field << 3 | kind)


def integer(field: int, number: int) -> bytes:
    """An int32, int64, bool or enum field."""
    return key(field, VARINT) + varint(number)


def double(field: int, number: float) -> bytes:
    """A double field."""
    return key(field, FIXED64) + struct.pack("<d", number)


def block(field: int, content: bytes) -> bytes:
    """A bytes field or a nested message.

    >>> block(1, b"hi").hex()
    '0a026869'
    """
    return key(field, BYTES) + varint(len(content)) + content


def text(field: int, content: str) -> bytes:
    """A string field. Lone surrogates, which UTF-8 cannot hold, become question marks."""
    return block(field, content.encode("utf-8", "replace"))


def doubles(field: int, numbers: Iterable[float]) -> bytes:
    """A packed field of doubles."""
    values = tuple(numbers)
    return block(field, struct.pack(f"<{len(values)}d", *values))
