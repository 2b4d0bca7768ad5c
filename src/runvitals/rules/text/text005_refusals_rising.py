from runvitals.rules.kit import Detection, Hit, rule
from runvitals.rules.text import has_risen, of_texts


@rule("TEXT005", when=has_risen("text/refusal_share", 0.2))
def refusals_rising(found: Detection) -> Hit:
    """The model refuses more and more.

    ## What it looks for
    At least 20 percentage points more of the sampled texts than at the start of the run begin
    by declining to answer.

    ## Why it matters
    A refusal is safe under many reward models, so the policy drifts there, and help is lost.

    ## Usual causes
    1. The reward model prefers refusals.
    2. The data has too many of them.

    ## What to try
    Read the quoted texts with their prompts. Score refusals of harmless prompts low.

    ## When to ignore it
    The training is meant to teach refusals.

    ## Sources
    Bai et al. (2022) on harmlessness and evasiveness.
    """
    return found.hit(
        of_texts(found, "refuse to answer"),
        advice="score refusals of harmless prompts low",
        causes=("the reward model prefers refusals", "too many safety examples in the data"),
    )
