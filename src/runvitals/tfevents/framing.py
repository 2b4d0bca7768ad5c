"""The frame of a TFRecord: length, checksum of the length, content, checksum of the content."""

from __future__ import annotations

import struct

import google_crc32c
import numpy as np
from numpy.typing import NDArray

HEAD, FOOT = 12, 4  # bytes before and after the content
_MASK = 0xA282EAD8  # TensorFlow's; it keeps checksums of data that holds checksums from going wrong
_head = struct.Struct("<QI")


def masked_crc(content: bytes) -> int:
    """The checksum of TFRecord files: CRC32C, rotated and shifted."""
    crc: int = google_crc32c.value(content)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFF_FFFF


def masked(crcs: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Checksums as they are stored, from plain CRC32C."""
    return (crcs >> np.uint32(15) | crcs << np.uint32(17)) + np.uint32(_MASK)


def unmasked(crcs: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Plain CRC32C from stored checksums."""
    turned = crcs - np.uint32(_MASK)
    return turned >> np.uint32(17) | turned << np.uint32(15)


def record_head(length: int) -> bytes:
    """What stands before a record of this length."""
    head = struct.pack("<Q", length)
    return head + struct.pack("<I", masked_crc(head))


def record(content: bytes) -> bytes:
    """A whole record."""
    return record_head(len(content)) + content + struct.pack("<I", masked_crc(content))


def head_length(data: bytes | memoryview, at: int = 0) -> int | None:
    """The length that the record head at a place tells, None when there is no sound head."""
    length, crc = _head.unpack_from(data, at)
    return int(length) if masked_crc(struct.pack("<Q", length)) == crc else None
