"""The background thread: takes rows out of the buffer and hands them to the sinks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from runvitals.model import Event, RowBlock, Sink
from runvitals.recorder.complaints import Complaints

FLUSH_SECONDS = 1.0
T = TypeVar("T")


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

    def wait(self, seconds: float) -> None:
        """Sleep until the bell rings or the time is over."""
        self._lock.acquire(timeout=seconds)


class Flusher:
    """Calls `collect` and passes the result to every sink, about once a second.

    A sink that fails is complained about once and tried again with the next rows; the others do not
    notice.
    """

    def __init__(
        self,
        collect: Callable[[], tuple[list[RowBlock], list[Event]]],
        sinks: Sequence[Sink],
        complaints: Complaints,
        after: Callable[[Sequence[RowBlock]], None],
    ) -> None:
        self.wake = Wake()
        self._collect = collect
        self._sinks = list(sinks)
        self._complaints = complaints
        self._after = after
        self._lock = threading.RLock()
        self._ended = False
        self.started = False
        self._owner: int | None = None
        self._when_idle: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=self._run, name="runvitals", daemon=True)

    def start(self) -> None:
        """Begin; the thread is a daemon and never keeps the process alive."""
        self.started = True
        self._thread.start()

    def _run(self) -> None:
        while not self._ended:
            self.wake.wait(FLUSH_SECONDS)
            if not self._ended:
                self.flush()

    def flush(self) -> None:
        """Hand over everything logged so far; from any thread."""
        with self._lock:
            if self._ended:
                return
            self._owner = threading.get_ident()
            try:
                blocks, events = self._guarded("flush", self._collect) or ([], [])
                for sink in self._sinks:
                    self._write(sink, blocks, events)
                self._guarded("bookkeeping", lambda: self._after(blocks))
            finally:
                self._owner = None
        while self._when_idle:
            self._when_idle.pop()()

    def hold(self, seconds: float) -> bool:
        """Wait for the flush in progress and keep the next one back; False when it takes too long."""
        return self._lock.acquire(timeout=seconds)

    def release(self) -> None:
        """Let flushes go on after `hold`."""
        self._lock.release()

    def postpone(self, action: Callable[[], None]) -> bool:
        """True when this very thread is inside a flush: the action then runs right after it.

        For signal handlers, which interrupt a thread anywhere and must not write into a half-written
        file.
        """
        if self._owner != threading.get_ident():
            return False
        self._when_idle.append(action)
        return True

    def _write(self, sink: Sink, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:
        name = type(sink).__name__
        try:
            sink.write(blocks, events)
        except OSError as error:
            text = f"{name} could not write: {error.strerror or error}"
            self._complaints.say(name, f"{text}; training goes on, writing is tried again")
        except Exception as error:  # noqa: BLE001 - a sink must not end the recording
            self._complaints.say(name, f"{name} failed: {error!r}; training goes on")
        else:
            self._complaints.forget(name)

    def _guarded(self, what: str, call: Callable[[], T]) -> T | None:
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - whatever it is, the next flush may work
            self._complaints.say(what, f"{what} failed: {error!r}; training goes on")
            return None

    def end(self, status: str, *, timeout: float = 30.0) -> None:
        """Flush once more, close the sinks, stop the thread."""
        deadline = time.monotonic() + timeout
        if not self._lock.acquire(timeout=timeout):  # a sink hangs on a dead disk: do not hang too
            self._complaints.say("end", "a sink does not answer; the last points may be missing")
            self._ended = True
            return
        try:
            self.flush()
            self._ended = True
            self.wake.set()
            for sink in self._sinks:
                name = f"closing {type(sink).__name__}"
                self._guarded(name, lambda sink=sink: sink.close(status))  # type: ignore[misc]
        finally:
            self._lock.release()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(max(0.0, deadline - time.monotonic()))
