"""REW009."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._unscored import unscored
from runvitals.signals.late import QUARTER, TENTH, late_mean, points_in

SOLVED, FAILED = 0.85, 0.15  # of the most a score can be: judgement
MIN_POINTS = 12  # for a mean; groups of a batch are few
MOSTLY = 2  # times as many of one kind as of the other (judgement)
MIN_FACTS = 3  # points at which every single group is tied: that is not a matter of chance
WORTH_KNOWING, NEARLY_ALL = 0.3, 0.9  # of the groups; DAPO fills up batches long before


@rule(
    "REW009",
    "zero-variance-groups",
    severity="warning",
    needs=["reward/zero_std_fraction"],
    families=["llm-rl"],
)
def zero_variance_groups(patient: Patient, *, limit: float = 0.5) -> Iterator[Hit]:
    """In most groups all answers get the same reward, so their prompts teach nothing.

    ## What it looks for
    The share of groups whose rewards are all the same, averaged over the last quarter of the run.
    It takes at least 12 points, or 3 if every group in all of them is tied.

    - From 0.5 (`limit`), if the outcome is not improving: a warning.
    - From 0.9, if the outcome is not improving: critical.
    - While the outcome is doing well, or from 0.3 up to the limit: a notice.

    The finding says whether the groups are solved or failed, if that is known.

    ## Why it matters
    A group method learns from differences within a group. Only the remaining groups make up the
    effective batch.

    ## Usual causes
    1. Prompts have become too easy for the policy.
    2. Prompts are too hard, or the verifier always fails.
    3. Entropy is gone: all answers of a group are the same.
    4. Rewards cancel out to one sum.

    ## What to try
    If groups are solved, use harder prompts. If they failed, use easier prompts and check the
    verifier. Otherwise raise the sampling temperature, use larger groups, or filter out such groups
    and fill up the batch.

    ## When to ignore it
    With dynamic sampling, which drops such groups. Look at the number of generated batches instead.

    ## Sources
    TRL (frac_reward_zero_std); DAPO and its dynamic sampling; verl's notes on DAPO.
    """
    tied = patient["reward/zero_std_fraction"]
    always = len(tied) >= MIN_FACTS and float(tied.values.min()) == 1.0
    if len(tied) < MIN_POINTS and not always:
        return
    share = late_mean(tied.values, QUARTER, MIN_POINTS)
    if share < min(WORTH_KNOWING, limit) or (patient.health.early and not always):
        return
    severity: Severity = "notice"
    if share >= limit and patient.health.struggles:
        severity = "critical" if share >= NEARLY_ALL else "warning"
    elif share >= NEARLY_ALL and (patient.health.unknown or (always and patient.finished)):
        severity = "warning"
    what, advice, causes = _regime(patient)
    if what == "solved":
        severity = "notice"
    yield Hit(
        series=tied.name,
        span=tied.span(_since(tied.values, share / 2)),
        message=f"in {share:.0%} of the groups all rewards are the same"
        + (f" (mostly {what})" if what else ""),
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
        all_right, all_wrong = late_mean(right.values, QUARTER), late_mean(wrong.values, QUARTER)
        solved, failed = all_right > MOSTLY * all_wrong, all_wrong > MOSTLY * all_right
    elif score is not None and float(np.abs(score.values).max()) <= 1.0:
        level = late_mean(score.values, QUARTER)
        solved, failed = level >= SOLVED, level <= FAILED
    if solved:
        return "solved", "add harder prompts", ("prompts have become too easy",)
    if failed:
        cut = unscored(patient)
        causes = ("prompts too hard", "a verifier that always fails")
        advice = "check the verifier on a correct answer, then use easier prompts"
        if cut:
            first = f"check whether responses contain an answer: {cut}"
            return "failed", f"{first}; then {advice}", causes
        return "failed", advice, causes
    return (
        "",
        "raise the sampling temperature or the group size, and check whether the answers of a group "
        "are all the same",
        ("all answers of a group are the same: entropy is gone", "rewards cancel out to one sum"),
    )


def _since(values: np.ndarray, level: float) -> int:
    """From which point on the share was above a level, in blocks long enough for a mean."""
    fewest = min(MIN_POINTS, points_in(len(values), QUARTER, 1))
    width = points_in(len(values), TENTH, fewest)
    ends = range(len(values), 0, -width)
    first = len(values) - width
    for end in ends:
        if float(values[max(0, end - width) : end].mean()) < level:
            break
        first = max(0, end - width)
    return max(0, first)
