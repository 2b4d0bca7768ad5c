"""VAL003."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.model.formatting import number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.value._kit import error_is_small, returns_vary

MIN_POINTS = 30  # judgement
FAR = 0.2  # of the plan: before that a critic may still learn (judgement)
MIN_EXPLAINED = 0.1  # of the variance; Stable-Baselines3: 0 is useless
GOOD = 0.8  # RL metrics table
MOST_OF_HALF = 0.7  # of the points below the limit (judgement)
HARMFUL, ALWAYS = -0.5, 0.9  # far worse than a constant, in this many points (judgement)


@rule(
    "VAL003",
    "explained-variance-low",
    severity="warning",
    needs=["value/explained_variance"],
    families=["policy-gradient"],
)
def explained_variance_low(patient: Patient, *, least: float | None = None) -> Iterator[Hit]:
    """The critic explains little of the returns.

    ## What it looks for
    The median of explained variance over the second half, with at least 30 points and a fifth of
    the plan done.

    - While the outcome stalls or falls: below 0.1 (`least`) is a warning, below -0.5 in nine of ten
      points is critical, and below 0.8 is a notice.
    - While the outcome is doing well, or none was logged: below 0.1 is a notice, unless the value
      loss is below half a percent of the square of the largest return.

    It only counts if the returns vary, and not once the task is solved. Solved runs end at 0 or far
    below, and dead policies at 0.95, so this number alone says little.

    ## Why it matters
    Below 0, the critic is worse than a constant and adds noise to every update.

    ## Usual causes
    1. The critic does not learn (VAL002).
    2. Returns are mostly noise.
    3. Bootstrapping or discount is wrong.
    4. The policy changes faster than the critic can follow.

    ## What to try
    Check the targets first. Then give the critic its own, lower learning rate or more epochs.

    ## When to ignore it
    Values near zero are common early in a run whose outcome rises, and at the end of a solved task.

    ## Sources
    RL metrics table (above 0.8 is good); Stable-Baselines3 (1 perfect, 0 useless, below 0 worse);
    our own runs, which showed how it misleads at both ends.
    """
    explained, health = patient["value/explained_variance"], patient.health
    if len(explained) < MIN_POINTS or health.early or health.solved:
        return
    if patient.progress is not None and patient.progress < FAR:
        return
    late = explained.part(len(explained) // 2)
    middle = float(np.median(late.values))
    bound = patient.limit(least, otherwise=MIN_EXPLAINED, why="0 is a constant, 1 is perfect")
    most = max(GOOD, bound.value) if health.struggles else bound.value
    if middle >= most or not returns_vary(patient):
        return
    if health.good and error_is_small(patient):
        return
    severity = by_outcome(patient)
    if middle >= bound.value or float((late.values < bound.value).mean()) < MOST_OF_HALF:
        severity = "notice"
    elif (
        severity == "warning"
        and middle < HARMFUL
        and float((late.values < HARMFUL).mean()) >= ALWAYS
    ):
        severity = "critical"
    yield Hit(
        series=explained.name,
        span=late.span(),
        message=f"explained variance of the critic is {number(middle, 2)} (1 is perfect, 0 is useless)"
        f"{so_far(patient)}",
        advice="check the critic's targets, then lower its learning rate or give it more epochs",
        severity=severity,
        causes=(
            "critic does not learn",
            "returns are mostly noise",
            "wrong bootstrapping or discount",
        ),
        limit=bound,
    )
