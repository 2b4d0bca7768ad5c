"""Logs of records in 32 KiB blocks, as LevelDB and W&B write them.

A block holds records of 7 bytes of header (checksum, length, kind) and the data; what does not fit is
continued in the next block as a first, some middle and a last piece. So damage costs a record or, at
worst, the rest of a block, and reading can go on behind it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

BLOCK = 32_768
MAX_RECORD = 256 * 2**20
_HEADER = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_SEEDS = [0, *(zlib.crc32(bytes([kind])) for kind in (_FULL, _FIRST, _MIDDLE, _LAST))]


class RecordScan:
    """Where reading stands in a log that may still grow.

    `offset` is the end of the last whole record, `damaged` counts the records that were passed over,
    and `torn` says that bytes follow `offset` which are not a whole record yet.
    """

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset
        self.damaged = 0
        self.torn = False

    def records(self, file: BinaryIO) -> Iterator[bytes]:
        """Whole records from `offset` on; moves `offset` past each before it is given."""
        base = self.offset - self.offset % BLOCK
        place = self.offset - base
        if base:
            file.seek(base)
        pieces: list[bytes] | None = None  # of a record that goes over several blocks
        size = 0
        lost = False  # pieces of a damaged record follow
        self.torn = False
        while True:
            block = _fill(file)
            whole = len(block) == BLOCK
            while place + _HEADER.size <= len(block):
                checksum, length, kind = _HEADER.unpack_from(block, place)
                end = place + _HEADER.size + length
                if not kind and not length and not checksum:  # zeros up to the end of the block
                    break
                if end > BLOCK or kind not in (_FULL, _FIRST, _MIDDLE, _LAST):
                    if whole:
                        self.damaged += 1
                        self.offset = base + BLOCK
                        pieces, lost = None, True
                    break
                if end > len(block):
                    break
                data = block[place + _HEADER.size : end]
                if zlib.crc32(data, _SEEDS[kind]) != checksum:
                    if end == len(block) and not whole:  # perhaps not all of it is on disk yet
                        break
                    self.damaged += 1
                    pieces, lost = None, True
                    place = end
                    self.offset = base + end
                    continue
                place = end
                if kind in (_FULL, _FIRST):
                    if pieces is not None:
                        self.damaged += 1
                    pieces, lost = None, False
                if kind == _FULL:
                    self.offset = base + end
                    yield data
                elif kind == _FIRST:
                    pieces, size = [data], length
                elif pieces is not None:
                    pieces.append(data)
                    size += length
                    if size > MAX_RECORD:
                        self.damaged += 1
                        pieces, lost = None, True
                    elif kind == _LAST:
                        data, pieces = b"".join(pieces), None
                        self.offset = base + end
                        yield data
                else:
                    if not lost:
                        self.damaged += 1
                        lost = True
                    self.offset = base + end
            if not whole:
                self.torn = pieces is not None or any(block[place:])
                return
            base += BLOCK
            place = 0


def _fill(file: BinaryIO) -> bytes:
    block = file.read(BLOCK)
    while 0 < len(block) < BLOCK:
        more = file.read(BLOCK - len(block))
        if not more:
            break
        block += more
    return block
