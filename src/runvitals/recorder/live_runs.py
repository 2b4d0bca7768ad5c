"""All runs that this process records: how they end together, and what a fork does to them."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runvitals.recorder.flusher import Flusher
    from runvitals.recorder.live import LiveRun

# weak: a run that the training script has let go of is not kept alive by this list
LIVE: weakref.WeakSet[LiveRun] = weakref.WeakSet()


def finish_all(status: str, wait: float | bool | None = None) -> None:
    """End every run of this process."""
    for run in list(LIVE):
        run.finish(status, wait=wait)


def finish_from_signal(status: str, then: Callable[[], None]) -> None:
    """End every run, then call `then`; if the signal hit the middle of an end, right after it."""
    # a child that was forked this very moment still holds the parent's runs: they are not its own
    mine = [run for run in list(LIVE) if run._process == os.getpid()]
    for run in mine:
        if run._flusher.postpone(lambda: finish_from_signal(status, then)):
            return
    for run in mine:
        run.finish(status)
    then()


def live_runs() -> list[LiveRun]:
    """The runs that this process records at the moment."""
    return list(LIVE)


# A fork in the middle of a flush would copy half-done work and locks that nobody opens again, so a
# fork waits for what is being written, though never for long.
_HOLD_SECONDS = 1.0
_held: list[Flusher] = []


def _before_fork() -> None:
    _held[:] = [run._flusher for run in list(LIVE)]
    for flusher in _held:
        flusher.hold(_HOLD_SECONDS)


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().release()


def _after_fork_in_child() -> None:
    _held.clear()
    for run in list(LIVE):
        run._become_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
