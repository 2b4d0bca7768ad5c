"""REW009."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient, part
from runvitals.rules.registry import rule
from runvitals.rules.rew._kit import span_of

SOLVED, FAILED = 0.85, 0.15


@rule(
    "REW009",
    "zero-variance-groups",
    severity="warning",
    needs=["reward/zero_std_fraction"],
    families=["llm-rl"],
)
def zero_variance_groups(patient: Patient, *, limit: float = 0.5) -> Iterator[Hit]:
    """Most groups of answers get one and the same reward, so their prompts teach nothing.

    ## What it looks for
    The share of groups without any difference in reward, as a median over the last quarter of the
    run (at least 12 points): from 0.5 (`limit`) a warning, from 0.9 critical, if the outcome does
    not improve. While it does well, and below the limit from 0.3 on, it is a notice. The finding
    says whether the groups are solved, failed, or tied for another reason.

    ## Why it matters
    A group method learns from differences within a group. The effective batch is what remains.

    ## Usual causes
    1. Prompts too easy for the policy by now.
    2. Prompts too hard, or a verifier that always fails.
    3. Entropy gone: all answers of a group are the same.
    4. Rewards that cancel each other to one sum.

    ## What to try
    Solved groups: harder prompts. Failed groups: easier prompts, and a look at the verifier. Else
    sample hotter, in larger groups, or filter such groups and fill up the batch.

    ## When to ignore it
    With dynamic sampling, which drops such groups; look at the number of generated batches instead.

    ## Sources
    TRL (frac_reward_zero_std); DAPO and its dynamic sampling; verl's notes on DAPO.
    """
    tied = patient["reward/zero_std_fraction"]
    late = part(
        tied, slice(len(tied) - max(12, len(tied) // 4), None) if len(tied) >= 12 else slice(0)
    )
    if not len(late):
        return
    share = float(np.median(late.values))
    if share < min(0.3, limit) or patient.health.early:
        return
    severity: Severity = "notice"
    if share >= limit and patient.health.struggles:
        severity = "critical" if share >= 0.9 else "warning"
    elif share >= 0.95 and patient.health.unknown:
        severity = "warning"
    what, advice, causes = _regime(patient)
    if what == "solved":
        severity = "notice"
    yield Hit(
        series=tied.name,
        span=span_of(late),
        message=f"{share:.0%} of the groups have rewards without any difference, mostly {what}",
        advice=advice,
        severity=severity,
        causes=causes,
    )


def _regime(patient: Patient) -> tuple[str, str, tuple[str, ...]]:
    """Whether tied groups are solved or failed, and what to do then."""
    right = patient.find("reward/group_all_correct_fraction")
    wrong = patient.find("reward/group_all_wrong_fraction")
    score = patient.find("outcome/success_rate", "reward/score_mean", "reward/mean")
    solved = failed = False
    if right is not None and wrong is not None:
        solved = _late(right.values) > 2 * _late(wrong.values)
        failed = _late(wrong.values) > 2 * _late(right.values)
    elif score is not None and float(np.abs(score.values).max()) <= 1.0:
        solved, failed = _late(score.values) >= SOLVED, _late(score.values) <= FAILED
    if solved:
        return "solved", "add harder prompts", ("prompts too easy by now",)
    if failed:
        causes = ("prompts too hard", "a verifier that always fails")
        return "failed", "check the verifier on a right answer, then use easier prompts", causes
    return (
        "tied",
        "sample hotter or in larger groups, and look whether the answers of a group are all the same",
        ("answers of a group are the same: entropy is gone", "rewards cancel to one sum"),
    )


def _late(values: np.ndarray) -> float:
    return float(np.median(values[-max(3, len(values) // 4) :]))
