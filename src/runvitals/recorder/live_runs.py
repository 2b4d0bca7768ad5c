"""All runs that this process records: how they end together, and what a fork does to them."""

from __future__ import annotations

import os
import signal
import threading
import weakref
from collections.abc import Callable
from types import FrameType
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


# SIGTERM

_installed = False


def finish_on_sigterm(run: LiveRun) -> LiveRun:
    """Have SIGTERM finish `run` as `killed`, in this process and in forked ones that log to it."""
    _install()
    run.when_child_logs = _install
    return run


def _install() -> None:
    """Take SIGTERM over, if nobody else handles it and this is the main thread."""
    global _installed
    if _installed or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)
        _installed = True


def _give_back() -> None:
    """Restore the default in a forked child, which has nothing to finish until it logs.

    A Python handler runs only at the next line of Python, so a worker that waits in C (for a lock
    whose owner has died) could not be terminated any more.
    """
    global _installed
    if _installed and signal.getsignal(signal.SIGTERM) is _on_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _installed = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_give_back)


def _on_sigterm(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    def die() -> None:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    finish_from_signal("killed", then=die)
