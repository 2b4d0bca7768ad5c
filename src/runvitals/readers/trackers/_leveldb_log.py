"""Logs of records in 32 KiB blocks, as LevelDB and W&B write them.

A block holds records of 7 bytes of header (checksum, length, kind) and the data; what does not fit is
continued in the next block as a first, some middle and a last piece. So damage costs a record or, at
worst, the rest of a block, and reading can go on behind it.
"""

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
        self._pieces: list[bytes] | None = None  # of a record that goes over several blocks
        self._size = 0
        self._lost = False  # pieces of a damaged record follow

    def records(self, file: BinaryIO) -> Iterator[bytes]:
        """Whole records from `offset` on; moves `offset` past each before it is given."""
        base = self.offset - self.offset % BLOCK
        place = self.offset - base
        if base:
            file.seek(base)
        self._pieces, self._lost, self.torn = None, False, False
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
                        self._lose()
                        self.offset = base + BLOCK
                    break
                if end > len(block):
                    break
                data = block[place + _HEADER.size : end]
                if zlib.crc32(data, _SEEDS[kind]) != checksum:
                    if end == len(block) and not whole:  # perhaps not all of it is on disk yet
                        break
                    self._lose()
                    self.offset = base + end
                elif (record := self._record(kind, data, base + end)) is not None:
                    yield record
                place = end
            if not whole:
                self.torn = self._pieces is not None or any(block[place:])
                return
            base += BLOCK
            place = 0

    def _lose(self) -> None:
        self.damaged += 1
        self._pieces, self._lost = None, True

    def _record(self, kind: int, data: bytes, end: int) -> bytes | None:
        """The record that ends with this piece; None while its end is missing."""
        if kind in (_FULL, _FIRST):
            self.damaged += self._pieces is not None  # the one before has no end
            self._pieces, self._size, self._lost = None, 0, False
        elif self._pieces is None:
            if not self._lost:
                self._lose()
            self.offset = end
            return None
        if kind != _FULL:
            self._pieces = self._pieces or []
            self._pieces.append(data)
            self._size += len(data)
            if self._size > MAX_RECORD:
                self._lose()
                return None
            if kind != _LAST:
                return None
            data, self._pieces = b"".join(self._pieces), None
        self.offset = end
        return data


def _fill(file: BinaryIO) -> bytes:
    block = file.read(BLOCK)
    while 0 < len(block) < BLOCK:
        more = file.read(BLOCK - len(block))
        if not more:
            break
        block += more
    return block
