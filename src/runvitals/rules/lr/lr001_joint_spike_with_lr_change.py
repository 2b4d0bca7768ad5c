"""LR001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

RATES = "optim/learning_rate|policy/learning_rate"
SIGNS = (
    ("policy/approx_kl", "policy/kl_old"),
    ("optim/grad_norm", "policy/grad_norm"),
    ("policy/clip_fraction",),
    ("lm/loss", "preference/loss", "rm/loss", "value/loss", "optim/loss"),
)
AFTER = 10


@rule(
    "LR001",
    "joint-spike-with-lr-change",
    severity="warning",
    needs=[RATES],
)
def joint_spike_with_lr_change(patient: Patient, *, factor: float = 2.0) -> Iterator[Hit]:
    """The learning rate jumps, and loss, KL or gradient jump with it.

    ## What it looks for
    A rate that rises to more than `factor` (2) times what it was from one point to the next, after
    the warm-up is over. A warning if at least two of KL, gradient norm, clip fraction and loss are
    at three times their former level in the ten points after and the outcome does not do well;
    otherwise a notice. A rate that goes up and down all the time is set by a controller, and a
    notice at most.

    ## Why it matters
    When several numbers jump together the schedule is the first suspect, and the easiest to mend.

    ## Usual causes
    1. A schedule with the wrong number of steps, or stepped once per micro-batch.
    2. A resume without the state of the schedule.
    3. A change by hand.

    ## What to try
    Draw the rate beside the schedule you meant. Restore the schedule's state when you resume.

    ## When to ignore it
    Restarts of a cyclic schedule that you chose.

    ## Sources
    Training Metrics Glossary (loss, KL and gradient that spike together: check the schedule).
    """
    rate = patient[RATES]
    jump = _jump(rate, factor)
    if jump is None:
        return
    before, after = float(rate.values[jump - 1]), float(rate.values[jump])
    step = int(rate.steps[jump])
    signs = [s for names in SIGNS if (s := patient.find(*names)) is not None and _jumps(s, step)]
    sick = len(signs) >= 2 and not patient.does_well and not _adaptive(rate)
    severity: Severity = "warning" if sick else "notice"
    last = min(len(rate) - 1, jump + AFTER)
    together = f", and {' and '.join(s.name for s in signs)} with it" if signs else ""
    yield Hit(
        series=rate.name,
        span=Span(step, int(rate.steps[last]), last - jump + 1),
        message=f"learning rate jumped from {before:.3g} to {after:.3g} at step {step:,}{together}",
        advice="compare the rate with the schedule you meant; restore its state when you resume",
        severity=severity,
        causes=(
            "schedule with the wrong number of steps",
            "resume without the state of the schedule",
            "a change by hand",
        ),
        also=tuple(s.name for s in signs),
    )


def _jump(rate: Series, factor: float) -> int | None:
    """The index of the largest jump upwards that is no part of a warm-up."""
    values = rate.values
    if len(values) < 12 or float(values.min()) < 0:
        return None
    before, after = values[:-1], values[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(before > 0, after / before, 0.0)
    rising = np.logical_and.accumulate(after >= before)  # a warm-up, from the first point on
    steady = np.zeros(len(rising), bool)
    steady[4:] = np.all([before[4:] == before[i : len(before) - 4 + i] for i in range(4)], axis=0)
    ratio[rising & ~steady] = 0.0
    ratio[:5] = 0.0
    at = int(np.argmax(ratio))
    return at + 1 if ratio[at] > factor else None


def _adaptive(rate: Series) -> bool:
    """Whether the rate goes up and down all the time: a controller sets it."""
    changes = np.diff(rate.values)
    return int((changes > 0).sum()) >= 5 and int((changes < 0).sum()) >= 5


def _jumps(series: Series, step: int) -> bool:
    """Whether a series is at three times its former level in the points after a step."""
    at = int(np.searchsorted(series.steps, step))
    before, after = (
        np.abs(series.values[max(0, at - 20) : at]),
        np.abs(series.values[at : at + AFTER]),
    )
    if len(before) < 5 or len(after) < 2:
        return False
    usual = float(np.median(before))
    return usual > 0 and float(np.max(after)) > 3.0 * max(usual, float(np.quantile(before, 0.9)))
