"""The narrow door out of the recorder: the store, CSV, TensorBoard and console are all Sinks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from runvitals.model.row import Event, RowBlock


@dataclass(slots=True)
class RunInfo:
    """What a sink may know about the run it writes. `config` and `progress` change while it runs."""

    id: str
    name: str
    project: str
    folder: Path
    rank: int = 0
    segment: int = 1
    started: float = 0.0
    config: Mapping[str, object] = field(default_factory=dict)
    progress: Mapping[str, object] = field(default_factory=dict)


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
