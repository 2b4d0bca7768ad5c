import time

import numpy as np

from runvitals.rules.end import ALL_BUT_DONE, OWN_FORMAT, end_of
from runvitals.rules.kit import FloatArray, Hit, Patient, Span, rule

CUT_OFF = {"failed": "the run failed", "crashed": "the run crashed", "killed": "the run was killed"}
ALL_OF_IT = 0.9  # of the plan: the last rows may be missing (judgement)
USUAL_INTERVALS = 10.0  # without a row before a live run is called stalled (judgement)


@rule("PERF006", fact=True)
def run_stalled(patient: Patient, *, seconds: float = 300.0) -> Hit | None:
    """Nothing is being logged: the run hangs, or its record stops before the end.

    ## What it looks for
    - **A live run** that has logged nothing for five minutes, or for ten times its usual interval
      if that is longer: critical.
    - **A run recorded by runvitals** that never reported that it finished: a warning with the step
      at which the record stops, or a notice if the plan was all but done.
    - **Another tool's log** that ends before 90% of the planned steps, if the tool says that the run
      failed, crashed or was killed. Otherwise it says nothing: many good runs are stopped once they
      are good enough.

    It is silent if the END rules know how the run ended, or if its user stopped it.

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
        return None
    if patient.until is not None and patient.until < patient.whole.last_step:
        return None
    name, rows = patient.once(_rows)
    if name is None:
        return None
    last = patient.last_step
    here = Span(last, last, 1)
    if run.status == "running":
        return _hangs(name, here, rows, seconds)
    done, own = patient.progress or 0.0, run.format == OWN_FORMAT
    if run.status not in CUT_OFF or (not own and (not done or done >= ALL_OF_IT)):
        return None
    of = f" of {patient.planned_steps:,}" if patient.planned_steps else ""
    return Hit(
        series=name,
        span=here,
        message=f"the record stops at step {last:,}{of}: {CUT_OFF[run.status]}",
        advice="look at the end of its output, and search the system log for a killed process",
        severity="notice" if done >= ALL_BUT_DONE else None,
        causes=("an error", "out of memory", "killed from outside"),
    )


def _hangs(name: str, here: Span, rows: FloatArray, seconds: float) -> Hit | None:
    """A live run without a row for longer than this, and than ten times its usual interval."""
    quiet = time.time() - float(rows[-1]) if len(rows) > 1 else 0.0
    gaps = np.diff(rows)[np.diff(rows) > 0]
    if quiet <= max(seconds, USUAL_INTERVALS * float(np.median(gaps)) if len(gaps) else 0.0):
        return None
    how_long = f"{quiet:.0f} seconds" if quiet < 120 else f"{quiet / 60:.0f} minutes"
    return Hit(
        series=name,
        span=here,
        message=f"nothing logged for {how_long}, since step {here.last:,}",
        advice="dump the stacks of all ranks, and see what the run did last",
        severity="critical",
        causes=("a dead rank", "a deadlock", "a call that does not return", "a full disk"),
    )


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
