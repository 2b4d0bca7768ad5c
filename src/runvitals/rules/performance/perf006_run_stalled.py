"""PERF006."""

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from runvitals.model import Hit, Span
from runvitals.model.formatting import short_number
from runvitals.rules.end._ending import ALL_BUT_DONE, OWN_FORMAT, end_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

CUT_OFF = {
    "failed": "the run failed",
    "crashed": "the run crashed",
    "killed": "the run was killed",
}
HARDLY_ANY = 0.05  # of the plan: it may be in another unit, or never be meant to be reached
A_PART = 0.25  # of the plan: nobody who meant the rest calls that good enough (judgement)
ALL_OF_IT = 0.9  # of the plan: the last rows may be missing (judgement)
MIN_ROWS = 10  # fewer are a trial, and do not tell where a schedule ends (judgement)
USUAL_INTERVALS = 10.0  # without a row before a live run is called stalled (judgement)
MAY_BE_LIVE = 3600.0  # seconds since the last row of another tool's log (judgement)


@rule("PERF006", "run-stalled", severity="warning", fact=True)
def run_stalled(patient: Patient, *, seconds: float = 300.0) -> Iterator[Hit]:
    """Nothing is being logged: the run hangs, or its record stops before the end.

    ## What it looks for
    - **A live run** that has logged nothing for five minutes, or for ten times its usual interval
      if that is longer: critical.
    - **A run recorded by runvitals** that never reported that it finished: a warning with the step
      at which the record stops, or a notice if the plan was all but done.
    - **Another tool's log** that ends between 5% and 90% of the planned steps or epochs: a warning
      if the tool says that the run crashed or was killed, if the outcome is not doing well, or
      if it ends before a quarter of the plan while the outcome still improves (ML-Agents is
      usually stopped by hand and excepted). Otherwise it says nothing: many good runs are
      stopped once they are good enough.

    If a log of the Hugging Face Trainer does not state a plan, the schedule does: a learning rate
    that falls in a straight line was meant to reach 0 at the end.

    It is silent if the END rules know how the run ended, if its user stopped it, if its settings
    ask for early stopping, and about a state saved with a checkpoint, since training may have
    continued after it, or a log of fewer than ten rows. Logs whose last row is
    less than an hour old may go on.

    ## Why it matters
    A hanging run holds its devices until somebody looks. A record that stops early is not a result.

    ## Usual causes
    1. A collective operation that waits for a dead rank.
    2. A deadlock in the environment.
    3. A tool or judge that does not answer.
    4. Out of memory, or a full disk.

    ## What to try
    Dump the stacks of all ranks. Look at the last part of the step that was timed, and search the
    system log for a killed process.

    ## When to ignore it
    Long evaluations or checkpoints: raise `seconds`.

    ## Sources
    SageMaker Debugger (StalledTraining); our own experience.
    """
    run = patient.run
    if run.status == "stopped" or end_of(patient) is not None:
        return
    if patient.until is not None and patient.until < patient.whole.last_step:
        return
    name, rows = patient.once(_rows)
    if name is None:
        return
    last = patient.last_step
    here = Span(last, last, 1)
    if run.status == "running":
        quiet = time.time() - float(rows[-1]) if len(rows) > 1 else 0.0
        gaps = np.diff(rows)[np.diff(rows) > 0]
        if quiet > max(seconds, USUAL_INTERVALS * float(np.median(gaps)) if len(gaps) else 0.0):
            yield Hit(
                series=name,
                span=here,
                message=f"nothing logged for {_for_how_long(quiet)}, since step {last:,}",
                advice="dump the stacks of all ranks, and see what the run did last",
                severity="critical",
                causes=("a dead rank", "a deadlock", "a call that does not return", "a full disk"),
            )
    elif run.format == OWN_FORMAT and run.status in CUT_OFF:
        of = f" of {patient.planned_steps:,}" if patient.planned_steps else ""
        yield Hit(
            series=name,
            span=here,
            message=f"the record stops at step {last:,}{of}: {CUT_OFF[run.status]}",
            advice="look at the end of its output, and search the system log for a killed process",
            severity="notice" if (patient.progress or 0.0) >= ALL_BUT_DONE else None,
            causes=("an error", "out of memory", "killed from outside"),
        )
    elif run.format != OWN_FORMAT and (plan := _short_of_plan(patient, name)) is not None:
        if len(rows) and time.time() - float(rows[-1]) < MAY_BE_LIVE:
            return
        yield Hit(
            series=name,
            span=here,
            message=f"ended at {plan.unit} {short_number(plan.done)} of {short_number(plan.planned)} "
            f"({plan.done / plan.planned:.0%}): "
            f"{CUT_OFF.get(run.status, 'the log simply ends there')}",
            advice="look at the end of its output; if it was cut off, resume from the last checkpoint",
            causes=("stopped by hand", "an error", "out of memory or time", "early stopping"),
        )


class PlanReached(NamedTuple):
    """How far the run came, of how much, in which words."""

    done: float
    planned: float
    unit: str
    apart: float  # usual distance of two rows


def _short_of_plan(patient: Patient, name: str) -> PlanReached | None:
    """The plan of a log that ends too far before it; None if it does not, or is excused."""
    run, plan = patient.run, _plan(patient, name)
    if plan is None or not HARDLY_ANY <= plan.done / plan.planned < ALL_OF_IT:
        return None
    if plan.planned - plan.done <= 2 * plan.apart or _stops_early(patient):
        return None
    if run.status in CUT_OFF:
        return plan
    saved_on_the_way = "trainer_state" in run.format and run.status != "finished"
    if saved_on_the_way or len(patient.run.points.column(name)[0]) < MIN_ROWS:
        return None
    if plan.done < A_PART * plan.planned and not _is_enough(patient):
        return plan
    return None if run.status == "finished" or patient.health.good else plan


def _is_enough(patient: Patient) -> bool:
    """Whether the outcome has settled, or such runs are usually stopped by hand (ML-Agents).

    A loss of training batches settles long before training is done.
    """
    health = patient.health
    on_batches = health.main is not None and health.main.role.kind == "loss"
    settled = health.plot == "holds" and not (on_batches and health.outcomes.held_out is None)
    return health.solved or settled or patient.run.framework == "ml-agents"


def _plan(patient: Patient, name: str) -> PlanReached | None:
    """The plan in steps, or in epochs that are counted by fractions, or where the schedule ends."""
    series, planned, last = patient.raw(name), patient.planned_steps, patient.last_step
    told = "total_steps" in patient.run.progress or patient.number("total_steps") is not None
    apart = (
        float(np.median(np.diff(series.steps))) if series is not None and len(series) > 1 else 1.0
    )
    if planned is not None and last > 0 and (planned > last or told):
        return PlanReached(last, planned, "step", apart)
    epochs, seen = patient.number("total_epochs"), patient.find("progress/epoch")
    if epochs and seen is not None and np.any(seen.values % 1) and seen.last > 0:
        moves = np.diff(seen.values)
        return PlanReached(
            seen.last, epochs, "epoch", float(np.median(moves)) if len(moves) else 0.0
        )
    scheduled = _end_of_schedule(patient)
    return None if scheduled is None or last <= 0 else PlanReached(last, scheduled, "step", apart)


def _end_of_schedule(patient: Patient) -> int | None:
    """The step at which a learning rate that falls on a straight line reaches 0; None if none does."""
    rate = patient.find("optim/learning_rate")
    if rate is None or patient.run.framework not in ("transformers", "trl"):
        return None
    fall = rate.part(int(np.argmax(rate.values)))
    if len(fall) < MIN_ROWS or np.any(np.diff(fall.values) >= 0):
        return None
    slope, offset = np.polyfit(fall.steps.astype(np.float64), fall.values, 1)
    off_line = np.abs(fall.values - slope * fall.steps - offset).max()
    return None if off_line > 1e-3 * fall.values[0] else round(float(-offset / slope))


def _stops_early(patient: Patient) -> bool:
    """Whether the settings say that the run ends by itself when it no longer gets better."""
    words = ("early_stop", "earlystop", "stop_train", "stop_on", "stop_reward", "reward_threshold")
    return any(
        any(word in str(key).lower() for word in words) and bool(value)
        for key, value in patient.run.config.items()
    )


def _for_how_long(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def _rows(patient: Patient) -> tuple[str | None, np.ndarray]:
    """The series that was logged last, and the times of its rows."""
    best: tuple[float, str] | None = None
    for name in patient.run.names():
        _, times, _ = patient.run.points.column(name)
        last = float(np.fmax.reduce(times)) if len(times) else np.nan
        key = last if np.isfinite(last) else -np.inf
        if not name.lower().startswith("system/") and (best is None or key > best[0]):
            best = (key, name)
    if best is None:
        return None, np.empty(0)
    _, times, _ = patient.run.points.column(best[1])
    return best[1], np.sort(times[np.isfinite(times)])
