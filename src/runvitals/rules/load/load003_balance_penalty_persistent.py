from dataclasses import replace

import numpy as np

from runvitals.rules.kit import Hit, Patient, above, fell, rule, size_of
from runvitals.rules.load import balance_penalty
from runvitals.signals.late import QUARTER, late_median

WORTH_A_NOTICE = 0.1  # of the reward's terms; near 0 is healthy (Training Monitoring Guide)


@rule("LOAD003", needs=["reward/component_mean"], min_points=20, excused_by_outcome=True)
def balance_penalty_persistent(patient: Patient, *, share: float = 0.3) -> Hit | None:
    """The penalty for an uneven load stays large and does not come down.

    ## What it looks for
    The reward term with "balance" in its name. For a fifth of the run, or still at its end, it makes
    up more than 30% of all terms together, and it does not fall. Above 10%, or while the outcome does
    well, it is a notice.

    ## Why it matters
    A penalty that never shrinks is either too weak to change the policy, or so strong that the
    policy serves the penalty instead of the task.

    ## Usual causes
    1. The penalty weight is too small to matter, or so large that it drives the reward.
    2. The workload is inherently uneven.
    3. The policy uses only a few replicas (LOAD004).

    ## What to try
    Raise the penalty for an uneven load, or lower it if it already drives the whole reward. Look at
    the workload before you blame the policy.

    ## When to ignore it
    Replicas have different speeds, so an even load is the wrong goal.

    ## Sources
    Training Monitoring Guide (the balance penalty should be near zero).
    """
    penalty = balance_penalty(patient)
    if penalty is None:
        return None
    size = np.abs(penalty.values)
    whole = np.maximum(size + _others(patient, penalty.name), 1e-12)
    part = replace(penalty, values=size / whole)
    large = above(part, share)
    found = large or above(part, WORTH_A_NOTICE)
    comes_down = fell(size_of(penalty), 0.8)
    return found and found.hit(
        f"the balance penalty makes up {found.level:.0%} of all reward terms from step "
        f"{found.step:,} on",
        advice="raise load-balance penalties, unless the workload itself is uneven",
        severity="notice" if large is None or (comes_down and found.first == 0) else None,
        causes=("wrong penalty weight", "an uneven workload", "only a few replicas are used"),
    )


def _others(patient: Patient, mine: str) -> float:
    """The size of the reward without the penalty, by its own mean."""
    reward = patient.find("reward/mean", "reward/score_mean")
    others = [s for s in patient.all("reward/component_mean") if s.name != mine]
    found = [reward] if reward is not None else others
    return max((late_median(np.abs(s.values), QUARTER) for s in found), default=0.0)
