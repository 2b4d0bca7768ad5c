"""A sink besides the store: it has a queue and a thread of its own, and can hold up nobody."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from runvitals.model import Event, Histogram, Loss, Losses, Media, RowBlock, Sink, Text
from runvitals.recorder.background import Background, Rounds, Wake
from runvitals.recorder.complaints import Complaints, describe

QUEUE_BYTES = 64 * 2**20  # that wait for a sink; rows are shared with the other queues
STUCK_SECONDS = 12.0  # that one call of a sink may take before nobody waits for it any more
MAX_PAUSE = 30.0  # seconds until the next attempt on a disk that refuses


@dataclass(frozen=True, slots=True)
class SinkBatch:
    """What one flush has for a sink."""

    blocks: Sequence[RowBlock]
    events: Sequence[Event]
    size: int


def batch_of(blocks: Sequence[RowBlock], events: Sequence[Event]) -> SinkBatch:
    """With its size in bytes."""
    size = sum(block.values.nbytes + 16 * len(block) for block in blocks)
    return SinkBatch(blocks, events, size + sum(map(_size, events)))


class SinkThread:
    """Hands batches to one sink, in order, from its own thread.

    When the sink is slower than the training, the oldest batches are let go and counted. A sink that
    says `whole_batches = True` (all of a failed `write` is undone) gets the same rows again when the
    disk refused them; what others make of a failed call is theirs to know.
    """

    def __init__(self, sink: Sink, complaints: Complaints) -> None:
        self.sink = sink
        self.name = type(sink).__name__
        self.closes_last = bool(getattr(sink, "closes_last", False))
        self.busy = threading.Lock()  # held while the sink works; a fork waits for it
        self.rounds = Rounds()
        self.closed = False
        self._again = bool(getattr(sink, "whole_batches", False))
        self._complaints = complaints
        self._losses = Losses(self.name)
        self._queue: deque[SinkBatch] = deque()
        self._refused: deque[SinkBatch] = deque()
        self._put = self._taken = self._dropped = 0  # bytes; each has one writer
        self._next_try = 0.0
        self._pause = 1.0
        self._status: str | None = None
        self._given_up = False
        self._bell = Wake()
        self.thread = Background(self._run, f"runvitals-{self.name}")
        self.started = False

    def start(self) -> None:
        """Begin."""
        self.started = self.thread.try_to_start()

    # from the thread of the store

    def put(self, batch: SinkBatch) -> None:
        """Have this written soon; returns at once."""
        if self._status is not None:
            return
        if batch.size or not self._queue:  # an empty one only tells the sink that time goes by
            self._queue.append(batch)
            self._put += batch.size
        while len(self._queue) > 1 and self._put - self._taken - self._dropped > QUEUE_BYTES:
            try:
                oldest = self._queue.popleft()
            except IndexError:
                break
            self._dropped += oldest.size
            self._lose("it is slower than the training", oldest)
        self._bell.set()

    def _lose(self, why: str, batch: SinkBatch) -> None:
        self._losses.add_blocks(why, batch.blocks)
        if batch.size:
            self._complaints.say(
                f"behind {self.name}", f"{self.name} does not get all rows: {why}; the store does"
            )

    def losses(self) -> list[Loss]:
        """What the sink lacks, with what still waits once nobody will hand it over any more."""
        if not self._given_up:
            return self._losses.all()
        total = Losses(self.name, self._losses.all())
        for batch in [*self._refused, *self._queue]:
            total.add_blocks("it did not answer when the run ended", batch.blocks)
        return total.all()

    def end(self, status: str) -> None:
        """Write what waits, then close the sink."""
        self._status = status
        self._bell.set()

    def wait_closed(self, until: float) -> None:
        """Until the sink is closed, or hangs, or the time is over."""
        if not self.started:
            self._close()
        while not self.closed and self.thread.is_alive():
            left = until - time.monotonic()
            if left <= 0 or self.is_stuck():
                break
            self.thread.join(min(left, 0.1))
        if not self.closed:
            self._given_up = True
            self._complaints.say(
                f"end {self.name}",
                f"{self.name} does not answer and was left behind; the store has everything",
            )

    # from any thread

    def is_stuck(self) -> bool:
        """Whether the sink has been in one call for too long."""
        return self.rounds.lasts() > STUCK_SECONDS

    def wait(self, until: float) -> bool:
        """Until everything that was put before is written, or the sink hangs."""
        if threading.current_thread() is self.thread or not self.started:
            return True
        return self.rounds.wait(
            self._bell.set,
            until,
            lambda: self.thread.is_alive() and not self.closed and not self.is_stuck(),
        )

    # its own thread

    def _run(self) -> None:
        while self._status is None:
            self._bell.wait(60.0)
            if self._status is None:
                self._round()
        self._close()

    def _round(self) -> None:
        with self.busy:
            self.rounds.begin()
            try:
                self._write(self._take())
            finally:
                self.rounds.end()

    def _take(self) -> list[SinkBatch]:
        batches = []
        while self._queue:
            try:
                batch = self._queue.popleft()
            except IndexError:
                break  # the other thread let it go
            self._taken += batch.size
            batches.append(batch)
        return batches

    def _write(self, batches: list[SinkBatch]) -> None:
        if self._again:
            self._refused.extend(batches)
            if time.monotonic() < self._next_try and self._status is None:
                self._let_go()
                return
            batches = list(self._refused)
        if not batches:
            return
        try:
            self.sink.write(
                [block for batch in batches for block in batch.blocks],
                [event for batch in batches for event in batch.events],
            )
        except OSError as error:
            said = error.strerror or describe(error)
            text = (
                f"{self.name} could not write: {said}; training continues, writing is tried again"
            )
            self._complaints.say(self.name, text)
            if self._again:
                self._next_try = time.monotonic() + self._pause
                self._pause = min(MAX_PAUSE, 2 * self._pause)
                self._let_go(said)
            else:
                self._losses_of(batches, said)
        except Exception as error:  # noqa: BLE001 - a sink must not end the recording
            text = f"{self.name} failed: {error!r}; training continues"
            self._complaints.say(self.name, text)
            self._refused.clear()
            self._losses_of(batches, describe(error))
        else:
            self._complaints.forget(self.name)
            self._refused.clear()
            self._next_try, self._pause = 0.0, 1.0

    def _losses_of(self, batches: Sequence[SinkBatch], why: str) -> None:
        for batch in batches:
            self._losses.add_blocks(why, batch.blocks)

    def _let_go(self, why: str = "the disk refuses") -> None:
        held = sum(batch.size for batch in self._refused)
        while self._refused and held > QUEUE_BYTES:
            oldest = self._refused.popleft()
            held -= oldest.size
            self._lose(why, oldest)

    def _close(self) -> None:
        self._round()
        with self.busy:
            self.rounds.begin()
            try:
                self._losses_of(list(self._refused), "the disk refused them to the end")
                self.sink.close(self._status or "finished")
            except Exception as error:  # noqa: BLE001 - what it could not close is its own
                name = f"closing {self.name}"
                self._complaints.say(name, f"{name} failed: {error!r}; training continues")
            finally:
                self.rounds.end()
                self.closed = True


def _size(event: Event) -> int:
    if isinstance(event, Histogram):
        return int(event.edges.nbytes + event.counts.nbytes)
    if isinstance(event, Text):
        return len(event.text)
    if isinstance(event, Media):
        return len(event.source) if isinstance(event.source, bytes) else 200
    return 200 * len(event.fields)
