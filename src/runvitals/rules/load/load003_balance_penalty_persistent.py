"""LOAD003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity, Span
from runvitals.rules.load._shares import balance_penalty
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import so_far
from runvitals.signals.trend import trend

MIN_POINTS = 30  # judgement: half of them are judged
WORTH_A_NOTICE = 0.1  # of the reward's terms; near 0 is healthy (Training Monitoring Guide)


@rule(
    "LOAD003",
    "balance-penalty-persistent",
    severity="warning",
    needs=["reward/component_mean"],
)
def balance_penalty_persistent(patient: Patient, *, share: float = 0.3) -> Iterator[Hit]:
    """The penalty for an uneven load stays large and does not come down.

    ## What it looks for
    The reward term with "balance" in its name. In the second half of the run it makes up more than
    30% of all terms together, and it does not fall. Above 10%, or while the outcome improves or
    holds, it is a notice.

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
    if penalty is None or len(penalty) < MIN_POINTS:
        return
    half = penalty.values[len(penalty) // 2 :]
    size = float(np.median(np.abs(half)))
    whole = size + _others(patient, penalty.name)
    if whole <= 0 or size < WORTH_A_NOTICE * whole:
        return
    part = size / whole
    down = trend(np.abs(penalty.values)).down or trend(np.abs(half)).down
    severity: Severity | None = None
    if part < share or patient.health.good or down or patient.health.silent:
        severity = "notice"
    yield Hit(
        series=penalty.name,
        span=Span(int(penalty.steps[len(penalty) // 2]), int(penalty.steps[-1]), len(half)),
        message=f"the balance penalty makes up {part:.0%} of all reward terms in the second half"
        f"{so_far(patient)}",
        advice="raise load-balance penalties, unless the workload itself is uneven",
        severity=severity,
        causes=("wrong penalty weight", "an uneven workload", "only a few replicas are used"),
    )


def _others(patient: Patient, mine: str) -> float:
    """The size of the reward without the penalty, by its own mean."""
    reward = patient.find("reward/mean", "reward/score_mean")
    if reward is not None:
        return float(np.median(np.abs(reward.values[len(reward) // 2 :])))
    sizes = [
        float(np.median(np.abs(s.values[len(s) // 2 :])))
        for s in patient.all("reward/component_mean")
        if s.name != mine
    ]
    return max(sizes, default=0.0)
