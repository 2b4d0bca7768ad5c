from runvitals.rules.kit import Detection, Hit, rule
from runvitals.rules.text import has_risen, of_texts


@rule("TEXT008", excused_by_outcome=True, when=has_risen("text/mixed_scripts_share", 0.15))
def languages_mixed(found: Detection) -> Hit:
    """The model mixes languages.

    ## What it looks for
    At least 15 percentage points more of the sampled texts than at the start of the run contain
    a good part in a script that their prompt does not have. It is a notice while the outcome is
    doing well, unless most texts do so.

    ## Why it matters
    Readers cannot follow it, and it is an early sign of a policy that drifts.

    ## Usual causes
    1. Nothing rewards the language of the prompt.
    2. The KL to the reference is not bounded.

    ## What to try
    Add a small reward for the prompt's language.

    ## When to ignore it
    Translation, and texts with formulas of another script.

    ## Sources
    DeepSeek-R1-Zero (language mixing).
    """
    return found.hit(
        of_texts(found, "switch to another script"),
        advice="reward one language, or raise the KL coefficient",
        causes=("no reward for the language", "the policy drifts from its reference"),
        beyond_excuse=found.level >= 0.6,
    )
