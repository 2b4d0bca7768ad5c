"""PERF006."""

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

OWN_FORMAT = "runvitals"
CUT_OFF = {
    "failed": "the run failed",
    "crashed": "the run crashed",
    "killed": "the run was killed",
}
STOPPED = "stopped"  # by its user
ALL_BUT_DONE = 0.98  # of the plan: the last rows may be lost (judgement)
FAR_SHORT = 0.9  # of the plan (judgement)
HARDLY_ANY = (
    0.05  # of the plan: it may be in another unit, or a number that is never meant to be reached
)
A_PART = 0.25  # of the plan: nobody who meant the rest calls that good enough (judgement)
MIN_ROWS = 10  # a trial of a few rows is not a run that was meant to go on (judgement)
# Tools whose number of steps is a limit and not a plan: ML-Agents trains beside an open editor, and is
# commonly stopped by hand (judgement, from public logs that end early with a good outcome).
LIMIT_ONLY = ("ml-agents",)
NO_PLAN = 1e-4  # of it (judgement)
LINEAR_BY_DEFAULT = ("transformers", "trl")  # `lr_scheduler_type="linear"`, which ends at 0
USUAL_INTERVALS = 10.0  # without a row before a live run is called stalled (judgement)
MINUTE, TWO_MINUTES = 60.0, 120.0  # seconds; from two on told in minutes
LARGE = 1000  # from here on told without fractions
HALF_A_PERCENT = 0.005  # less is rounded to 0
MISSED_ROWS = 2.0  # usual intervals: the last row need not be the last step
MAY_BE_LIVE = 3600.0  # seconds since the last row (judgement)
CHECKPOINT = "trainer_state"  # in the name of a format that is saved with a checkpoint
# A schedule that falls on one straight line was made to end at 0: so the Trainer's default does, and
# where the line meets 0 is the plan. Rows of it, and how far they may lie off the line (rounding).
MIN_RATES, OFF_LINE = 10, 1e-3


@rule("PERF006", "run-stalled", severity="critical")
def run_stalled(patient: Patient, *, seconds: float = 300.0) -> Iterator[Hit]:
    """Nothing is being logged: the run hangs, or its record stops before the end.

    ## What it looks for
    - **A live run** that has logged nothing for five minutes, or for ten times its usual interval
      if that is longer: critical.
    - **A run recorded by runvitals** that never reported that it finished: a warning with the step
      at which the record stops.
    - **Another tool's log** that ends before nine tenths of the planned steps or epochs: a warning
      if the tool says that the run crashed or was killed, or if the outcome is not doing well.
      Otherwise it is a notice, because most tools do not record how a run ended, and many runs are
      stopped once they are good enough.

    If another tool's log ends before a quarter of the plan, it is a warning too, unless one of
    these holds:

    - the outcome has settled at its best
    - there are fewer than ten rows
    - the tool is usually stopped by hand (ML-Agents)

    It is a notice at most for a state saved with a checkpoint, since training may have continued
    after it, and if next to nothing of the plan was done, since the plan may count in another unit.

    If a log of the Hugging Face Trainer does not state a plan, the schedule does: a learning rate
    that falls in a straight line was meant to reach 0 at the end.

    Runs stopped by their user, and runs whose last row is less than an hour old, are left alone.
    The END rules say why a run ended.

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
    last = run.last_step
    if run.status == STOPPED or last is None:
        return
    if patient.until is not None and patient.until < last:
        return
    name, rows = _rows(patient)
    if name is None:
        return
    if run.status == "running":
        if len(rows) < 2:
            return
        quiet = time.time() - float(rows[-1])
        gaps = np.diff(rows)
        gaps = gaps[gaps > 0]
        patience = max(seconds, USUAL_INTERVALS * float(np.median(gaps)) if len(gaps) else seconds)
        if quiet > patience:
            yield Hit(
                series=name,
                span=Span(last, last, 1),
                message=f"nothing logged for {_for_how_long(quiet)}, since step {last:,}",
                advice="dump the stacks of all ranks, and see what the run did last",
                causes=("a dead rank", "a deadlock", "a call that does not return", "a full disk"),
            )
    elif run.status in CUT_OFF and run.format == OWN_FORMAT:
        planned = patient.planned_steps
        done = planned is not None and last >= ALL_BUT_DONE * planned
        of = f" of {planned:,}" if planned else ""
        yield Hit(
            series=name,
            span=Span(last, last, 1),
            message=f"the record stops at step {last:,}{of}: {CUT_OFF[run.status]}",
            advice="look at the end of its output, and search the system log for a killed process",
            severity="notice" if done else "warning",
            causes=("an error", "out of memory", "killed from outside"),
        )
    elif run.format != OWN_FORMAT:
        yield from _short_of_plan(patient, name, rows)


def _has_settled(patient: Patient) -> bool:
    """Whether the outcome no longer gets better; a loss of training batches always looks like that."""
    health = patient.health
    on_batches = health.main is not None and health.main.role.kind == "loss"
    return health.plot == "holds" and not (on_batches and health.outcomes.held_out is None)


class Plan(NamedTuple):
    """How far the run came, of how much, in which words."""

    done: float
    planned: float
    unit: str
    apart: float  # usual distance of two rows


def _short_of_plan(patient: Patient, name: str, rows: np.ndarray) -> Iterator[Hit]:
    """A log that ends before the plan it tells itself."""
    run, plan = patient.run, _plan(patient, name)
    if plan is None or not NO_PLAN <= plan.done / plan.planned < FAR_SHORT:
        return
    live = len(rows) > 0 and time.time() - float(rows[-1]) < MAY_BE_LIVE
    if plan.planned - plan.done <= MISSED_ROWS * plan.apart or live or _stops_early(patient):
        return
    severity: Severity = "notice"
    saved_on_the_way = CHECKPOINT in run.format and run.status != "finished"
    snapshot = saved_on_the_way or plan.done < HARDLY_ANY * plan.planned
    if run.status in CUT_OFF or not (run.status == "finished" or snapshot or patient.health.good):
        severity = "warning"
    at_top = patient.health.solved or _has_settled(patient)
    told = patient.raw(name)
    tried = told is None or len(told) < MIN_ROWS or run.framework in LIMIT_ONLY
    excused = snapshot or at_top or tried or _other_unit(patient, plan)
    if plan.done < A_PART * plan.planned and not excused:
        severity = "warning"
    how = CUT_OFF.get(run.status, "the log simply ends there")
    how = "the log says it finished" if run.status == "finished" else how
    last = patient.last_step
    yield Hit(
        series=name,
        span=Span(last, last, 1),
        message=f"ended at {plan.unit} {_number(plan.done)} of {_number(plan.planned)} "
        f"({_percent(plan.done / plan.planned)}): {how}",
        advice="look at the end of its output; if it was cut off, resume from the last checkpoint",
        severity=severity,
        causes=("stopped by hand", "an error", "out of memory or time", "early stopping"),
    )


def _plan(patient: Patient, name: str) -> Plan | None:
    """The plan in steps, or in epochs that are counted by fractions, or where the schedule ends."""
    series, planned, last = patient.raw(name), patient.planned_steps, patient.last_step
    apart = np.diff(series.steps) if series is not None else np.empty(0)
    usual = float(np.median(apart)) if len(apart) else 1.0
    if planned is not None and last > 0 and (planned > last or _tells_steps(patient)):
        return Plan(last, planned, "step", usual)
    epochs, seen = patient.number("total_epochs"), patient.find("progress/epoch")
    if epochs and seen is not None and np.any(seen.values % 1) and seen.last > 0:
        moves = np.diff(seen.values)
        return Plan(seen.last, epochs, "epoch", float(np.median(moves)) if len(moves) else 0.0)
    scheduled = _end_of_schedule(patient)
    return None if scheduled is None or last <= 0 else Plan(last, scheduled, "step", usual)


def _tells_steps(patient: Patient) -> bool:
    """Whether the log itself says how many steps were planned, so that all of them may be done."""
    return "total_steps" in patient.run.progress or patient.number("total_steps") is not None


def _end_of_schedule(patient: Patient) -> int | None:
    """The step at which a learning rate that falls on a straight line reaches 0; None if none does."""
    rate = patient.find("optim/learning_rate")
    if rate is None or patient.run.framework not in LINEAR_BY_DEFAULT:
        return None
    falling = _fall(rate)
    if falling is None:
        return None
    slope, offset = np.polyfit(falling.steps.astype(np.float64), falling.values, 1)
    line = slope * falling.steps + offset
    top = float(falling.values.max())
    if slope >= 0 or float(np.abs(falling.values - line).max()) > OFF_LINE * top:
        return None
    return round(float(-offset / slope))


def _fall(rate: Series) -> Series | None:
    """The part of a schedule after its highest point; None if there is too little of it."""
    falling = rate.part(int(np.argmax(rate.values)))
    enough = len(falling) >= MIN_RATES and bool(np.all(np.diff(falling.values) < 0))
    return falling if enough else None


def _other_unit(patient: Patient, plan: Plan) -> bool:
    """Whether the plan is done if steps are counted for each environment or batch apart."""
    factors = (patient.number(key) for key in ("n_envs", "gradient_accumulation_steps"))
    return any(one and one * plan.done >= FAR_SHORT * plan.planned for one in factors)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= LARGE or value == int(value) else f"{value:.3g}"


def _percent(share: float) -> str:
    """Whole percent, with decimals where that would read as 0."""
    return f"{share:.0%}" if share >= HALF_A_PERCENT else f"{share:.2%}"


def _stops_early(patient: Patient) -> bool:
    """Whether the settings say that the run ends by itself when it no longer gets better."""
    words = ("early_stop", "earlystop", "stop_train", "stop_on", "stop_reward", "reward_threshold")
    return any(
        any(word in str(key).lower() for word in words) and bool(value)
        for key, value in patient.run.config.items()
    )


def _for_how_long(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < TWO_MINUTES else f"{seconds / MINUTE:.0f} minutes"


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
