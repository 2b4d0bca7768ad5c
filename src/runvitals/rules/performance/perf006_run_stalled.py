"""PERF006."""

import time
from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

OWN_FORMAT = "runvitals"
CUT_OFF = ("crashed", "killed")
ALL_BUT_DONE = 0.98


@rule("PERF006", "run-stalled", severity="critical")
def run_stalled(patient: Patient, *, seconds: float = 300.0) -> Iterator[Hit]:
    """Nothing comes any more: the run hangs, or its record stops short of the end.

    ## What it looks for
    A run that says that it is running and has logged nothing for five minutes, or for ten times its
    usual interval if that is longer: critical. A run of our own recorder that never said that it
    finished: a warning with the step at which the record stops. Other tools' logs that merely end are
    left alone, for most tools do not write down how a run ended, and so is a run that its user stopped.

    ## Why it matters
    A hanging run holds its devices until somebody looks; a record that stops is not a result.

    ## Usual causes
    1. A collective operation that waits for a dead rank.
    2. A deadlock in the environment.
    3. A tool or judge that does not answer.
    4. Out of memory, or a full disk.

    ## What to try
    Dump the stacks of all ranks; look at the last part of the step that was timed, and at the system's
    log for a killed process.

    ## When to ignore it
    Long evaluations or checkpoints: raise `seconds`.

    ## Sources
    SageMaker Debugger (StalledTraining); our own experience.
    """
    run = patient.run
    last = run.last_step
    if run.status not in ("running", *CUT_OFF) or last is None:
        return
    if patient.until is not None and patient.until < last:
        return
    name, rows = _rows(patient)
    if name is None:
        return
    if run.status == "running" and len(rows) > 1:
        quiet = time.time() - float(rows[-1])
        gaps = np.diff(rows)
        gaps = gaps[gaps > 0]
        patience = max(seconds, 10.0 * float(np.median(gaps)) if len(gaps) else seconds)
        if quiet > patience:
            yield Hit(
                series=name,
                span=Span(last, last, 1),
                message=f"nothing was logged for {_for_how_long(quiet)}, since step {last:,}",
                advice="dump the stacks of all ranks, and see what was done last",
                causes=("a dead rank", "a deadlock", "a call that does not return", "a full disk"),
            )
    elif run.status in CUT_OFF and run.format == OWN_FORMAT:
        planned = patient.planned_steps
        done = planned is not None and last >= ALL_BUT_DONE * planned
        of = f" of {planned:,}" if planned else ""
        yield Hit(
            series=name,
            span=Span(last, last, 1),
            message=f"the record stops at step {last:,}{of}: the run {run.status}",
            advice="look at the end of its output, and for a killed process in the system's log",
            severity="notice" if done else "warning",
            causes=("an error", "out of memory", "killed from outside"),
        )


def _for_how_long(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def _rows(patient: Patient) -> tuple[str | None, np.ndarray]:
    """The series that was logged last, and the times of its rows."""
    best: tuple[float, str, np.ndarray] | None = None
    for name in patient.run.names():
        _, times, _ = patient.run.points.column(name)
        times = np.sort(times[np.isfinite(times)])
        key = float(times[-1]) if len(times) else -np.inf
        if not name.lower().startswith("system/") and (best is None or key > best[0]):
            best = (key, name, times)
    return (None, np.empty(0)) if best is None else (best[1], best[2])
