"""The narrow door out of the recorder: the store, CSV, TensorBoard and console are all Sinks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from runvitals.model.errors import RunvitalsWarning
from runvitals.model.expectation import Expectation
from runvitals.model.finding import FindingChange
from runvitals.model.row import Event, RowBlock


def _warn(cause: str, text: str) -> None:  # noqa: ARG001
    warnings.warn(f"runvitals: {text}", RunvitalsWarning, stacklevel=2)


@dataclass(slots=True)
class RunInfo:
    """What a sink may know about the run it writes.

    `config`, `progress` and `expectations` change while it runs. A sink that judges tells `listeners`
    what it found; `complain(cause, text)` says once per cause what went wrong in a thread of its own.
    """

    id: str
    name: str
    project: str
    folder: Path
    rank: int = 0
    segment: int = 1
    started: float = 0.0
    config: Mapping[str, object] = field(default_factory=dict)
    progress: Mapping[str, object] = field(default_factory=dict)
    expectations: tuple[Expectation, ...] = ()
    listeners: list[Callable[[FindingChange], None]] = field(default_factory=list)
    complain: Callable[[str, str], None] = _warn


class Sink(Protocol):
    """Takes what was logged and puts it somewhere.

    All methods are called from the recorder's background thread (and at the end from `finish`),
    never from inside `log()`. What they raise is reported once and does not reach the training loop.
    """

    def open(self, info: RunInfo) -> None:
        """Called once, before anything else."""

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:
        """What came since the last call, oldest first. Called about once a second."""

    def close(self, status: str) -> None:
        """The run ended as `finished`, `crashed`, `killed` or `stopped`."""
