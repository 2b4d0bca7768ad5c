"""Takes a process's own access to files and the network away, by Linux's Landlock.

The restriction holds for the calling thread and for all threads and processes that it starts, for good.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable

# from linux/landlock.h and linux/prctl.h; the numbers of the calls are the same on all architectures
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1  # flag of _CREATE_RULESET: only tell the version
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38
_READ_FILE, _READ_FOLDER, _REFER, _TRUNCATE, _DEVICE = 1 << 2, 1 << 3, 1 << 13, 1 << 14, 1 << 15
_FIRST_RIGHTS = (1 << 13) - 1  # everything that version 1 knows
_ALL_TCP = 0b11
_OF_FILES = 0b111 | _TRUNCATE | _DEVICE  # rights that a file can have; the rest are of folders
_NEEDED = 3  # the version that also refuses to truncate files


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def can_confine() -> bool:
    """True if this system can confine a process (Linux 6.2 or newer with Landlock switched on)."""
    return _version() >= _NEEDED


def confine(readable: Iterable[str], writable: Iterable[str] = ()) -> None:
    """From now on open only what lies below these paths, and no TCP connections (Linux 6.7)."""
    version = _version()
    everything = _FIRST_RIGHTS | _REFER | _TRUNCATE | (_DEVICE if version >= 5 else 0)
    asked = _Ruleset(everything, _ALL_TCP if version >= 4 else 0)
    size = ctypes.sizeof(asked) if version >= 4 else 8
    ruleset = _call(_CREATE_RULESET, ctypes.byref(asked), size, 0)
    try:
        for paths, rights in ((readable, _READ_FILE | _READ_FOLDER), (writable, everything)):
            for path in paths:
                if os.path.exists(path):
                    _allow(ruleset, path, rights)
        if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl failed")
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        allowed = rights if os.path.isdir(path) else rights & _OF_FILES
        rule = _Beneath(allowed, folder)
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(folder)


def _version() -> int:
    if not sys.platform.startswith("linux"):
        return 0
    try:
        return _call(_CREATE_RULESET, None, 0, _VERSION)
    except OSError:  # an older kernel, or switched off
        return 0


def _call(number: int, *words: object) -> int:
    done: int = _libc().syscall(number, *words)
    if done < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return done


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
