"""VAL002."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.val._kit import normalised_loss, returns_vary, span_of

LEAST_POINTS = 30


@rule(
    "VAL002",
    "value-loss-never-falls",
    severity="warning",
    needs=["value/loss", "value/explained_variance"],
    families=["policy-gradient"],
    explains=["VAL003", "VAL004", "ADV001", "REW005"],
)
def value_loss_never_falls(patient: Patient, *, below: float = 0.1) -> Iterator[Hit]:
    """The critic does not learn: its loss stays what it was, and it explains nothing.

    ## What it looks for
    After 30 % of the plan and 30 points: the value loss per variance of the returns has not fallen
    by 30 % from the first to the last third, and explained variance is below 0.1 (`below`) in 80 %
    of the second half, with returns that do vary. A notice while the outcome does well, for
    policies learn without a critic too; but a warning if the critic gets no gradient at all (its
    norm is 0 throughout, or the weight of its loss is).

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
    if patient.state in ("warming", "unknown") or not _far(patient):
        return
    series, ratio, _ = normalised_loss(patient, loss)
    third = len(ratio) // 3
    if third < 5:
        return
    early, late = float(np.median(ratio[:third])), float(np.median(ratio[-third:]))
    half = explained.values[len(explained) // 2 :]
    useless = float((half < below).mean())
    if early <= 0 or late < 0.7 * early or useless < 0.8:
        return
    weight = patient.number("value_coef")
    causes = [
        "critic frozen or without weight in the loss",
        "targets that belong to other observations",
    ]
    if weight == 0:
        causes.insert(0, "value_coef is 0")
    gradient = patient.find("value/grad_norm")
    dead = weight == 0 or (gradient is not None and not gradient.values.any())
    severity: Severity | None = "notice" if patient.does_well and not dead else None
    yield Hit(
        series=loss.name,
        span=span_of(series),
        message=f"critic does not learn: explained variance {np.median(half):.2g}, loss per variance"
        f" {early:.2g} before and {late:.2g} now",
        advice="fit the critic alone to one batch, and check which observation each target belongs to",
        severity=severity,
        causes=tuple(causes),
        also=(explained.name,),
    )


def _far(patient: Patient) -> bool:
    return patient.progress is None or patient.progress >= 0.3
