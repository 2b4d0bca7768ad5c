"""The narrow door out of the recorder: the store, CSV, TensorBoard and console are all Sinks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from runvitals.model.errors import RunvitalsWarning
from runvitals.model.expectation import Expectation
from runvitals.model.finding import FindingChange, Verdict
from runvitals.model.formatting import counted
from runvitals.model.row import Event, RowBlock

STORE = "store"  # the place that matters: what is not there is gone


@dataclass(frozen=True, slots=True)
class Loss:
    """Rows that one place lacks. `where` is `store`, or the kind of sink."""

    where: str
    why: str
    rows: int = 0
    points: int = 0
    first_step: int | None = None
    last_step: int | None = None

    def plus(self, rows: int, points: int, first: int, last: int) -> Loss:
        """The same with more rows."""
        if self.first_step is not None and self.last_step is not None:
            first, last = min(first, self.first_step), max(last, self.last_step)
        return replace(
            self,
            rows=self.rows + rows,
            points=self.points + points,
            first_step=first,
            last_step=last,
        )

    def as_dict(self) -> dict[str, Any]:
        """For `run.json`."""
        return asdict(self)

    def __str__(self) -> str:
        """A sentence.

        >>> str(Loss("store", "No space left on device", 2, 6, 10, 11))
        '2 rows (6 points, steps 10 to 11) were lost: No space left on device'
        """
        # without points: histograms, texts, samples
        rows = counted(self.rows, "row" if self.points else "event")
        inside = counted(self.points, "point") if self.points else ""
        if self.first_step is not None:
            one = self.first_step == self.last_step
            steps = f"{self.first_step:,}" if one else f"{self.first_step:,} to {self.last_step:,}"
            inside = ", ".join(filter(None, (inside, f"step{'' if one else 's'} {steps}")))
        rows = f"{rows} ({inside})" if inside else rows
        if self.where == STORE:
            return f"{rows} {'was' if self.rows == 1 else 'were'} lost: {self.why}"
        return f"{self.where} lacks {rows}: {self.why}"


class Losses:
    """Counts what one place lost, by cause."""

    def __init__(self, where: str, before: Iterable[Loss] = ()) -> None:
        self._where = where
        self._by_cause = {loss.why: loss for loss in before}

    def add(self, why: str, rows: int, points: int, first: int, last: int) -> None:
        """Count lost rows between two steps."""
        if rows:
            known = self._by_cause.get(why) or Loss(self._where, why)
            self._by_cause[why] = known.plus(rows, points, first, last)

    def add_blocks(self, why: str, blocks: Iterable[RowBlock]) -> None:
        """Count lost blocks of rows."""
        for block in blocks:
            if len(block):
                low, high = int(block.steps.min()), int(block.steps.max())
                self.add(why, len(block), block.values.size, low, high)

    def add_events(self, why: str, steps: Iterable[int]) -> None:
        """Count lost histograms, texts or samples, given their steps."""
        for step in steps:
            self.add(why, 1, 0, step, step)

    def all(self) -> list[Loss]:
        """One entry a cause."""
        return list(self._by_cause.values())

    @property
    def points(self) -> int:
        """How many points in total."""
        return sum(loss.points for loss in self._by_cause.values())


def read_loss(record: Mapping[str, Any]) -> Loss:
    """The inverse of `as_dict`; raises `KeyError`, `TypeError` or `ValueError` for anything else."""
    first, last = record["first_step"], record["last_step"]
    return Loss(
        str(record["where"]),
        str(record["why"]),
        int(record["rows"]),
        int(record["points"]),
        None if first is None else int(first),
        None if last is None else int(last),
    )


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
    # another process owns the run and its `run.json`; this one writes beside it
    guest: bool = False


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
