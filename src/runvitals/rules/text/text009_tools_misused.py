from collections.abc import Iterator

from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.text import of_texts, risen

FAULTS = {
    "text/tool_loop_share": "call the same tool with the same arguments again and again",
    "text/tool_error_share": "get mostly errors from their tools",
}


@rule("TEXT009", needs=["text/tool_loop_share|text/tool_error_share"], excused_by_outcome=True)
def tools_misused(patient: Patient, *, by: float = 0.2) -> Iterator[Hit | None]:
    """Tool calls repeat or fail.

    ## What it looks for
    At least 20 percentage points more of the sampled rollouts than at the start of the run call
    a tool three times with the same arguments, or get mostly errors from their tools. It is a
    notice while the outcome is doing well, unless most rollouts do so.

    ## Why it matters
    Such rollouts use up their turns and learn nothing from them.

    ## Usual causes
    1. Errors are not shown to the model.
    2. The number of calls is rewarded.
    3. A tool is down.

    ## What to try
    Read the quoted rollouts, then the log of the tool.

    ## When to ignore it
    The tool is meant to be polled.

    ## Sources
    TRL's tool failure rate; NeMo Gym's checks of rollouts.
    """
    for metric, what in FAULTS.items():
        found = risen(patient, metric, by)
        yield found and found.hit(
            of_texts(found, what),
            advice="end a rollout at a repeated call, and show the model what the tool said",
            causes=(
                "errors of tools are not shown to the model",
                "calls are rewarded by their number",
            ),
            beyond_excuse=found.level >= 0.6,
        )
