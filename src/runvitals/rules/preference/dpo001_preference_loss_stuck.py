"""DPO001."""

from collections.abc import Iterator
from math import log

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.preference._pairs import beta_of, is_kto, reference_free, warms_up
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.held_out import chance_limit
from runvitals.signals.late import (
    HALF,
    QUARTER,
    THIRD,
    early_mean,
    early_median,
    late,
    late_mean,
    late_median,
    start_median,
)
from runvitals.signals.trend import trend

CHANCE = (0.4, 0.6)  # of the pairs (judgement)
TIED = 0.1  # pairs without a difference count as ranked wrongly
MIN_SHARE = 0.4  # of the plan (judgement)
MIN_POINTS, MIN_WITHOUT_PLAN = 12, 40  # judgement: of an unknown plan little may be done
MIN_EVALUATIONS = 8  # judgement
LATE, LATE_HELD_OUT = 0.4, 0.3  # of the points
MIN_LATE = 5  # points that tell where a loss ended
START_OF_KTO = 0.5  # the loss of a margin of 0; of DPO ln 2
AS_AT_START = 0.995  # of a loss: it has not fallen
NO_MARGIN = 0.05  # rewards further apart are told apart (judgement)
TINY_BETA = 0.008  # below a twelfth of the usual 0.1 (judgement)
NEAR_START = 0.02  # of the loss there
MIN_RIGHT, MAX_GUESSED, TOLD_APART = 0.35, 0.555, 0.8  # of the held-out pairs (judgement)
RISES = 0.03  # of the held-out pairs, from the first half to the second
HARDLY_FALLEN, LITTLE_FALLEN = 0.97, 0.9  # of the held-out loss at its start (judgement)
LEFT_OF_MARGIN = 0.02  # of that in training, on held-out samples
MANY_TIED = 0.42  # of the pairs ranked rightly at most: the others are ties (judgement)
SETTLED = 0.8  # of the points, without the first
MIN_OF_TIES = 0.02  # the margin of those that do differ
NEARLY_ALWAYS = 0.95  # of the late points
NEARLY_DONE = 0.8  # of the plan
NOTHING_LEFT = 1e-3  # of a loss that began there
ROSE_LITTLE = 1.1  # times its start: more is another finding


@rule(
    "DPO001",
    "preference-loss-stuck",
    severity="warning",
    needs=["outcome"],
    families=["preference"],
)
def preference_loss_stuck(patient: Patient, *, within: float = 0.02) -> Iterator[Hit]:
    """The preference loss stays where it began, and pairs are ranked no better than chance.

    ## What it looks for
    A loss, margin or accuracy that, allowing for noise, stayed where it began or got worse. Or,
    after 40% of the plan, one of these:

    - a loss within 2% (`within`) of its start (ln 2, or one half for KTO) with an accuracy around
      one half and no margin
    - held-out pairs ranked at chance, as far as the size of the set can tell, while the held-out
      loss has hardly fallen
    - a held-out accuracy below 0.8 that is exactly the same at every evaluation
    - an accuracy below chance although the margin is positive, which happens when most pairs are
      ties
    - a loss that stays at its start although pairs are separated, because beta is below 0.008

    ## Why it matters
    The model learns nothing from the pairs, or nothing that holds for other pairs.

    ## Usual causes
    1. The learning rate is too low, or the adapter is not trained.
    2. Labels are random.
    3. Chosen and rejected are identical after truncation.
    4. Beta is too small.

    ## What to try
    Count the pairs that differ after tokenising and truncating. Raise the learning rate tenfold for
    50 steps. Read ten pairs with their labels.

    ## When to ignore it
    The first part of a run with a very low learning rate.

    ## Sources
    Training Metrics Glossary (the loss should fall); TRL PR #2153; follows from the objective.
    """
    hit = statement(
        patient,
        "DPO001",
        advice=RATE_UP,
        causes=(
            "learning rate too low or nothing trained",
            "labels random",
            "pairs do not differ",
        ),
    )
    if hit is not None:
        yield hit
        return
    loss = patient.find("preference/loss")
    if loss is None:
        return
    n = len(loss)
    progress = patient.progress
    if n < MIN_POINTS or (progress is not None and progress < MIN_SHARE):
        return
    if (progress is None and n < MIN_WITHOUT_PLAN) or warms_up(patient):
        return
    for found in (
        _ties(patient),
        _at_start(patient, within),
        _held_out(patient),
        _weak(patient),
        _stands_still(patient, within),
    ):
        if found is None:
            continue
        series, message, causes, advice = found
        yield Hit(
            series=series.name,
            span=Stretch(min(n // 2, len(series) // 2), len(series) - 1, 0).span(series),
            message=message,
            advice=advice,
            causes=causes,
        )
        return


Found = tuple[Series, str, tuple[str, ...], str] | None
RATE_UP = "raise the learning rate tenfold for 50 steps, and check that the adapter is trained"


def _late(series: Series | None, share: float = LATE) -> float | None:
    """The mean of the last part of a series."""
    return None if series is None else late_mean(series.values, share)


def _ties(patient: Patient) -> Found:
    accuracy, margin = patient.find("preference/accuracy"), patient.find("preference/margin")
    right, gap = _late(accuracy), _late(margin)
    if accuracy is None or margin is None or right is None or gap is None:
        return None
    if len(accuracy) < MIN_POINTS or gap <= MIN_OF_TIES:
        return None
    if not 0.0 < right < MANY_TIED or late_mean(accuracy.values, SETTLED) > MANY_TIED:
        return None
    if float(np.mean(late(margin.values) > 0)) < NEARLY_ALWAYS:
        return None
    return (
        accuracy,
        f"only {right:.0%} of the pairs are ranked correctly although the margin is {gap:.2g}: "
        "the others are ties",
        ("chosen and rejected are identical after truncation", "many pairs are duplicates"),
        "count the pairs that still differ after truncation; raise the length limit",
    )


def _at_start(patient: Patient, within: float) -> Found:
    loss = patient["preference/loss"]
    now = late_median(loss.values, THIRD, MIN_LATE)
    begin = START_OF_KTO if is_kto(patient) else log(2)
    if reference_free(patient):
        begin = start_median(loss.values)
    falls = trend(loss.values).down and now < AS_AT_START * begin
    if abs(now - begin) > within * begin or falls:
        return None
    right, gap = (
        _late(patient.find("preference/accuracy")),
        _late(patient.find("preference/margin")),
    )
    at_chance = right is not None and (CHANCE[0] <= right <= CHANCE[1] or right < TIED)
    if right is not None and not at_chance:
        return None
    if not reference_free(patient):
        if gap is not None and abs(gap) >= NO_MARGIN:
            return None
        if right is None and (gap is None or not _stands(patient)):
            return None
    return (
        loss,
        f"preference loss is still at its start, {now:.3g}, after {len(loss):,} points",
        ("learning rate too low or nothing trained", "labels random", "pairs do not differ"),
        RATE_UP,
    )


def _stands(patient: Patient) -> bool:
    """Whether the margin does not rise."""
    margin = patient.find("preference/margin")
    return margin is not None and not trend(margin.values).up


def _held_out(patient: Patient) -> Found:
    accuracy = patient.find("eval/preference/accuracy")
    loss = patient.find("eval/loss", "eval/preference/loss")
    enough = accuracy is not None and len(accuracy) >= MIN_EVALUATIONS
    if accuracy is not None and enough and (words := _guessed(accuracy, loss)):
        return (
            accuracy,
            words,
            ("labels random", "training pairs say nothing about the held-out ones"),
            "read ten pairs with their labels",
        )
    margin = patient.find("eval/preference/margin")
    learned = _late(patient.find("preference/margin"))
    if not is_kto(patient) or margin is None or loss is None or len(margin) < MIN_EVALUATIONS:
        return None
    if learned is None or learned < NO_MARGIN:
        return None
    gap, now = late_mean(margin.values, LATE_HELD_OUT), late_mean(loss.values, LATE_HELD_OUT)
    if gap < LEFT_OF_MARGIN * learned and now > AS_AT_START * start_median(loss.values):
        return (
            margin,
            f"the margin is {learned:.2g} in training and {gap:.2g} on held-out samples",
            ("labels random", "training samples say nothing about the held-out ones"),
            "read ten samples with their labels",
        )
    return None


def _guessed(accuracy: Series, loss: Series | None) -> str:
    """How it shows that held-out pairs are ranked by chance; empty if it does not."""
    right, before = late_mean(accuracy.values, HALF), early_mean(accuracy.values, HALF)
    if right < MIN_RIGHT or right - before >= RISES:
        return ""
    by_chance = right <= chance_limit(accuracy.values) and _stuck(loss, HARDLY_FALLEN)
    if right <= MAX_GUESSED or by_chance:
        return f"held-out pairs are ranked at chance: {right:.0%} correctly"
    same = len(accuracy) >= MIN_POINTS and not np.ptp(accuracy.values)
    if same and right < TOLD_APART and _stuck(loss, LITTLE_FALLEN):
        return f"exactly {right:.1%} of the held-out pairs are ranked correctly at every evaluation"
    return ""


def _stuck(loss: Series | None, share: float) -> bool:
    """Whether a held-out loss is known, and still at that share of its start or above."""
    if loss is None or len(loss) < MIN_EVALUATIONS:
        return False
    return late_mean(loss.values, LATE_HELD_OUT) >= share * start_median(loss.values)


def _stands_still(patient: Patient, within: float) -> Found:
    """A loss without reference has no known start; it must at least fall below its own."""
    loss, margin = patient["preference/loss"], patient.find("preference/margin")
    if not reference_free(patient) or margin is None or len(loss) < MIN_WITHOUT_PLAN:
        return None
    if not patient.finished and (patient.progress or 0.0) < NEARLY_DONE:
        return None
    begin, now = early_median(loss.values, QUARTER), late_median(loss.values, QUARTER)
    moved = trend(loss.values).down or trend(margin.values).up
    if moved or begin < NOTHING_LEFT or not (1 - within) * begin < now < ROSE_LITTLE * begin:
        return None
    return (
        loss,
        f"preference loss is {now:.3g} after {len(loss):,} points and started at {begin:.3g}",
        ("learning rate too low or nothing trained", "labels random"),
        RATE_UP,
    )


def _weak(patient: Patient) -> Found:
    """A beta so small that the loss cannot move, while the policy does."""
    loss, beta = patient["preference/loss"], beta_of(patient)
    if beta is None or beta >= TINY_BETA or reference_free(patient):
        return None
    begin = START_OF_KTO if is_kto(patient) else log(2)
    now = late_median(loss.values, THIRD, MIN_LATE)
    if abs(now - begin) > NEAR_START * begin:
        return None
    return (
        loss,
        f"preference loss is still at its start, {now:.3g}: a beta of {beta:g} leaves it no room",
        ("beta too small",),
        "use a beta of 0.01 to 0.5",
    )
