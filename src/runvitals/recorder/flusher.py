"""The thread of the store: takes rows out of the buffer and writes them; then the other sinks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from runvitals.model import Event, RowBlock, Sink
from runvitals.recorder.background import Background, Rounds, Wake
from runvitals.recorder.complaints import Complaints
from runvitals.recorder.sink_thread import SinkThread, batch_of
from runvitals.recorder.stderr import stderr_thread

FLUSH_SECONDS = 1.0  # what a crash of the machine may cost, and how late the dashboard is
# As long as clusters wait by default between SIGTERM and SIGKILL (SLURM's KillWait, Kubernetes).
END_SECONDS = 30.0  # after which `finish` returns, whatever hangs
LANES_SECONDS = 25.0  # of these, until the sinks besides the store are given up
FLUSH_PATIENCE = 30.0  # that `flush` waits for a disk
LANES_PATIENCE = 5.0  # and then for the other sinks
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Errands:
    """What the owner of a run does around the store."""

    collect: Callable[[], tuple[list[RowBlock], list[Event]]]  # what was logged since the last call
    after_flush: Callable[[Sequence[RowBlock]], None]  # these rows were handed over
    lost: Callable[[], int]  # points that were logged and are not in the store
    ending: Callable[[], None]  # all is stored; whoever has a last word says it now
    stored: Callable[[str], None]  # the store is closed; the other sinks may still be at work
    ended: Callable[[], None]  # all is done


class Flusher:
    """About once a second it writes what was logged into the store, and hands it on.

    The store has this thread to itself: no other sink, no device and no pipe can hold it up. Only
    this thread ever writes, so whoever calls `flush` or `end` (a signal handler in the middle of
    either, too) waits for it and can neither double nor lose a row.
    """

    def __init__(
        self, errands: Errands, store: Sink | None, sinks: Sequence[Sink], complaints: Complaints
    ) -> None:
        self.wake = Wake()
        self.rounds = Rounds()
        self.busy = threading.Lock()  # held during a round; a fork waits for it
        self.lanes = [SinkThread(sink, complaints) for sink in sinks]
        self.started = False
        self._errands = errands
        self._store = store
        self._complaints = complaints
        self._status: str | None = None
        self._all_written = False  # or refused, which is said when it happens
        self._done = False
        self._inline: int | None = None  # the thread that ends the run for want of one of ours
        self._when_idle: list[Callable[[], None]] = []
        self._held: list[threading.Lock] = []
        self._waiting_for_lanes: set[int] = set()  # threads in `flush`
        self.thread = Background(self._run, "runvitals")

    def start(self) -> None:
        """Begin."""
        stderr_thread().start()
        self.started = self.thread.try_to_start()
        for lane in self.lanes:
            lane.start()

    def _run(self) -> None:
        while self._status is None:
            self.wake.wait(FLUSH_SECONDS)
            if self._status is None:
                self._round()
        self._finish()

    def _round(self) -> None:
        with self.busy:
            self.rounds.begin()
            try:
                blocks, events = self._guarded("flush", self._errands.collect) or ([], [])
                if self._store is not None:
                    self._write(self._store, blocks, events)
                batch = batch_of(blocks, events)
                for lane in self.lanes:
                    lane.put(batch)
                self._guarded("bookkeeping", lambda: self._errands.after_flush(blocks))
            finally:
                self.rounds.end()

    def _write(self, store: Sink, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:
        name = type(store).__name__
        try:
            store.write(blocks, events)
        except OSError as error:
            text = f"{name} could not write: {error.strerror or error}"
            self._complaints.say(name, f"{text}; training continues, writing is tried again")
        except Exception as error:  # noqa: BLE001 - it must not end the recording
            self._complaints.say(name, f"{name} failed: {error!r}; training continues")
        else:
            self._complaints.forget(name)

    def _guarded(self, what: str, call: Callable[[], T]) -> T | None:
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - whatever it is, the next flush may work
            self._complaints.say(what, f"{what} failed: {error!r}; training continues")
            return None

    # from any thread

    def flush(self, patience: float = LANES_PATIENCE) -> None:
        """Wait until everything logged so far is stored, and this many seconds for the other sinks.

        A signal handler in the middle of such a wait leaves the other sinks to the wait that it
        interrupted: signals that come faster than sinks write would pile up handlers without end.
        """
        if not self.started or threading.current_thread() is self.thread:
            return
        now = time.monotonic()
        if not self.rounds.wait(self.wake.set, now + FLUSH_PATIENCE, self._is_alive):
            if self._is_alive():
                self._say_slow("flush", "rows wait in memory")
            return
        self._complaints.forget("flush")
        me = threading.get_ident()
        if me in self._waiting_for_lanes:
            return
        self._waiting_for_lanes.add(me)
        try:
            until = time.monotonic() + patience
            for lane in self.lanes:
                lane.wait(until)
        finally:
            self._waiting_for_lanes.discard(me)
        stderr_thread().wait()

    def _say_slow(self, cause: str, waits: str) -> None:
        lost = self._errands.lost()
        missing = f"{lost:,} points are missing" if lost else "nothing is lost so far"
        self._complaints.say(cause, f"the disk is slow: {waits}; {missing}")

    def _is_alive(self) -> bool:
        return self.thread.is_alive() and not self._done

    def keeps_up(self) -> bool:
        """Whether it is worth a moment's wait for: False while a disk hangs."""
        return self.rounds.lasts() < FLUSH_SECONDS

    def hold(self, seconds: float) -> None:
        """Wait for what is being written and keep the next back, for a fork; never for long."""
        until = time.monotonic() + seconds
        workers: list[Flusher | SinkThread] = [self, *self.lanes]
        for worker in workers:
            if worker.thread is threading.current_thread() or worker.rounds.lasts() > seconds:
                continue
            if worker.busy.acquire(timeout=max(0.0, until - time.monotonic())):
                self._held.append(worker.busy)

    def release(self) -> None:
        """Resume writing after `hold`."""
        while self._held:
            self._held.pop().release()

    # the end

    def end(self, status: str) -> None:
        """Store the rest, close everything; returns within `END_SECONDS`, whatever hangs."""
        if self._status is None:
            self._status = status
        self.wake.set()
        if self._inline == threading.get_ident() or threading.current_thread() is self.thread:
            return  # it is on its way: called from within
        if not self.thread.is_alive():
            self._finish_here()
            return
        until = time.monotonic() + END_SECONDS
        # in short waits: a signal handler can run in between
        while self._is_alive() and time.monotonic() < until:
            self.thread.join(0.1)
        if self._is_alive():
            done = "the run is not closed yet" if self._all_written else "rows are not written yet"
            self._say_slow("end", done)
        stderr_thread().wait()

    def postpone(self, action: Callable[[], None]) -> bool:
        """True when this very thread is ending the run: the action then runs right after it.

        For signal handlers, which interrupt a thread anywhere and must not leave a file half-written.
        """
        if self._inline != threading.get_ident():
            return False
        self._when_idle.append(action)
        return True

    def _finish_here(self) -> None:
        """In the caller's thread: the interpreter ends and starts no threads any more."""
        if self._done:
            return
        self._inline = threading.get_ident()
        try:
            self._finish()
        finally:
            self._inline = None
        while self._when_idle:
            self._when_idle.pop()()

    def _finish(self) -> None:
        status = self._status or "finished"
        until = time.monotonic() + LANES_SECONDS
        if self.started or self._inline is not None:
            self._round()
            # Twice: what has a last word (system samples, attached numbers) logs it once everything
            # else is stored, so a device that hangs there costs only its own numbers.
            self._guarded("the last numbers", self._errands.ending)
            self._round()
        self._all_written = True
        with self.busy:
            first = [lane for lane in self.lanes if not lane.closes_last]
            last = [lane for lane in self.lanes if lane.closes_last]
            # told before the store closes, which may take seconds for a long run: they finish meanwhile
            for lane in first:
                lane.end(status)
            if self._store is not None:
                store = self._store
                self._guarded(f"closing {type(store).__name__}", lambda: store.close(status))
            self._guarded("run.json", lambda: self._errands.stored(status))
            for group in (first, last):
                for lane in group:
                    lane.end(status)
                for lane in group:
                    lane.wait_closed(until)
            if not self._errands.lost():  # it was slow, and nothing came of it
                self._complaints.forget("flush")
                self._complaints.forget("end")
            self._guarded("run.json", self._errands.ended)
            self._done = True
