"""TEXT008."""

from collections.abc import Iterator

from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.text._risen import rises


@rule(
    "TEXT008",
    "languages-mixed",
    needs=["text/mixed_scripts_share"],
    families=["llm"],
    excused_by_outcome=True,
)
def languages_mixed(patient: Patient, *, by: float = 0.15) -> Iterator[Hit]:
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
    yield from rises(
        patient,
        "text/mixed_scripts_share",
        by,
        "switch to another script",
        advice="reward one language, or raise the KL coefficient",
        causes=("no reward for the language", "the policy drifts from its reference"),
        beyond=0.6,
    )
