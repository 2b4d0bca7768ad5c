"""The narrow door out of the recorder: the store, CSV, TensorBoard and console are all Sinks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from runvitals.model.errors import RunvitalsWarning
from runvitals.model.expectation import Expectation
from runvitals.model.finding import FindingChange, Verdict
from runvitals.model.row import Event, RowBlock


def _warn(cause: str, text: str) -> None:  # noqa: ARG001
    warnings.warn(f"runvitals: {text}", RunvitalsWarning, stacklevel=2)


@dataclass(slots=True)
class RunInfo:
    """What a sink may know about the run it writes.

    `config`, `framework`, `algorithm`, `progress` and `expectations` change while it runs. A sink that
    judges tells `listeners` and `verdict_listeners` what it found, and before them `stop_listeners`
    what the training may be stopped for; `complain(cause, text)` says once
    per cause what went wrong in a thread of its own.
    """

    id: str
    name: str
    project: str
    folder: Path
    rank: int = 0
    segment: int = 1
    life: str = ""  # tells the files of this process from those of others, on other hosts too
    started: float = 0.0
    config: Mapping[str, object] = field(default_factory=dict)
    framework: str | None = None
    algorithm: str | None = None
    progress: Mapping[str, object] = field(default_factory=dict)
    expectations: tuple[Expectation, ...] = ()
    stops: bool = False  # whether a finding may end the training
    stop_listeners: list[Callable[[FindingChange], None]] = field(default_factory=list)
    listeners: list[Callable[[FindingChange], None]] = field(default_factory=list)
    verdict_listeners: list[Callable[[Verdict], None]] = field(default_factory=list)
    complain: Callable[[str, str], None] = _warn
    stopped_by: str | None = None  # the finding that ended it
    exit_code: int | None = None  # of the process, once it is known
    ended_by: int | None = None  # the thread that called `finish`, and waits
    guest: bool = (
        False  # another process owns the run and its `run.json`; this one writes beside it
    )


class Sink(Protocol):
    """Takes what was logged and puts it somewhere.

    `open` is called by `init`, the others from a thread that belongs to this sink alone, never from
    inside `log()`. What they raise is reported once and does not reach the training loop. A sink that
    is slower than the training misses the oldest rows, and that is said; one that hangs holds up
    nobody. A sink may set `whole_batches = True` if all of a `write` that raised `OSError` is undone:
    it then gets the same rows again. One with `closes_last = True` is closed after the others.
    """

    def open(self, info: RunInfo) -> None:
        """Called once, before anything else."""

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:
        """What came since the last call, oldest first. Called about once a second."""

    def close(self, status: str) -> None:
        """The run ended as `finished`, `crashed`, `killed` or `stopped`."""
