"""TEXT007."""

from collections.abc import Iterator

from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.text._risen import rises


@rule(
    "TEXT007",
    "reasoning-dropped",
    severity="notice",
    needs=["text/bare_answer_share"],
    families=["llm"],
)
def reasoning_dropped(patient: Patient, *, by: float = 0.5) -> Iterator[Hit]:
    """The model answers without reasoning.

    ## What it looks for
    At least 50 percentage points more of the sampled texts than at the start of the run mark an
    answer after fewer than five words.

    ## Why it matters
    Where reasoning was the point of the training, it has been unlearned. Guesses can be right
    often enough for a reward to rise.

    ## Usual causes
    1. Length is punished.
    2. Answers can be guessed, as in multiple choice.

    ## What to try
    Check the score on held-out problems that cannot be guessed.

    ## When to ignore it
    Short answers are what you want.

    ## Sources
    DeepSeek-R1; Kimi k1.5 (length penalty).
    """
    yield from rises(
        patient,
        "text/bare_answer_share",
        by,
        "give an answer without reasoning",
        advice="compare with an evaluation; reward the reasoning only if the answers got worse",
        causes=("short answers are rewarded", "the task needs no reasoning"),
    )
