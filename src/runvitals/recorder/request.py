"""What is asked of a new run, and how its sinks are opened, whoever owns its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from runvitals.model import Sink, StoreError
from runvitals.recorder.stopping import Stopping
from runvitals.store.lock import WriterLock


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a run is begun with, in a folder of its own or in one that another process owns."""

    name: str | None = None
    config: Any = None
    tags: Sequence[str] = ()
    notes: str = ""
    rank: int | None = None  # None: read from the launcher's variables
    sinks: Callable[[int], Sequence[Sink]] = lambda _: ()  # by rank, besides the store
    system_seconds: float | None = 10.0  # between samples of the system; None: no samples
    framework: str | None = None
    algorithm: str | None = None
    stopping: Stopping | None = None

    def tag_list(self) -> list[str]:
        """The tags; a single string is one tag."""
        return [self.tags] if isinstance(self.tags, str) else list(self.tags)


@contextmanager
def opening(
    lock: WriterLock, cannot_write: Callable[[OSError], StoreError]
) -> Iterator[list[Sink]]:
    """A list for the sinks opened so far; an error closes them and releases the lock."""
    opened: list[Sink] = []
    try:
        yield opened
    except BaseException as error:
        for sink in opened:
            with suppress(Exception):  # the first error is the one to report
                sink.close("crashed")
        with suppress(OSError):
            lock.release()
        if isinstance(error, OSError):
            raise cannot_write(error) from error
        raise
