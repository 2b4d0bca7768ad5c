"""Reads on where a growing text file was left: by name, through truncation and rotation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

MAX_LINE = 8 * 2**20
_CHUNK = 2**20
_FINGERPRINT = 128  # first bytes by which a file rewritten in place is known


def line_end(piece: bytes) -> int:
    """Where the first line of some bytes ends; -1 when it does not."""
    ends = [place for mark in (b"\n", b"\r") if (place := piece.find(mark)) >= 0]
    return min(ends, default=-1)


class LineFollower:
    """The complete lines that were added to a file since the last call.

    Lines end with LF, CR or CRLF; a line without an end is kept until its end arrives (`rest`). A file
    that shrank, was replaced by another or begins with other bytes than before is read from its start,
    and `restarts` counts that. A file that is gone gives nothing. Lines beyond `MAX_LINE` are
    passed over and counted in `passed_over`; memory stays bounded by one line and one chunk.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0  # bytes taken in so far
        self.restarts = 0
        self.passed_over = 0
        self.rest = b""
        self._inode: tuple[int, int] | None = None
        self._start = b""
        self._skipping = False

    def iter_lines(self) -> Iterator[bytes]:
        """The same one by one, for files too large to hold."""
        try:
            file = open(self.path, "rb")  # noqa: SIM115 - closed below, also when not exhausted
        except OSError:
            return
        try:
            self._settle(file.fileno())
            file.seek(self.offset)
            while piece := file.read(_CHUNK):
                if self.offset == 0 and piece.startswith(b"\xef\xbb\xbf"):
                    self.offset, piece = 3, piece[3:]
                self.offset += len(piece)
                yield from self._split(piece)
        except OSError:
            return
        finally:
            file.close()

    def take_rest(self) -> bytes:
        """The line that has no end yet; it will not be given again."""
        rest, self.rest = self.rest, b""
        return b"" if self._skipping else rest

    def _settle(self, handle: int) -> None:
        """Go back to the start when this is no longer the file that was read."""
        state = os.fstat(handle)
        inode = (state.st_dev, state.st_ino)
        start = os.pread(handle, _FINGERPRINT, 0)
        replaced = self._inode is not None and (
            inode != self._inode
            or state.st_size < self.offset
            or not start.startswith(self._start[: self.offset])
        )
        if replaced:
            self.restarts += 1
            self.offset, self.rest, self._skipping = 0, b"", False
        self._inode, self._start = inode, start

    def _split(self, piece: bytes) -> Iterator[bytes]:
        if self._skipping:
            end = line_end(piece)
            if end < 0:
                return
            self._skipping = False
            piece = piece[end + 1 :]
        lines = (self.rest + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self.rest = lines.pop()
        for line in lines:
            if len(line) > MAX_LINE:
                self.passed_over += 1
            else:
                yield line
        if len(self.rest) > MAX_LINE:
            self.passed_over += 1
            self.rest, self._skipping = b"", True
