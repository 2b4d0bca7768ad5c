from runvitals.rules.kit import Detection, Hit, rule
from runvitals.rules.text import has_risen, of_texts


@rule(
    "TEXT001", severity="critical", verdict="collapsed", when=has_risen("text/garbage_share", 0.15)
)
def garbage_output(found: Detection) -> Hit:
    """The model writes garbage.

    ## What it looks for
    At least 15 percentage points more of the sampled texts than at the start of the run are empty,
    repeat one character, consist of symbols, unprintable or random characters, or have no words.

    ## Why it matters
    Garbage that is rewarded looks like learning in every curve. Garbage that is not rewarded
    ends the training: there is nothing left to reinforce.

    ## Usual causes
    1. The policy left its reference: learning rate too high, KL penalty too low.
    2. A mismatch between rollout engine and trainer, or corrupted weights after a sync.
    3. A reward function that scores anything.

    ## What to try
    Read the quoted texts. Go back to a checkpoint from before the first step, lower the
    learning rate, raise the KL coefficient, and make the reward return its lowest value for
    texts like these.

    ## When to ignore it
    The task asks for such strings, for example encodings or ASCII art.

    ## Sources
    veRL #747 and #891 (output turns to garbage); NeMo Gym's checks of rollouts.
    """
    return found.hit(
        of_texts(found, "are garbage or empty"),
        advice="stop the run, and continue from a checkpoint before the first of these steps",
        causes=(
            "the policy was pushed too far from its reference",
            "the rollout engine and the trainer disagree",
            "the reward pays for garbage",
        ),
    )
