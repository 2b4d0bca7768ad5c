from runvitals.rules.kit import Detection, Hit, rule
from runvitals.rules.text import has_risen


@rule("GAIN003", excused_by_outcome=True, when=has_risen("gain/lost_prompts", 0.15))
def solved_prompts_lost(found: Detection) -> Hit:
    """Prompts that were solved are no longer.

    ## What it looks for
    Of the prompts that three quarters of a group solved before, at least 15 percentage points more
    than at the start are now solved by no more than a quarter. It is a notice while the outcome is
    doing well.

    ## Why it matters
    A mean that stays flat can hide that new prompts replace old ones.

    ## Usual causes
    1. The learning rate is too high.
    2. The mix of the data changed.
    3. The policy collapsed.

    ## What to try
    Compare the answers to one prompt (`runvitals samples --by-prompt`, `--diff`).

    ## When to ignore it
    The scoring became stricter during the run.

    ## Sources
    Yue et al. (2025), Does RL really incentivize reasoning capacity.
    """
    return found.hit(
        f"{found.level:.0%} of the prompts that were solved before are no longer, "
        f"{found.before:.0%} at the start",
        advice="compare early and late answers to one prompt, and lower the learning rate",
        causes=("updates too large", "the mix of the data changed"),
    )
