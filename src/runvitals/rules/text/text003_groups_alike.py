"""TEXT003."""

from collections.abc import Iterator

from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.text._risen import rises


@rule(
    "TEXT003",
    "groups-alike",
    needs=["text/duplicate_share"],
    families=["llm"],
    excused_by_outcome=True,
)
def groups_alike(patient: Patient, *, by: float = 0.4) -> Iterator[Hit]:
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
    yield from rises(
        patient,
        "text/duplicate_share",
        by,
        "have a near twin in their own group",
        advice="raise the sampling temperature, or use harder prompts",
        causes=(
            "sampling temperature too low",
            "entropy collapse",
            "prompts that are solved already",
        ),
    )
