"""Checksums of finished files: a bit that flips at rest is found, never taken for a number.

Parquet has one for each page; what lies between the pages (their headers, and the footer with the
names) has none. So `rank0.sums.json` holds one for each piece of a file, whatever is in it, and a
reader that wants only a column compares only the pieces that the column lies in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import google_crc32c

from runvitals.model import ReadError
from runvitals.store.files import read_json, write_json

PIECE = 256 * 2**10
WHOLE_BYTES = 64 * 2**20  # up to this size a file is compared as a whole when it is opened


def write_sums(target: Path, files: Iterable[tuple[str, Path]]) -> None:
    """Write down the sums of complete files, under the names they are going to have."""
    write_json(target, {name: _sums(path) for name, path in files})


def _sums(path: Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        sums = [google_crc32c.value(piece) for piece in iter(lambda: file.read(PIECE), b"")]
    return {"size": path.stat().st_size, "piece": PIECE, "crc32c": sums}


@dataclass(frozen=True)
class _Known:
    """The sums of a file as they were written down."""

    size: int
    piece: int
    crc32c: list[int]

    def __post_init__(self) -> None:
        numbers = [self.size, self.piece, *self.crc32c]
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise ValueError("a sum is not a whole number")
        if not self.piece or len(self.crc32c) != -(-self.size // self.piece):
            raise ValueError(f"{len(self.crc32c)} sums for {self.size:,} bytes")


class Sums:
    """The sums of one file, and which pieces of it were compared already."""

    def __init__(self, written: Path, file: Path) -> None:
        self._file = file
        self._sound: set[int] = set()
        self._known: _Known | None = None
        self.problem: str | None = None  # with the file as a whole
        try:
            known = read_json(written).get(file.name) if written.exists() else None
            self._known = None if known is None else _Known(**known)  # None: nobody wrote them down
        except (ReadError, TypeError, ValueError) as error:
            self.problem = f"{written.name} is damaged ({error})"
        if self._known is not None and (size := file.stat().st_size) != self._known.size:
            self.problem = f"it has {size:,} bytes and had {self._known.size:,}"

    def wrong(self, start: int = 0, stop: int | None = None) -> str | None:
        """What is wrong with these bytes of the file; None if nothing is known to be."""
        if self.problem is not None or self._known is None:
            return self.problem
        size, piece, sums = self._known.size, self._known.piece, self._known.crc32c
        stop = size if stop is None else stop
        if not 0 <= start <= stop <= size:
            return f"it refers to bytes {start:,} to {stop:,}, and has {size:,}"
        with open(self._file, "rb") as file:
            for index in range(start // piece, -(-stop // piece)):
                if index in self._sound:
                    continue
                file.seek(index * piece)
                if google_crc32c.value(file.read(piece)) != sums[index]:
                    return f"the checksum of bytes {index * piece:,} and following is wrong"
                self._sound.add(index)
        return None

    @property
    def can_tell(self) -> bool:
        """True if there are checksums to compare pieces with."""
        return self._known is not None and self.problem is None

    def wrong_at_once(self) -> str | None:
        """What is wrong with a small file, or with the footer of a large one."""
        size = self._file.stat().st_size
        if size <= WHOLE_BYTES:
            return self.wrong()
        with open(self._file, "rb") as file:
            file.seek(size - 8)
            footer = int.from_bytes(file.read(4), "little") + 8
        return self.wrong(size - min(footer, size))
