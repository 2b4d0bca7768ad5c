from runvitals.rules.kit import Detection, Hit, rule
from runvitals.rules.text import has_risen, of_texts


@rule(
    "TEXT002", excused_by_outcome=True, verdict="collapsed", when=has_risen("text/loop_share", 0.2)
)
def endless_repetition(found: Detection) -> Hit:
    """The model says the same again and again.

    ## What it looks for
    At least 20 percentage points more of the sampled texts than at the start of the run consist
    mostly of word sequences that they contained before. It is a notice while the outcome is
    doing well, unless half of all texts do so.

    ## Why it matters
    A loop runs to the length limit, costs the most tokens, and carries no answer.

    ## Usual causes
    1. The reward grows with length.
    2. The end token is masked out or never sampled.
    3. The policy collapsed.

    ## What to try
    Read the quoted texts. Check the end token, cap the length that is rewarded, and lower the
    learning rate.

    ## When to ignore it
    Poems, lists and tables repeat on purpose.

    ## Sources
    TRL #2948; DAPO (overlong responses).
    """
    return found.hit(
        of_texts(found, "repeat themselves"),
        advice="penalise repetition or stop generation at it, and check the end token",
        causes=(
            "length is rewarded",
            "the end token is never produced",
            "the policy collapsed onto one phrase",
        ),
        beyond_excuse=found.level >= 0.5,
    )
