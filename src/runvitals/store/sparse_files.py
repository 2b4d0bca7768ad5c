"""Holes of sparse files: zeros that take no room on the disk, and need no reading."""

from __future__ import annotations

import errno
import os
from typing import BinaryIO


def hole_at(file: BinaryIO, offset: int) -> int:
    """How many bytes from `offset` on were never written; 0 where the system cannot tell.

    The place in the file is another one afterwards.
    """
    if not hasattr(os, "SEEK_DATA"):
        return 0
    try:
        return os.lseek(file.fileno(), offset, os.SEEK_DATA) - offset
    except OSError as error:
        if error.errno != errno.ENXIO:  # which says that no data follows
            return 0
        return max(0, os.fstat(file.fileno()).st_size - offset)
