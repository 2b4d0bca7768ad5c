"""VAL002."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.val._kit import normalised_loss, returns_vary
from runvitals.signals.late import THIRD, early_median, late_median

LEAST_POINTS, LEAST_MEASURED = (
    30,
    15,
)  # of the loss, and of it where returns were logged (judgement)
FAR = 0.3  # of the plan (judgement)
NOT_FALLEN = 0.7  # of the loss at first (judgement)
MOST_OF_HALF = 0.8  # judgement: single updates may do better
NOTHING = 0.05  # of the variance (judgement)
LEAST_FOR_NOTHING, ALWAYS = (
    40,
    0.95,
)  # points, and the share of them that explain nothing (judgement)
HALVED = 2.0  # a loss that has halved has learned something


@rule(
    "VAL002",
    "value-loss-never-falls",
    severity="warning",
    needs=["value/loss", "value/explained_variance"],
    families=["policy-gradient"],
)
def value_loss_never_falls(patient: Patient, *, below: float = 0.1) -> Iterator[Hit]:
    """The critic does not learn: its loss stays what it was, and it explains nothing.

    ## What it looks for
    After 30 % of the plan and 30 points: the value loss per variance of the returns has not fallen
    by 30 % from the first to the last third, and explained variance is below 0.1 (`below`) in 80 %
    of the second half, with returns that do vary. A notice while the outcome does well, for
    policies learn without a critic too; but a warning if the critic gets no gradient at all (its
    norm is 0 throughout, or the weight of its loss is). Explained variance within 0.05 of zero from
    the first update to the last, with a loss that has not halved, is a warning in any case.

    ## Why it matters
    Without a critic every advantage is a raw return, and learning takes many times the samples.

    ## Usual causes
    1. The value loss has no weight, or the critic is frozen.
    2. Targets that do not belong to their observations: order, masks.
    3. Scale of rewards.
    4. Critic too small, or its rate too low.

    ## What to try
    Fit the critic alone to one batch. If that works, print targets beside observations.

    ## When to ignore it
    Methods whose critic is off on purpose.

    ## Sources
    Training Metrics Glossary (value loss that never falls: scaling, masks, capacity); RL metrics
    table.
    """
    loss, explained = patient["value/loss"], patient["value/explained_variance"]
    if len(loss) < LEAST_POINTS or len(explained) < LEAST_POINTS or not returns_vary(patient):
        return
    if patient.health.silent or not _far(patient):
        return
    series, ratio, _ = normalised_loss(patient, loss)
    if len(ratio) < LEAST_MEASURED:
        return
    before, now = _thirds(ratio)
    half = explained.values[len(explained) // 2 :]
    learns_not = (
        before > 0 and now >= NOT_FALLEN * before and float((half < below).mean()) >= MOST_OF_HALF
    )
    nothing = _explains_nothing(loss, explained)
    if not (learns_not or nothing):
        return
    weight, gradient = patient.number("value_coef"), patient.find("value/grad_norm")
    dead = weight == 0 or (gradient is not None and not gradient.values.any())
    causes = (
        "critic frozen or without weight in the loss",
        "targets that belong to other observations",
        "scale of rewards far beyond what the critic can reach",
    )
    quiet = patient.health.good and not (dead or nothing)
    severity: Severity | None = "notice" if quiet else None
    yield Hit(
        series=loss.name,
        span=series.span(),
        message=f"critic does not learn: explained variance {np.median(half):.2g}, loss per variance"
        f" {before:.2g} before and {now:.2g} now",
        advice="fit the critic alone to one batch, and check which observation each target belongs to",
        severity=severity,
        causes=("value_coef is 0", *causes) if weight == 0 else causes,
        also=(explained.name,),
    )


def _explains_nothing(loss: Series, explained: Series) -> bool:
    before, now = _thirds(loss.values)
    flat = float((np.abs(explained.values) < NOTHING).mean())
    return len(explained) >= LEAST_FOR_NOTHING and flat >= ALWAYS and 0 < before <= HALVED * now


def _thirds(values: FloatArray) -> tuple[float, float]:
    """The level of the first third, and that of the last."""
    return early_median(values, THIRD), late_median(values, THIRD)


def _far(patient: Patient) -> bool:
    return patient.progress is None or patient.progress >= FAR
