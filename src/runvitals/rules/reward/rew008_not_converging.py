"""REW008."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Severity
from runvitals.model.formatting import short_number
from runvitals.rules.outcome import Course, Outcome
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._changes import loss_trend, reward_trend
from runvitals.rules.reward._kit import far_enough, is_task
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.late import THIRD, early_median, points_in
from runvitals.signals.robust import line, noise, running_median

MIN_POINTS = 24  # judgement
MAX_POINTS = 240  # longer stretches are read as means of blocks
LATE = 0.6  # of the plan (judgement)
AT_FIRST = 1 / 20  # of the points is where it began
CLEAR = 8.0  # times the noise of a point, for a rise (judgement)
WIDE = 1.5  # times the limit, for a warning (judgement)
WIDTH, MIN_WIDTH = 10, 3  # a tenth of the points, at least this many, make a level
EXTREMES = (0.1, 0.9)  # quantiles between which the level swings
GROSS = (
    0.6  # of all that was gained: whether the outcome is good depends on when one looks (judgement)
)
ADVICE = "let the learning rate decay, or use larger batches"
CAUSES = ("learning rate too high or constant", "batches too small")


@rule(
    "REW008",
    "not-converging",
    severity="notice",
    verdict="stalled",
    needs=["outcome"],
    families=["rl"],
)
def not_converging(patient: Patient, *, swing: float = 0.25) -> Iterator[Hit]:
    """The outcome swings as widely at the end as at the beginning, and does not settle.

    ## What it looks for
    **Swings.** After 60% of the plan and at least 24 points: an outcome that had clearly risen and
    is not lost for good, whose swings in the last third are a quarter (`swing`) of all it gained
    and no smaller than in the first third. It is a notice. Outside of language models, it is a
    warning from one and a half times as much if the outcome is clearly bad. For any run, it is a
    warning if the swings are 60% of all it gained.

    An outcome whose swings are as large as its level, without a gain, is a warning too.

    **Changes per epoch.** If a tool logs the change of reward or loss per epoch, from 8 epochs on:

    - rewards that add up to a clear fall in the last epochs
    - rewards that swing as widely as ever
    - losses that add up to a clear rise (of a growing loss, not of a negative one that shrinks)

    It is a warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    How good the last checkpoint is becomes a matter of luck.

    ## Usual causes
    1. The learning rate is too high, or constant to the end.
    2. Batches are too small: noise is larger than progress.
    3. A controller oscillates.

    ## What to try
    Let the learning rate decay, or enlarge the batch. Evaluate on more episodes before you act.

    ## When to ignore it
    Outcomes measured on only one or a few episodes.

    ## Sources
    TensorBoard Metrics Reference (RewardTrend and LossTrend should shrink).
    """
    outcome = patient.outcome
    if (story := statement(patient, "REW008", advice=ADVICE, causes=CAUSES)) is not None:
        yield story
    elif outcome is not None and is_task(patient):
        yield from _swings(patient, outcome, outcome.course, swing)
    for metric, judge in (("reward/trend", reward_trend), ("optim/loss_trend", loss_trend)):
        logged = patient.find(metric)
        if logged is None or patient.health.early or not far_enough(patient, LATE):
            continue
        if (found := judge(patient, logged)) is not None:
            yield Hit(
                series=logged.name,
                span=logged.span(found.first),
                message=f"{found.words}{so_far(patient)}",
                advice="lower the learning rate, or stop at the best epoch",
                severity=by_outcome(patient),
                causes=("learning rate too high", "too few samples per epoch"),
            )


def _swings(patient: Patient, outcome: Outcome, course: Course, swing: float) -> Iterator[Hit]:
    values, third = outcome.values, points_in(len(outcome.values), THIRD)
    if len(values) < MIN_POINTS or course.falls:
        return
    # swings count as noise in the course: here a rise has to be seen beside the noise of single points
    height = course.best - early_median(values, AT_FIRST)
    if not height >= max(course.matters, CLEAR * noise(values)) > 0:
        return
    if not far_enough(patient, LATE):
        return
    early, late = _swing(values[:third]), _swing(values[-third:])
    if late < swing * height or late < early:
        return
    # of an outcome that cannot be told from noise nobody knows what it gained
    sick = patient.health.bad and patient.is_any_of(["control"])
    sick = sick or late >= GROSS * height
    severity: Severity = "warning" if sick and late >= WIDE * swing * height else "notice"
    yield Hit(
        series=outcome.series.name,
        span=outcome.series.span(2 * third),
        message=f"{outcome.series.name} still swings by {short_number(late)} at the end, "
        f"{late / height:.0%} of all it gained",
        advice=ADVICE,
        severity=severity,
        causes=CAUSES,
    )


def _swing(values: FloatArray) -> float:
    """How far the level swings around a straight line, single points aside."""
    thin = values if len(values) <= MAX_POINTS else values[:: len(values) // MAX_POINTS]
    levels = running_median(thin, max(MIN_WIDTH, len(thin) // WIDTH))
    low, high = np.quantile(levels - line(levels), EXTREMES)
    return float(high - low) / 2
