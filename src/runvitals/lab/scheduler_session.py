"""One call of `runvitals lab run scheduler --output-dir OUT`: begin a run there, or go on with it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runvitals.lab.contract import Task
from runvitals.lab.running import CasePlan, plan_of
from runvitals.lab.scheduler import Scheduled
from runvitals.lab.scheduler_learner import comparable
from runvitals.lab.scheduler_output import (
    CHECKPOINTS,
    check_unchanged,
    newest_checkpoint,
    train_scheduler,
)
from runvitals.lab.scheduler_settings import (
    OF_THE_CASE,
    WHOLE_FILE,
    ChosenSettings,
    Monitoring,
    as_content,
    read_settings,
)
from runvitals.model import RunExistsError, StoreError
from runvitals.model.atomic import replacing
from runvitals.store.layout import is_run_folder
from runvitals.store.run_file import run_file_if_any


@dataclass(frozen=True)
class SchedulerSession:
    """How far a run is after one call."""

    folder: Path
    task: Task
    trained: Scheduled | None  # None: it was complete already
    score: float
    begun_at: int  # the step after which this call went on; 0: it began the run
    steps: int
    chunks_done: int
    chunks: int
    seconds: float
    onset_step: int | None  # the first logged step at which a fault acts

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.chunks_done == self.chunks


def run_session(
    output_dir: Path,
    given: ChosenSettings,
    *,
    resume: bool = False,
    max_chunks: int | None = None,
    on_progress: Callable[[float], None] | None = None,
    **record: Any,
) -> SchedulerSession:
    """Train in a folder; `max_chunks` stops after this many, and `resume` goes on after them.

    A run that goes on keeps what it was begun with: of `given`, only the monitoring may differ.
    """
    folder = output_dir.expanduser().absolute()
    there = is_run_folder(folder)
    if there and not resume:
        how_far, kept = "no chunk of it is done", newest_checkpoint(folder / CHECKPOINTS)
        if kept is not None:
            chunks, length = kept.settings["chunks"], kept.settings["updates_per_chunk"]
            how_far = f"{kept.update // length} of {chunks} chunks done"
        told = f"this folder holds a run already ({how_far})"
        hint = "--resume continues it; a new run takes another folder"
        raise RunExistsError(told, where=folder, hint=hint)
    given = _begun_before(folder, given) if resume else given
    plan = plan_of(given.as_case())
    config, sick = plan.config, plan.sickness(on_progress)
    checkpoints = Path(config.checkpoint_dir or folder / CHECKPOINTS)
    kept = newest_checkpoint(checkpoints) if there else None
    done = 0 if kept is None else kept.update
    ending = run_file_if_any(folder).content if there else {}
    if done == config.updates and ending.get("status") == "finished":
        score = float(ending.get("summary", {}).get("score", "nan"))
        return _session(folder, plan, None, score, done, time.perf_counter())

    _write_plan(folder, plan, given.monitoring)
    started = time.perf_counter()
    for stop_at in _stops(plan, done, max_chunks):
        trained = train_scheduler(
            config,
            folder,
            sick,
            monitoring=Monitoring(**given.monitoring),
            stop_at=stop_at,
            names=plan.names,
            hide=plan.variant.hide,
            name=plan.case.name,
            tags=plan.tags,
            **record,
        )
    return _session(folder, plan, trained, trained.score, done, started)


def _write_plan(folder: Path, plan: CasePlan, monitoring: Mapping[str, Any]) -> None:
    """Keep every setting, so that it stays the same run when a default changes."""
    case = {name: getattr(plan.case, name) for name in OF_THE_CASE}
    settings = {**comparable(plan.config), "checkpoint_dir": plan.config.checkpoint_dir}
    del settings["seed"]
    content = as_content(ChosenSettings(case, settings, monitoring))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / WHOLE_FILE, durable=True) as file:
            file.write(json.dumps(content, indent=2).encode())
    except OSError as error:
        told = f"cannot write a run here: {error.strerror or error}"
        hint = "give a writable folder with --output-dir"
        raise StoreError(told, where=folder, hint=hint) from error


def _session(
    folder: Path, plan: CasePlan, trained: Scheduled | None, score: float, done: int, started: float
) -> SchedulerSession:
    case, config = plan.case, plan.config
    steps = done * config.batch if trained is None else trained.steps
    sick_from = (u for u in range(config.updates) if u / config.updates >= case.onset)
    first = next(sick_from, None) if case.fault else None
    return SchedulerSession(
        folder=folder,
        task=plan.task,
        trained=trained,
        score=score,
        begun_at=done * config.batch,
        steps=steps,
        chunks_done=steps // (config.batch * config.updates_per_chunk),
        chunks=config.chunks,
        seconds=time.perf_counter() - started,
        onset_step=None if first is None else (first + 1) * config.batch,
    )


def _stops(plan: CasePlan, done: int, max_chunks: int | None) -> list[float]:
    """Shares of the run at which to stop; all but the last go on at once."""
    config, end = plan.config, 1.0
    if max_chunks is not None:
        chunks = done // config.updates_per_chunk + max_chunks
        end = min(1.0, chunks / config.chunks)
    begun, pause = done / config.updates, plan.resume_at
    return [pause, end] if pause is not None and begun < pause < end else [end]


def _begun_before(folder: Path, given: ChosenSettings) -> ChosenSettings:
    """The settings of a run that goes on; they must be those that it was begun with."""
    path = folder / WHOLE_FILE
    if not path.exists():
        return given  # recorded from Python; its checkpoints know the settings
    before = read_settings(path)
    chosen = given.over(before)
    check_unchanged(_facts(before), _facts(chosen), folder)
    return chosen


def _facts(chosen: ChosenSettings) -> dict[str, Any]:
    """All that decides the numbers of a run, by name."""
    plan = plan_of(chosen.as_case())
    case = {name: getattr(plan.case, name) for name in OF_THE_CASE}
    return {**case, **comparable(plan.config)}
