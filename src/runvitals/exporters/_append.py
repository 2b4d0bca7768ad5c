"""Files that only grow, each write whole or undone, and files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from runvitals.model import atomic


class AppendFile:
    """An unbuffered file for appending: what `write` returned from survives `kill -9`.

    When a write fails half-way (disk full, quota), the file is cut back to where it was, so that
    the next write does not follow a torn record.
    """

    def __init__(self, path: Path, *, exclusive: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        flags |= getattr(os, "O_BINARY", 0) | (os.O_EXCL if exclusive else 0)
        self.path = path
        self._fd = os.open(path, flags, 0o666)
        self.size = os.fstat(self._fd).st_size

    def write(self, content: Any) -> None:
        """Append the bytes of any contiguous buffer."""
        left = memoryview(content).cast("B")
        total = len(left)
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self.size)
            raise
        self.size += total

    def keep_private(self, content: bytes) -> None:
        """Close the file to others if a secret was hidden in what is about to be written."""
        if atomic.hides_something(content):
            atomic.keep_private(self._fd)

    def cut(self, size: int) -> None:
        """Undo all that was written since the file had this size."""
        if size < self.size:
            os.ftruncate(self._fd, size)
            self.size = size

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write, which takes its name only when all went well."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic.replacing(path) as file:
        yield file
