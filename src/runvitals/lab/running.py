"""Run one case: a trainer on a task, healthy or with a fault, recorded like any other run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import psutil

import runvitals as rv
from runvitals.lab.contract import (
    Fault,
    Sickness,
    Strength,
    Task,
    Trained,
    Trainer,
    Variant,
    find_fault,
)
from runvitals.lab.instruments import Instruments
from runvitals.lab.registry import faults_of, trainer
from runvitals.model import ConfigError


@dataclass(frozen=True)
class Case:
    """What to train, and what is to be wrong with it. The same case gives the same numbers."""

    trainer: str
    task: str | None = None  # None: the trainer's usual one
    seed: int = 0
    fault: str | None = None
    strength: Strength = "clear"
    onset: float = 0.0  # the share of the run after which the fault sets in
    variant: str | None = None  # a healthy run that looks odd
    names: str | None = None  # the dialect to log in
    settings: Mapping[str, Any] = field(default_factory=dict)  # over those of task and variant

    @property
    def name(self) -> str:
        """All that makes the case, in one word.

        >>> Case("grpo", "sorting", seed=3, fault="lr-x100", onset=0.4).name
        'grpo-sorting-lr-x100-clear-late-seed3'
        """
        words = [self.trainer, self.task, self.variant, self.names, self.fault]
        if self.fault is not None:
            words += [self.strength, "late" if self.onset else None]
        return "-".join([word for word in words if word] + [f"seed{self.seed}"])


@dataclass(frozen=True)
class CaseResult:
    """How a case went, and where its record is."""

    case: Case
    folder: Path
    score: float  # on the healthy task, more is better
    learned: bool  # whether the score reached the task's target
    steps: int
    seconds: float
    memory_mb: float  # by how much the process grew
    onset_step: int | None  # the first logged step at which the fault acted


@dataclass(frozen=True)
class CasePlan:
    """What a case comes to: its parts by their names, which fit together."""

    case: Case
    trainer: Trainer
    task: Task
    variant: Variant
    fault: Fault | None
    names: Mapping[str, str]  # other names to log
    config: Any

    @property
    def tags(self) -> list[str]:
        """Of the recorded run."""
        return ["lab", f"fault:{self.case.fault}" if self.case.fault else "healthy"]

    @property
    def resume_at(self) -> float | None:
        """The share of the run at which it is stopped and gone on with."""
        return self.variant.resume_at if self.fault is None else self.fault.resume_at

    def sickness(self, on_progress: Callable[[float], None] | None = None) -> Sickness:
        """What goes wrong, and from when on."""
        case, known = self.case, faults_of(self.trainer)
        return Sickness(known, case.fault, case.strength, case.onset, on_progress)


def plan_of(case: Case) -> CasePlan:
    """Look up the parts of a case; a `ConfigError` lists the choices where there is none."""
    of = trainer(case.trainer)
    task = of.task(case.task)
    variant = of.variant(case.variant) if case.variant else Variant("usual", "")
    fault = find_fault(faults_of(of), case.fault) if case.fault else None
    for odd in (fault, variant):
        if odd is not None and odd.tasks and task.name not in odd.tasks:
            hint = f"try {', '.join(odd.tasks)}"
            raise ConfigError(f"{odd.name!r} does not apply to task {task.name!r}", hint=hint)
    if case.names is not None and case.names not in of.dialects:
        known = ", ".join(of.dialects) or "its own only"
        raise ConfigError(
            f"{of.name} does not log in the names of {case.names!r}", hint=f"try {known}"
        )
    config = _settings(of, {**task.settings, **variant.settings, **case.settings}, case.seed)
    names = of.dialects[case.names] if case.names else {}
    return CasePlan(replace(case, task=task.name), of, task, variant, fault, names, config)


def run_case(
    case: Case,
    dir: str | Path = "runs",
    *,
    project: str = "lab",
    id: str | None = None,
    on_progress: Callable[[float], None] | None = None,
    **record: Any,
) -> CaseResult:
    """Train and record one case below `dir`/`project`; `record` goes to `rv.init` (console=, ...)."""
    plan = plan_of(case)
    of, config, sick = plan.trainer, plan.config, plan.sickness(on_progress)
    options: dict[str, Any] = {
        "project": project,
        "name": case.name,
        "config": asdict(sick.settings(config)),
        "dir": dir,
        "tags": plan.tags,
        "framework": case.names.partition("-")[0] if case.names else of.framework,
        "algorithm": of.algorithm,
        **record,
    }

    started, resident = time.perf_counter(), psutil.Process().memory_info().rss
    onset_step: int | None = None
    grown = 0

    def life(begin: Mapping[str, Any], **part: Any) -> tuple[Trained, rv.LiveRun]:
        nonlocal onset_step, grown
        with rv.init(**options, **begin) as run:
            instruments = Instruments(run, sick, names=plan.names, hide=plan.variant.hide)
            trained = of.train(config, instruments, sick, **part)
            run.summary["score"] = trained.score
            grown = psutil.Process().memory_info().rss - resident  # while nothing is let go of
        onset_step = instruments.first_sick_step if onset_step is None else onset_step
        return trained, run

    if plan.resume_at is None:
        trained, run = life({"id": id})
    elif not of.resumable:
        raise ConfigError(f"trainer {of.name!r} cannot be stopped and resumed")
    else:
        stopped, run = life({"id": id}, stop_at=plan.resume_at)
        trained, run = life({"id": run.id, "resume": "must"}, resume=stopped.checkpoint)
    return CaseResult(
        case=case,
        folder=run.folder,
        score=trained.score,
        learned=trained.score >= plan.task.target,
        steps=trained.steps,
        seconds=time.perf_counter() - started,
        memory_mb=grown / 1e6,
        onset_step=onset_step,
    )


def _settings(of: Trainer, settings: Mapping[str, Any], seed: int) -> Any:
    known = {field.name for field in fields(of.config())}
    if unknown := sorted(set(settings) - known):
        raise ConfigError(
            f"{of.name} has no setting {unknown[0]!r}", hint=f"it has {', '.join(sorted(known))}"
        )
    return of.config(**{**settings, "seed": seed})
