from runvitals.rules.kit import Detection, Hit, rule
from runvitals.rules.text import has_risen, of_texts


@rule("TEXT004", when=has_risen("text/copied_share", 0.3))
def prompt_copied(found: Detection) -> Hit:
    """The model copies its prompt.

    ## What it looks for
    At least 30 percentage points more of the sampled texts than at the start of the run consist
    mostly of word sequences of their prompt.

    ## Why it matters
    Copying is the cheapest way to please a reward that looks for words. It answers nothing.

    ## Usual causes
    1. The reward compares the text with words of the prompt.
    2. The prompt was scored together with the response.

    ## What to try
    Read the quoted texts, then take the prompt out of what the reward sees.

    ## When to ignore it
    The task is to quote, edit or extract.

    ## Sources
    Skalse et al. (2022) on reward hacking; NeMo Gym's checks of rollouts.
    """
    return found.hit(
        of_texts(found, "copy their prompt"),
        advice="make the reward pay nothing for what stands in the prompt",
        causes=(
            "the reward compares with words of the prompt",
            "the prompt is part of what is scored",
        ),
    )
