from runvitals.rules.kit import Detection, Hit, rule
from runvitals.rules.text import has_risen, of_texts


@rule("TEXT003", excused_by_outcome=True, when=has_risen("text/duplicate_share", 0.4))
def groups_alike(found: Detection) -> Hit:
    """The samples of a group are copies of each other.

    ## What it looks for
    At least 40 percentage points more of the sampled texts than at the start of the run share
    nine tenths of their word triples with another sample of the same prompt. It is a notice
    while the outcome is doing well.

    ## Why it matters
    Advantages of a group compare its samples. Where they are the same, there is nothing to
    compare, and the gradient of the group is zero.

    ## Usual causes
    1. The sampling temperature or top-p is too low.
    2. The entropy of the policy has collapsed.
    3. The prompts are solved.

    ## What to try
    Raise the temperature, filter prompts that are always solved, and watch the entropy.

    ## When to ignore it
    The task has one right wording.

    ## Sources
    DAPO (zero-variance groups); The Entropy Mechanism (2025).
    """
    return found.hit(
        of_texts(found, "have a near twin in their own group"),
        advice="raise the sampling temperature, or use harder prompts",
        causes=(
            "sampling temperature too low",
            "entropy collapse",
            "prompts that are solved already",
        ),
    )
