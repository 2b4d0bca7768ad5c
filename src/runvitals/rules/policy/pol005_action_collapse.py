"""POL005."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.policy._updates import action_counts
from runvitals.rules.registry import rule

WINDOW = 20  # points at the end (judgement)
MIN_POINTS = 12  # judgement
WORTH_KNOWING = 0.8  # of the choices (RLExplorer)
MAX_NAMED = 4  # other actions


@rule(
    "POL005",
    "action-collapse",
    severity="warning",
    needs=["policy/action_share"],
    families=["rl"],
)
def action_collapse(patient: Patient, *, limit: float = 0.95) -> Iterator[Hit]:
    """One action takes nearly all choices, and the outcome is not good.

    ## What it looks for
    One of at least two actions takes more than 95% of the choices (`limit`) over the last 20
    points, while the outcome neither improves nor holds. Above 80%, or without an outcome, it is a
    notice.

    ## Why it matters
    A policy that always does the same thing never finds out whether something else is better.

    ## Usual causes
    1. Entropy collapsed.
    2. Observations are constant.
    3. The reward favours doing nothing.
    4. A mask leaves only one action, or exploration is off.

    ## What to try
    Check that observations vary and that the mask leaves a choice. Then raise the entropy bonus.

    ## When to ignore it
    Tasks in which one action is nearly always right.

    ## Sources
    Training Monitoring Guide (action histograms); RLExplorer (0.8).
    """
    if patient.health.good or patient.health.early:
        return
    found = action_counts(patient)
    if found is None or len(found[1]) < MIN_POINTS:
        return
    series, shares = found
    late = shares[-WINDOW:].mean(axis=0)
    favourite = int(np.argmax(late))
    share = float(late[favourite])
    if share <= WORTH_KNOWING:
        return
    severity: Severity = "warning" if share > limit and patient.health.struggles else "notice"
    above = shares[:, favourite] > min(limit, share - 1e-9)
    first = len(above) - int(np.argmin(above[::-1])) if not above.all() else 0
    first = min(first, len(above) - 1)
    one = series[favourite]
    yield Hit(
        series=one.name,
        span=one.span(first),
        message=f"one of {len(series)} actions takes {share:.1%} of the choices",
        advice="check that observations vary and that masks leave a choice, "
        "then raise the entropy bonus",
        severity=severity,
        causes=(
            "entropy collapsed",
            "observations constant",
            "a mask that leaves only one action",
            "a reward that favours doing nothing",
        ),
        also=tuple(other.name for other in series if other is not one)[:MAX_NAMED],
    )
