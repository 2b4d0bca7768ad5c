"""Files that are replaced whole, and closed to others where a secret was hidden in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

HIDDEN = "***"  # stands for a secret
OWNER_ONLY = 0o600


def hides_something(data: bytes) -> bool:
    """Whether a secret was hidden in this."""
    return HIDDEN.encode() in data


def keep_private(file: int) -> None:
    """Close an open file to others, before something private is written to it."""
    if hasattr(os, "fchmod"):  # which Windows lacks
        os.fchmod(file, OWNER_ONLY)


MAX_NAME_LENGTH = 60  # characters kept of a name, which may have four bytes each


@contextmanager
def replacing(path: Path, *, durable: bool = False, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write, which takes its name only when all went well (`durable`: on the disk itself)."""
    temporary = path.with_name(f".{path.name[:MAX_NAME_LENGTH]}.{os.getpid()}.tmp")
    try:
        opened = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with open(opened, "wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        take_name(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def take_name(written: Path, path: Path, *, durable: bool = False) -> None:
    """Give a whole file that was written beside `path` its name, at once for every reader.

    `durable`: only when it is on the disk itself, so that after a power cut too a file of this name is
    whole. Both have to be in one folder: across file systems there is no renaming in one step.
    """
    if durable:
        with open(written, "rb+") as file:
            os.fsync(file.fileno())
    os.replace(written, path)


def take_new_name(written: Path, path: Path) -> bool:
    """Give a whole file a further name that nothing has yet; False if somebody was faster."""
    try:
        os.link(written, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        try:
            with open(path, "xb") as file:
                file.write(written.read_bytes())
        except FileExistsError:
            return False
    return True
