from dataclasses import replace

import numpy as np

from runvitals.rules.kit import Hit, Limit, Patient, above, rule
from runvitals.rules.policy import action_counts


@rule(
    "POL005", needs=["policy/action_share"], families=["rl"], excused_by_outcome=True, min_points=12
)
def action_collapse(patient: Patient, *, limit: float = 0.95) -> Hit | None:
    """One action takes nearly all choices, and the outcome is not good.

    ## What it looks for
    One of at least two actions takes more than 95% of the choices (`limit`) for a fifth of the run
    and at its end. It is a warning if the outcome is not doing well, a notice if none was logged, and
    silent while it is doing well.

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
    counts = action_counts(patient)
    if counts is None or patient.health.good:
        return None
    series, shares = counts
    favourite = int(np.argmax(shares[-1]))
    one = series[favourite]
    one = replace(one, steps=one.steps[-len(shares) :], values=shares[:, favourite])
    found = above(one, Limit(limit, "nearly always the same"), to_end=True)
    return found and found.hit(
        f"one of {len(series)} actions takes {found.level:.1%} of the choices",
        advice="check that observations vary and that masks leave a choice, "
        "then raise the entropy bonus",
        causes=(
            "entropy collapsed",
            "observations constant",
            "a mask that leaves only one action",
            "a reward that favours doing nothing",
        ),
        also=tuple(other.name for other in series if other.name != one.name)[:4],
    )
