"""Background threads of the recorder, how they are woken, and how others wait for them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable


class Background(threading.Thread):
    """A daemon thread of the recorder; it never keeps the process alive."""

    def __init__(self, target: Callable[[], None], name: str) -> None:
        super().__init__(target=target, name=name, daemon=True)

    def try_to_start(self) -> bool:
        """Start the thread; False if the interpreter is shutting down and starts no more threads."""
        try:
            self.start()
        except RuntimeError:
            return False
        return True


def in_background() -> bool:
    """True if the calling thread is one of the recorder's."""
    return isinstance(threading.current_thread(), Background)


class Wake:
    """A bell that may be rung from anywhere, a signal handler in the middle of ringing included.

    (`threading.Event` takes a lock in `set()`: a handler that logs would wait for itself.)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def set(self) -> None:
        """Ring."""
        try:
            self._lock.release()
        except RuntimeError:
            return  # it is ringing already

    def wait(self, seconds: float) -> bool:
        """Sleep until the bell rings or the time is over; says whether it rang."""
        return self._lock.acquire(timeout=max(0.0, seconds))


class Rounds:
    """Counts the rounds of a worker; others wait until one that began after they asked is done.

    Nothing here takes a lock that two threads share, so a signal handler may wait while the thread
    that it interrupted waits too.
    """

    def __init__(self) -> None:
        self.begun = 0
        self.done = 0
        self.since: float | None = None  # when the round in progress began
        self._waiters: deque[tuple[int, Wake]] = deque()

    def begin(self) -> None:
        """Mark the start of a round."""
        self.begun += 1
        self.since = time.monotonic()

    def end(self) -> None:
        """Mark the end of a round and wake everyone who waited for it."""
        self.done = self.begun
        self.since = None
        for _ in range(len(self._waiters)):
            target, bell = self._waiters.popleft()
            if target <= self.done:
                bell.set()
            else:
                self._waiters.append((target, bell))

    def lasts(self) -> float:
        """Seconds that the round in progress has taken; 0 when there is none."""
        since = self.since
        return 0.0 if since is None else time.monotonic() - since

    def wait(self, ask: Callable[[], None], until: float, alive: Callable[[], bool]) -> bool:
        """Ask for a round and wait for its end; False when the time was over."""
        target = self.begun + 1
        bell = Wake()
        self._waiters.append((target, bell))
        ask()
        while self.done < target:
            left = until - time.monotonic()
            if left <= 0 or not alive():
                return self.done >= target
            bell.wait(min(left, 0.5))
        return True


DEVICE_SECONDS = 0.5  # seconds that a flush waits for a device
LAST_DEVICE_SECONDS = 5.0  # and the last flush of a run


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
        if self._rounds.lasts() > DEVICE_SECONDS and seconds <= DEVICE_SECONDS:
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
