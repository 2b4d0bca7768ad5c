"""Gives memory that is no longer used back to the system, and lets others go first."""

import ctypes
import gc
import os
import signal
import sys
from functools import cache

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # options of glibc's `mallopt`
LARGE = 128 * 2**10  # bytes: glibc's own beginning, which grows as large arrays come and go
ARENAS = 2  # heaps for all threads, instead of eight for each core


def keep_small() -> None:
    """Have large arrays returned as soon as they are freed, and threads share their heaps."""
    if (library := _libc()) is not None:
        library.mallopt(_MMAP_THRESHOLD, LARGE)
        library.mallopt(_ARENA_MAX, ARENAS)


def give_back(*, cycles: bool = False) -> None:
    """Return free pages to the system where that can be asked for; first what only `cycles` hold.

    Small arrays that come and go leave holes; without this a process that reads a growing run
    again and again keeps the most it ever took.
    """
    if cycles:
        gc.collect()
    if (library := _libc()) is not None:
        library.malloc_trim(0)


@cache
def _libc() -> ctypes.CDLL | None:
    """glibc; None on systems with another C library."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        library = ctypes.CDLL(None)
        return library if library.malloc_trim and library.mallopt else None
    except (OSError, AttributeError):
        return None


KINDNESS = 5


def begin_humbly() -> None:
    """Let others go first, and leave Ctrl-C to the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(KINDNESS)
    keep_small()
