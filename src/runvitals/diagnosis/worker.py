"""A thread that runs functions one by one, each with a time limit."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

WAITS = 12.0  # times its limit that a call may take when others have the processor (judgement)

_Job = tuple[Callable[[], Any], SimpleQueue[Any]]


class CallThread:
    """One thread for many calls: to start a thread for each takes longer than most rules.

    >>> with CallThread() as worker:
    ...     worker.limited(lambda: 6 * 7, seconds=5.0)
    42
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] | None = None  # None: no thread yet
        self._thread: threading.Thread | None = None

    def __enter__(self) -> CallThread:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()

    def limited(self, function: Callable[[], T], seconds: float) -> T:
        """What a function gives, or an error if it takes longer; then it is left to itself.

        What counts is the processor time of its thread, so that a busy machine changes no verdict;
        one that waits for something else is left after twelve times as long.
        """
        if seconds == math.inf:
            return function()
        if self._jobs is None:
            self._jobs = SimpleQueue()
            self._thread = threading.Thread(
                target=_work, args=(self._jobs,), name="runvitals-rules", daemon=True
            )
            self._thread.start()
        answer: SimpleQueue[Any] = SimpleQueue()
        used, began = processor_time(self._thread), time.monotonic()
        self._jobs.put((function, answer))
        left = seconds
        while True:
            try:
                result, failure = answer.get(timeout=left)
            except Empty:
                left = seconds - (processor_time(self._thread) - used)
                if left > 0 and time.monotonic() - began < WAITS * seconds:
                    left = max(left, 0.01 * seconds)
                    continue
                self._leave()  # the next call has a thread of its own
                raise TimeoutError(f"took longer than {seconds:g} s") from None
            if failure is not None:
                raise failure
            return result

    def _leave(self) -> None:
        """Let the thread end after its current call."""
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None


def processor_time(thread: threading.Thread | None) -> float:
    """Seconds that a thread has had the processor; where nobody counts that, seconds that passed."""
    if thread is None or thread.ident is None or not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic()
    return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))


def _work(jobs: SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        function, answer = job
        try:
            answer.put((function(), None))
        except BaseException as error:  # noqa: BLE001  handed over to the caller
            answer.put((None, error))
