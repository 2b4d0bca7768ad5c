"""What every trainer of the lab offers: tasks to learn, and faults that can be switched on.

    with rv.init(project="lab", config=asdict(config)) as run:
        result = train(config, run)

A fault is declared once, in the trainer's `FAULTS`, and acts in one of two ways. A wrong *setting*
(learning rate, gamma, ...) has a `change`: the trainer asks `sick.settings(config)` for the settings
that hold now. Everything else is a line in the trainer that asks `sick("its-name")` for the dose:

    now = sick.settings(config)
    if sick("advantage-sign"):
        advantages = -advantages
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from runvitals.model import ConfigError

if TYPE_CHECKING:
    from runvitals.lab.instruments import Instruments
    from runvitals.recorder.live import LiveRun

Recorder: TypeAlias = "LiveRun | Instruments"  # what a trainer logs to; `rv.init()` gives one
Strength = Literal["mild", "clear", "gross"]
Harm = Literal["outcome", "speed", "memory", "telemetry"]
Settings = TypeVar("Settings")

STRENGTHS: tuple[Strength, ...] = ("mild", "clear", "gross")
LATE = 0.4  # the share of the run after which a late fault sets in


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong in real training runs, and the rules that should name it.

    `doses` gives the number a trainer gets for each strength; a fault that is either there or not
    has only a clear one. Which of the declared faults do harm is measured, not declared: `harm` only
    says where to look for it.
    """

    name: str
    code: str  # in the list of faults that the rules are measured on
    title: str
    expect: tuple[str, ...] = ()  # rules, one of which should be found
    accept: tuple[str, ...] = ()  # rules that are right as well
    doses: Mapping[Strength, float] = field(default_factory=lambda: {"clear": 1.0})
    change: Callable[[Any, float], dict[str, Any]] | None = None  # (config, dose) to new settings
    harm: Harm = "outcome"
    late: bool = True  # may set in during the run, and not only from its start
    tasks: tuple[str, ...] = ()  # where it makes sense; empty: everywhere
    resume_at: float | None = None  # the run is stopped and resumed at this share


class Sickness:
    """The fault of one run, if it has one: whether it acts now, and how strongly.

    A trainer says how far it is with `at()` and asks before each thing that can go wrong.

    >>> fault = Fault("lr-high", "P01", "learning rate too high", ("KL001",), doses={"clear": 100.0})
    >>> sick = Sickness([fault], "lr-high", onset=0.4)
    >>> sick.at(0.1); sick("lr-high", otherwise=1.0)
    1.0
    >>> sick.at(0.5); sick("lr-high", otherwise=1.0)
    100.0
    """

    def __init__(
        self,
        faults: Sequence[Fault] = (),
        name: str | None = None,
        strength: Strength = "clear",
        onset: float = 0.0,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        self._known = {fault.name: fault for fault in faults}
        self.fault = None if name is None else find_fault(faults, name)
        self.strength = strength
        self.onset = onset
        self.progress = 0.0
        self._on_progress = on_progress
        if (fault := self.fault) is not None:
            if strength not in fault.doses:
                hint = f"it has {', '.join(fault.doses)}"
                raise ConfigError(f"fault {fault.name!r} has no strength {strength!r}", hint=hint)
            if onset and not fault.late:
                raise ConfigError(f"fault {fault.name!r} can only be there from the start")

    def at(self, progress: float) -> None:
        """Say how much of the run is done, from 0 to 1."""
        self.progress = progress
        if self._on_progress is not None:
            self._on_progress(progress)

    @property
    def active(self) -> bool:
        """Whether the fault acts now."""
        return self.fault is not None and self.progress >= self.onset

    def __call__(self, name: str, otherwise: float = 0.0) -> float:
        """The dose of this fault while it acts, else `otherwise`."""
        if self._known and name not in self._known:
            raise KeyError(f"no fault {name!r} is declared")
        if self.fault is None or self.fault.name != name or not self.active:
            return otherwise
        return self.fault.doses[self.strength]

    def settings(self, config: Settings) -> Settings:
        """The settings that hold now: `config`, but for what a fault has changed."""
        if self.fault is None or self.fault.change is None or not self.active:
            return config
        changed = self.fault.change(config, self.fault.doses[self.strength])
        return dataclasses.replace(config, **changed)  # type: ignore[type-var]


HEALTHY = Sickness()


def find_fault(faults: Sequence[Fault], name: str) -> Fault:
    """By name or by code; an error that lists the choices if there is none."""
    for fault in faults:
        if name in (fault.name, fault.code):
            return fault
    names = ", ".join(fault.name for fault in faults)
    raise ConfigError(f"no fault {name!r}", hint=f"one of: {names}")


@dataclass(frozen=True)
class Task:
    """Something to learn: settings for the trainer, and the score that counts as learned."""

    name: str
    title: str
    score: str  # what the score is, in words
    target: float
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Variant:
    """A healthy run that looks odd: a judge must not call it sick."""

    name: str
    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    hide: tuple[str, ...] = ()  # patterns of names that are not logged
    resume_at: float | None = None  # stopped here and resumed, as a share of the run
    learns: bool = True  # whether the task's target is meant to be reached
    tasks: tuple[str, ...] = ()  # where it makes sense; empty: everywhere


@dataclass(frozen=True)
class Trained:
    """How a training went. The score is taken on the healthy task, whatever the fault changed."""

    score: float  # more is better
    steps: int
    seconds: float
    checkpoint: Any = field(default=None, kw_only=True)  # to resume from, if it was stopped before


@dataclass(frozen=True)
class Trainer:
    """One trainer of the lab, with all that can be asked of it."""

    name: str
    title: str
    algorithm: str
    config: Callable[..., Any]  # the class of its settings
    train: Callable[..., Trained]
    tasks: tuple[Task, ...]  # the first is the usual one
    faults: tuple[Fault, ...]
    variants: tuple[Variant, ...] = ()
    framework: str = "runvitals"  # whose names it logs
    resumable: bool = False  # `train` also takes `stop_at=` (a share of the run) and `resume=`
    dialects: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # other names to log

    def task(self, name: str | None = None) -> Task:
        """The named task, or the usual one."""
        if name is None:
            return self.tasks[0]
        return _named(self.tasks, name, f"task of {self.name}")

    def variant(self, name: str) -> Variant:
        """The named healthy variant."""
        return _named(self.variants, name, f"variant of {self.name}")


Named = TypeVar("Named", Task, Variant)


def _named(choices: Sequence[Named], name: str, what: str) -> Named:
    for choice in choices:
        if choice.name == name:
            return choice
    raise ConfigError(f"no {what} {name!r}", hint=f"one of: {', '.join(c.name for c in choices)}")
