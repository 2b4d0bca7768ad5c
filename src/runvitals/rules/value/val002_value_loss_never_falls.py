"""VAL002."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series, Severity
from runvitals.model.formatting import number, short_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.value._kit import normalised_loss, returns_vary
from runvitals.signals.late import THIRD, early_median, late_median

MIN_POINTS, MIN_MEASURED = (
    30,
    15,
)  # of the loss, and of it where returns were logged (judgement)
FAR = 0.3  # of the plan (judgement)
NOT_FALLEN = 0.7  # of the loss at first (judgement)
MOST_OF_HALF = 0.8  # judgement: single updates may do better
NOTHING = 0.05  # of the variance (judgement)
MIN_FOR_NOTHING, ALWAYS = (
    40,
    0.95,
)  # points, and the share of them that explain nothing (judgement)
HALVED = 2.0  # a loss that has halved has learned something
NOT_AT_ALL = 0.9  # of the loss at first, where nothing else speaks against the critic (judgement)
EXPLAINS = 0.5  # of the variance: such a critic has learned, whatever its loss does (judgement)
BEYOND_DOUBT = 10.0  # standard errors of a gain (judgement: twice what is clear)
SMALL = 0.01  # of the square of the return: little is left to learn (judgement)


@rule(
    "VAL002",
    "value-loss-never-falls",
    severity="warning",
    needs=["value/loss"],
    families=["policy-gradient"],
)
def value_loss_never_falls(patient: Patient, *, below: float = 0.1) -> Iterator[Hit]:
    """The critic does not learn: its loss does not fall.

    ## What it looks for
    After 30% of the plan and 30 points, with returns that do vary.

    **If explained variance is logged:**

    - The value loss per variance of the returns has not fallen by 30% from the first to the last
      third, and explained variance is below 0.1 (`below`) in 80% of the second half. It is a
      warning, or a notice while the outcome is doing well, since policies also learn without a
      critic. It is always a warning if the critic gets no gradient at all (its norm is 0
      throughout, or the weight of its loss is 0).
    - Explained variance stays within 0.05 of zero from the first update to the last, and the loss
      has not halved and is not below 1% of the square of the return. It is a warning, or a notice
      while the outcome still rises far beyond doubt (by ten standard errors), unless the critic
      gets no gradient at all: the policy does without it.

    **If it is not logged**, the loss alone decides:

    - Neither the loss nor its size per variance of the returns has fallen by 30% while the outcome
      is not doing well: a warning.
    - Neither has fallen by 10% while the outcome is doing well: a notice.

    A loss below 1% of the square of the return does not count.

    ## Why it matters
    Without a critic, every advantage is a raw return, and learning takes many times the samples.

    ## Usual causes
    1. The value loss has no weight, or the critic is frozen.
    2. Targets do not belong to their observations: order, masks.
    3. The scale of rewards.
    4. The critic is too small, or its learning rate too low.

    ## What to try
    Fit the critic alone to one batch. If that works, print targets next to observations.

    ## When to ignore it
    Methods that deliberately do without a critic; critics that were already trained.

    ## Sources
    Training Metrics Glossary (value loss that never falls: scaling, masks, capacity); RL metrics
    table.
    """
    loss, explained = patient["value/loss"], patient.find("value/explained_variance")
    if len(loss) < MIN_POINTS or not _far(patient) or patient.health.early:
        return
    if explained is not None and len(explained) < MIN_POINTS:
        return
    if not returns_vary(patient):
        return
    series, ratio, known = normalised_loss(patient, loss)
    if len(ratio) < MIN_MEASURED:
        return
    thirds = _thirds(ratio)
    hit = (
        _never_fell(patient, loss, series, thirds, measured=known or series is not loss)
        if explained is None
        else _explains_little(patient, loss, series, thirds, explained, below)
    )
    if hit is not None:
        yield hit


def _explains_little(
    patient: Patient,
    loss: Series,
    series: Series,
    thirds: tuple[float, float],
    explained: Series,
    below: float,
) -> Hit | None:
    """By its loss and by what it explains."""
    if patient.health.silent:
        return None
    before, now = thirds
    half = explained.values[len(explained) // 2 :]
    learns_not = (
        before > 0 and now >= NOT_FALLEN * before and float((half < below).mean()) >= MOST_OF_HALF
    )
    # next to the return's own size: such a critic knows its mean, and the rest may be chance
    nothing = _explains_nothing(loss, explained) and now >= SMALL
    if not (learns_not or nothing):
        explains = float(np.median(half)) >= EXPLAINS
        return None if explains else _never_fell(patient, loss, series, thirds, measured=True)
    dead = _is_dead(patient)
    excused = _rises_beyond_doubt(patient) if nothing else patient.health.good
    quiet = excused and not dead
    severity: Severity | None = "notice" if quiet else None
    return Hit(
        series=loss.name,
        span=series.span(),
        message=f"critic does not learn: explained variance is {np.median(half):.2g}, and its loss per "
        f"variance went from {number(before, 2)} to {number(now, 2)}",
        advice=ADVICE,
        severity=severity,
        causes=_causes(patient),
        also=(explained.name,),
    )


def _rises_beyond_doubt(patient: Patient) -> bool:
    """Whether the outcome gains far more than chance could, and still does."""
    outcome = patient.outcome
    if outcome is None or patient.health.plot != "rises" or not outcome.course.rising:
        return False
    return outcome.course.change >= BEYOND_DOUBT * outcome.course.change_error


def _never_fell(
    patient: Patient, loss: Series, series: Series, thirds: tuple[float, float], *, measured: bool
) -> Hit | None:
    """By its loss alone."""
    before, now = thirds
    first, last = _thirds(loss.values)
    left = NOT_FALLEN if patient.health.struggles else NOT_AT_ALL
    if not before > 0 or now < left * before or not first > 0 or last < left * first:
        return None
    if measured and now < SMALL:
        return None
    return Hit(
        series=loss.name,
        span=series.span(),
        message=f"value loss never falls: {short_number(first)} in the first third, "
        f"{short_number(last)} in the last{so_far(patient)}",
        advice=ADVICE,
        severity=by_outcome(patient, beyond_excuse=_is_dead(patient)),
        causes=_causes(patient),
    )


ADVICE = "fit the critic alone to one batch, and check which observation each target belongs to"


def _is_dead(patient: Patient) -> bool:
    """Whether the critic gets no gradient at all."""
    gradient = patient.find("value/grad_norm")
    return patient.number("value_coef") == 0 or (gradient is not None and not gradient.values.any())


def _causes(patient: Patient) -> tuple[str, ...]:
    causes = (
        "critic frozen or without weight in the loss",
        "targets that belong to other observations (order, masks)",
        "reward scale far beyond what the critic can reach",
        "critic too small",
    )
    return ("value_coef is 0", *causes) if patient.number("value_coef") == 0 else causes


def _explains_nothing(loss: Series, explained: Series) -> bool:
    before, now = _thirds(loss.values)
    flat = float((np.abs(explained.values) < NOTHING).mean())
    return len(explained) >= MIN_FOR_NOTHING and flat >= ALWAYS and 0 < before <= HALVED * now


def _thirds(values: FloatArray) -> tuple[float, float]:
    """The level of the first third, and that of the last."""
    return early_median(values, THIRD), late_median(values, THIRD)


def _far(patient: Patient) -> bool:
    return patient.progress is None or patient.progress >= FAR
