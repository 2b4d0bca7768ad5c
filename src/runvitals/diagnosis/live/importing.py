"""Imports in the judge's thread: a fork waits for them, though never for long.

A child that is forked in the middle of an import inherits a lock on that module that nobody opens.
"""

import os
import threading

FORK_SECONDS = 1.0

lock = threading.Lock()
_held = False


def _before_fork() -> None:
    global _held
    _held = lock.acquire(timeout=FORK_SECONDS)


def _after_fork() -> None:
    global _held
    if _held:
        _held = False
        lock.release()


def _after_fork_in_child() -> None:
    global lock, _held
    lock, _held = threading.Lock(), False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
    )
