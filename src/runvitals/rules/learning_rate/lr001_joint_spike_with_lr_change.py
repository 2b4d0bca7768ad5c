"""LR001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

RATES = "optim/learning_rate|policy/learning_rate"
SIGNS = (
    ("policy/approx_kl", "policy/kl_old"),
    ("optim/grad_norm", "policy/grad_norm"),
    ("policy/clip_fraction",),
    ("lm/loss", "preference/loss", "rm/loss", "value/loss", "optim/loss"),
)
BEFORE, AFTER = 20, 10  # points that are compared (judgement)
MIN_BEFORE, MIN_AFTER = 5, 2  # of them (judgement)
TIMES, USUAL_TOP = 3.0, 0.9  # the former level, or the top it kept below so often (judgement)
SIGNS_TOGETHER = 2  # one series jumps for many reasons
MIN_POINTS = 12  # judgement
FIRST = 5  # points, where a schedule begins (judgement)
STEADY = 4  # points at one rate: then a warm-up is over (judgement)
TURNS = 9  # up, down and up again: more than warm-up, decay and restarts make (judgement)
HUGE = (
    10.0  # times the rate before; judgement: no schedule of the common libraries rises so in one go
)
WARM_UP_SLACK = (
    1.5  # a warm-up from 0 is in proportion to the steps; rounding, and steps from 0 or 1
)
MIN_FACTS = 3  # points: a jump needs no statistics
AT_FIRST = 0.1  # of the run, where warm-ups lie (judgement)


@rule(
    "LR001",
    "joint-spike-with-lr-change",
    severity="warning",
    needs=[RATES],
)
def joint_spike_with_lr_change(patient: Patient, *, factor: float = 2.0) -> Iterator[Hit]:
    """The learning rate jumps, and loss, KL or gradient jump with it.

    ## What it looks for
    A learning rate that rises to more than `factor` (2) times its value from one point to the next,
    after the warm-up.

    - Warning: in the ten points after it, at least two of KL, gradient norm, clip fraction and loss
      reach three times their former level, and the outcome is not doing well.
    - Warning: the rate jumps to ten times its value, above all rates before, whatever else happens.
      A warm-up rises in proportion to the steps, and no faster.
    - Notice: anything else. This includes a tenfold jump in the first tenth of a run that is doing
      well, because some runs warm up at one low rate.

    A rate that goes up and down all the time is set by a controller, and is a notice at most.

    ## Why it matters
    When several numbers jump together, the schedule is the first suspect and the easiest to fix.

    ## Usual causes
    1. A schedule with the wrong number of steps, or stepped once per micro-batch.
    2. A resume without the state of the schedule.
    3. A manual change.

    ## What to try
    Plot the rate against the schedule you intended. Restore the state of the schedule when you
    resume.

    ## When to ignore it
    Restarts of a cyclic schedule that you chose.

    ## Sources
    Training Metrics Glossary (if loss, KL and gradient spike together, check the schedule).
    """
    rate = patient[RATES]
    jump = _huge_jump(rate) or _jump(rate, factor)
    if jump is None:
        return
    before, after = float(rate.values[jump - 1]), float(rate.values[jump])
    step = int(rate.steps[jump])
    signs = [s for names in SIGNS if (s := patient.find(*names)) is not None and _jumps(s, step)]
    severity: Severity = "notice"
    if not _adaptive(rate) and (
        (len(signs) >= SIGNS_TOGETHER and not patient.health.good)
        or (_is_huge(rate, jump) and not (patient.health.good and _is_early(patient, rate, jump)))
    ):
        severity = "warning"
    last = min(len(rate) - 1, jump + AFTER)
    together = f", together with {' and '.join(s.name for s in signs)}" if signs else ""
    yield Hit(
        series=rate.name,
        span=rate.span(jump, last),
        message=f"learning rate jumped from {number(before, 3)} to {number(after, 3)} "
        f"at step {step:,}{together}",
        advice="compare the rate with the schedule you intended; restore its state when you resume",
        severity=severity,
        causes=(
            "schedule with the wrong number of steps",
            "resume without the state of the schedule",
            "a manual change",
        ),
        also=tuple(s.name for s in signs),
    )


def _jump(rate: Series, factor: float) -> int | None:
    """The index of the largest jump upwards that is not part of a warm-up."""
    values = rate.values
    if len(values) < MIN_POINTS or float(values.min()) < 0:
        return None
    before, after = values[:-1], values[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(before > 0, after / before, 0.0)
    rising = np.logical_and.accumulate(after >= before)  # a warm-up, from the first point on
    steady = np.zeros(len(rising), bool)
    later = before[STEADY:]
    same = [later == before[i : len(before) - STEADY + i] for i in range(STEADY)]
    steady[STEADY:] = np.all(same, axis=0)
    ratio[rising & ~steady] = 0.0
    ratio[:FIRST] = 0.0
    at = int(np.argmax(ratio))
    return at + 1 if ratio[at] > factor else None


def _huge_jump(rate: Series) -> int | None:
    """The index of the first jump to a rate far above all before it, faster than any warm-up."""
    if len(rate) < MIN_FACTS or float(rate.values.min()) < 0:
        return None
    far_above = rate.values[1:] >= HUGE * np.maximum.accumulate(rate.values)[:-1]
    found = (at for at in (np.flatnonzero(far_above) + 1).tolist() if _is_huge(rate, at))
    return next(found, None)


def _is_huge(rate: Series, at: int) -> bool:
    before, after = float(rate.values[at - 1]), float(rate.values[at])
    if before <= 0 or after < HUGE * float(rate.values[:at].max()):
        return False
    if _ramps(rate.values, at):
        return False
    zero = min(0, int(rate.steps[0]) - 1)  # steps are counted from 1, or from where they begin
    grown = (int(rate.steps[at]) - zero) / (int(rate.steps[at - 1]) - zero)
    return after > WARM_UP_SLACK * grown * before


def _ramps(values: FloatArray, at: int) -> bool:
    """Whether the rate rose at every point up to there, and still rises: a warm-up, however fast."""
    if at + 1 >= len(values):
        return False
    return bool((np.diff(values[: at + 2]) > 0).all())


def _is_early(patient: Patient, rate: Series, at: int) -> bool:
    """Whether it lies where warm-ups lie: in the first tenth of the run."""
    end = patient.planned_steps or patient.last_step
    return int(rate.steps[at]) <= AT_FIRST * end


def _adaptive(rate: Series) -> bool:
    """Whether the rate goes up and down all the time: a controller sets it."""
    ways = np.sign(np.diff(rate.values))
    return int(np.count_nonzero(np.diff(ways[ways != 0]))) >= TURNS


def _jumps(series: Series, step: int) -> bool:
    """Whether a series is at three times its former level in the points after a step."""
    at = int(np.searchsorted(series.steps, step))
    before, after = (
        np.abs(series.values[max(0, at - BEFORE) : at]),
        np.abs(series.values[at : at + AFTER]),
    )
    if len(before) < MIN_BEFORE or len(after) < MIN_AFTER:
        return False
    usual = float(np.median(before))
    top = max(usual, float(np.quantile(before, USUAL_TOP)))
    return usual > 0 and float(np.max(after)) > TIMES * top
