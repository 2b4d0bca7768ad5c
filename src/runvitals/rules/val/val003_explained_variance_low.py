"""VAL003."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.val._kit import returns_vary

LEAST_POINTS = 30  # judgement
FAR = 0.2  # of the plan: before that a critic may still learn (judgement)
LEAST = 0.1  # of the variance; Stable-Baselines3: 0 is useless
WORTH_KNOWING = 0.5  # RL metrics table: above 0.8 is good
MOST_OF_HALF = 0.7  # of the points below the limit (judgement)
HARMFUL, ALWAYS = -0.5, 0.9  # far worse than a constant, in so many points (judgement)


@rule(
    "VAL003",
    "explained-variance-low",
    severity="warning",
    needs=["value/explained_variance"],
    families=["policy-gradient"],
)
def explained_variance_low(patient: Patient, *, least: float | None = None) -> Iterator[Hit]:
    """The critic explains little of the returns, while the run does not do well.

    ## What it looks for
    The median of explained variance over the second half, at least 30 points in all and a fifth of
    the plan done: below 0.1 (or `least`) a warning, below -0.5 in nine of ten points critical,
    below 0.5 a notice. Only while the outcome stalls or falls, and only if the returns vary at all:
    solved tasks end at 0 or far below, and dead policies at 0.95, so this number alone says
    nothing.

    ## Why it matters
    Below 0 the critic is worse than a constant, and adds noise to every update.

    ## Usual causes
    1. The critic does not learn (VAL002).
    2. Returns are mostly noise.
    3. Bootstrapping or discount are wrong.
    4. The policy changes faster than the critic can follow.

    ## What to try
    Check the targets first, then give the critic its own, smaller rate or more epochs.

    ## When to ignore it
    Near zero with a rising outcome is common early, and at the end of a solved task.

    ## Sources
    RL metrics table (above 0.8 is good); Stable-Baselines3 (1 perfect, 0 useless, below 0 worse);
    our own runs, which showed how it misleads at both ends.
    """
    explained = patient["value/explained_variance"]
    if len(explained) < LEAST_POINTS or not patient.health.struggles:
        return
    if patient.progress is not None and patient.progress < FAR:
        return
    late = explained.part(len(explained) // 2)
    middle = float(np.median(late.values))
    bound = patient.limit(least, otherwise=LEAST, why="0 is a constant, 1 is perfect")
    if middle >= max(WORTH_KNOWING, bound.value) or not returns_vary(patient):
        return
    severity: Severity | None = None
    if middle >= bound.value or float((late.values < bound.value).mean()) < MOST_OF_HALF:
        severity = "notice"
    elif middle < HARMFUL and float((late.values < HARMFUL).mean()) >= ALWAYS:
        severity = "critical"
    yield Hit(
        series=explained.name,
        span=late.span(),
        message=f"critic explains {middle:.2g} of the variance of the returns (1 is all of it)",
        advice="check the targets of the critic, then lower its learning rate or give it more epochs",
        severity=severity,
        causes=(
            "critic does not learn",
            "returns are mostly noise",
            "wrong bootstrapping or discount",
        ),
        limit=bound,
    )
