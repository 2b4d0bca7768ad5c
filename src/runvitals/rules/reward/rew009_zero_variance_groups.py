import numpy as np

from runvitals.rules.kit import Detection, Hit, Patient, is_above, rule
from runvitals.rules.reward import unscored
from runvitals.signals.late import QUARTER, late_mean

NEARLY_ALL = 0.9  # of the groups: too few are left to learn from
SOLVED, FAILED = 0.85, 0.15  # of the most a score can be: judgement


@rule(
    "REW009",
    when=is_above("reward/zero_std_fraction", 0.5, for_share=0.25, to_end=True),
    families=["llm-rl"],
    excused_by_outcome=True,
    min_points=3,
)
def zero_variance_groups(found: Detection, patient: Patient) -> Hit:
    """In most groups all answers get the same reward, so their prompts teach nothing.

    ## What it looks for
    A share of groups whose rewards are all the same that is above 0.5 (`limit`) in at least a quarter
    of the run, and at its end. It is a warning if the outcome is not doing well, otherwise a notice.
    Above 0.9 it is a warning unless the task is solved.

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
    what, advice, causes = _regime(patient)
    share = float(found.series.values[found.first :].mean())
    return found.hit(
        f"in {share:.0%} of the groups all rewards are the same{what}",
        advice=advice,
        causes=causes,
        beyond_excuse=share >= NEARLY_ALL and not patient.health.solved,
    )


def _regime(patient: Patient) -> tuple[str, str, tuple[str, ...]]:
    """Whether tied groups are solved or failed, and what to do then."""
    right = patient.find("reward/group_all_correct_fraction")
    wrong = patient.find("reward/group_all_wrong_fraction")
    score = patient.find("outcome/success_rate", "reward/score_mean", "reward/mean")
    level = 0.5
    if right is not None and wrong is not None:
        all_right, all_wrong = late_mean(right.values, QUARTER), late_mean(wrong.values, QUARTER)
        level = all_right / max(all_right + all_wrong, 1e-9)
    elif score is not None and float(np.abs(score.values).max()) <= 1.0:
        level = late_mean(score.values, QUARTER)
    if level >= SOLVED:
        return " (mostly solved)", "add harder prompts", ("prompts have become too easy",)
    if level <= FAILED:
        return (
            " (mostly failed)",
            f"{unscored(patient)}check the verifier on a correct answer, then use easier prompts",
            ("prompts too hard", "a verifier that always fails"),
        )
    return (
        "",
        "raise the sampling temperature or the group size, and check whether the answers of a group "
        "are all the same",
        ("all answers of a group are the same: entropy is gone", "rewards cancel out to one sum"),
    )
