from runvitals.rules.kit import Detection, Hit, rule
from runvitals.rules.text import has_risen, of_texts


@rule("TEXT007", severity="notice", when=has_risen("text/bare_answer_share", 0.5))
def reasoning_dropped(found: Detection) -> Hit:
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
    return found.hit(
        of_texts(found, "give an answer without reasoning"),
        advice="compare with an evaluation; reward the reasoning only if the answers got worse",
        causes=("short answers are rewarded", "the task needs no reasoning"),
    )
