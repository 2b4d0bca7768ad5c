"""A recorder that only remembers, and a way to run a trainer of the lab with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from runvitals.lab.contract import Fault, Sickness, Strength, Trained, Trainer
from runvitals.recorder.pending import Timing


class Notes:
    """What a trainer logged, row by row."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.steps: list[int | None] = []
        self.counters: dict[str, float] = {}
        self.samples: list[Any] = []
        self.summary: dict[str, Any] = {}

    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        self.rows.append(dict(values))
        self.steps.append(step)

    @contextmanager
    def timer(self, stage: str, tokens: float | None = None) -> Iterator[Timing]:
        yield Timing(seconds=1.0, tokens=tokens)

    def count(self, **amounts: float) -> None:
        for name, amount in amounts.items():
            self.counters[name] = self.counters.get(name, 0.0) + amount

    def log_samples(self, samples: Any, step: int | None = None) -> None:
        self.samples.append(samples)

    def progress(self, **fields: Any) -> dict[str, Any]:
        return fields

    def log_nothing(self, *_: Any, **__: Any) -> None:
        """What these tests do not look at."""

    log_histogram = log_text = log_actions = log_reward_breakdown = log_nothing

    @property
    def names(self) -> set[str]:
        return {name for row in self.rows for name in row}

    def first(self, rows: int) -> Notes:
        """These notes as they were after some rows."""
        early = Notes()
        early.rows, early.steps = self.rows[:rows], self.steps[:rows]
        return early

    def __getitem__(self, name: str) -> list[float]:
        return [row[name] for row in self.rows if name in row]


def play(
    trainer: Trainer,
    fault: str | None = None,
    strength: Strength = "clear",
    onset: float = 0.0,
    **settings: Any,
) -> tuple[Notes, Trained]:
    """Run a trainer, with a fault or without."""
    notes = Notes()
    sick = Sickness(trainer.faults, fault, strength, onset)
    return notes, trainer.train(trainer.config(**settings), notes, sick)


def doses(trainer: Trainer) -> list[tuple[str, Strength]]:
    """Every fault of a trainer at every strength."""
    return [(fault.name, strength) for fault in trainer.faults for strength in fault.doses]


def same(a: Notes, b: Notes) -> bool:
    """Whether two trainers logged the same numbers, bit for bit; NaN is NaN."""
    if len(a.rows) != len(b.rows):
        return False
    return all(
        left.keys() == right.keys()
        and all(np.array_equal(left[name], right[name], equal_nan=True) for name in left)
        for left, right in zip(a.rows, b.rows, strict=True)
    )


def asks_for(fault: Fault, source: str) -> bool:
    """Whether a trainer's source has the place where a fault acts."""
    return fault.change is not None or fault.name in asked_in(source)


def asked_in(source: str) -> set[str]:
    """The faults that a source asks for."""
    calls = re.findall(r'(?:sick|_dose)\(\s*("[^)]+)\)', source)
    return {name for call in calls for name in re.findall(r'"([a-z0-9.-]+)"', call)}
