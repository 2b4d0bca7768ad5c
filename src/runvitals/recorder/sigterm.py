"""Finishes the runs of this process on SIGTERM, unless somebody else handles it."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_runs import finish_from_signal

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
