from collections.abc import Iterator

from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.text import of_texts, risen

FAULTS = {
    "text/no_answer_share": "lack a marked answer",
    "text/unfinished_reasoning_share": "open reasoning that they never close",
}


@rule(
    "TEXT006",
    needs=["text/no_answer_share|text/unfinished_reasoning_share"],
    excused_by_outcome=True,
)
def answers_missing(patient: Patient, *, by: float = 0.3) -> Iterator[Hit | None]:
    """The texts no longer arrive at an answer.

    ## What it looks for
    Texts of this run mark their answer (`\\boxed`, `<answer>`, `####`, "answer is"), and at
    least 30 percentage points more of them than at the start do not, or open reasoning that
    they never close. It is a notice while the outcome is doing well, unless nine tenths do so.

    ## Why it matters
    A checker that finds no answer scores zero, whatever the reasoning was worth.

    ## Usual causes
    1. Texts are cut off at the length limit.
    2. The format is forgotten, because nothing rewards it.

    ## What to try
    Look at the ends of the texts. Raise the limit, or pay a little for the format.

    ## When to ignore it
    The prompts changed to ones without a marked answer.

    ## Sources
    DeepSeek-R1 (format reward); DAPO.
    """
    for metric, what in FAULTS.items():
        found = risen(patient, metric, by)
        yield found and found.hit(
            of_texts(found, what),
            advice="read what they end with; raise the length limit or reward the format",
            causes=("texts are cut off before the answer", "the format is no longer rewarded"),
            beyond_excuse=found.level >= 0.9,
        )
