"""A thread in which functions run one by one, each within its time."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")

_Job = tuple[Callable[[], Any], SimpleQueue[Any]]


class Worker:
    """One thread for many calls: to start a thread for each takes longer than most rules.

    >>> with Worker() as worker:
    ...     worker.limited(lambda: 6 * 7, seconds=5.0)
    42
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] | None = None  # None: no thread yet

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    def limited(self, function: Callable[[], T], seconds: float) -> T:
        """What a function gives, or an error if it takes longer; then it is left to itself."""
        if seconds == math.inf:
            return function()
        if self._jobs is None:
            self._jobs = SimpleQueue()
            threading.Thread(
                target=_work, args=(self._jobs,), name="runvitals-rules", daemon=True
            ).start()
        answer: SimpleQueue[Any] = SimpleQueue()
        self._jobs.put((function, answer))
        try:
            result, failure = answer.get(timeout=seconds)
        except Empty:
            self._leave()  # the next call has a thread of its own
            raise TimeoutError(f"took longer than {seconds:g} s") from None
        if failure is not None:
            raise failure
        return result  # type: ignore[no-any-return]

    def _leave(self) -> None:
        """The thread ends with what it is at."""
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None


def _work(jobs: SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        function, answer = job
        try:
            answer.put((function(), None))
        except BaseException as error:  # noqa: BLE001  handed over to the caller
            answer.put((None, error))
