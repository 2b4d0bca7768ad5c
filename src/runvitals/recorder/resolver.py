"""Asks devices for their numbers, in a thread of its own: a GPU that hangs holds up nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable

from runvitals.recorder.background import Background, Rounds, Wake

PATIENCE = 0.5  # seconds that a flush waits for a device
LAST_PATIENCE = 5.0  # and the last flush of a run


class ValueResolver:
    """Calls `resolve` when there is something to resolve; the thread begins with the first time."""

    def __init__(self, resolve: Callable[[], None]) -> None:
        self._resolve = resolve
        self._bell = Wake()
        self._rounds = Rounds()
        self._ended = False
        self._thread: Background | None = None

    def settle(self, seconds: float) -> bool:
        """Wait for the devices, though not for long; False when they still owe numbers."""
        if self._thread is None:
            thread = Background(self._run, "runvitals-devices")
            if not thread.try_to_start():
                self._resolve()
                return True
            self._thread = thread
        if self._rounds.lasts() > PATIENCE and seconds <= PATIENCE:
            return False
        return self._rounds.wait(self._bell.set, time.monotonic() + seconds, self._thread.is_alive)

    def end(self) -> None:
        """Ask no more."""
        self._ended = True
        self._bell.set()

    def _run(self) -> None:
        while not self._ended:
            self._bell.wait(60.0)
            self._rounds.begin()
            try:
                self._resolve()
            finally:
                self._rounds.end()
