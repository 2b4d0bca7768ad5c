"""LEN002."""

from collections.abc import Iterator

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import lasting, sustained_above
from runvitals.signals.late import TENTH, late_mean
from runvitals.signals.rates import as_rate, is_share

MIN_POINTS = 10  # judgement
MIN_LATE = 5  # points that tell where it ended
DEFAULT_LIMIT = 0.01  # of the prompts (judgement): none should be cut
MANY, MOST = 0.05, 0.5  # of the prompts (judgement)


@rule(
    "LEN002",
    "prompt-truncation-high",
    severity="warning",
    needs=["length/prompt_clip_ratio"],
    families=["llm"],
)
def prompt_truncation_high(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """Prompts are cut off at their length limit and lose the question.

    ## What it looks for
    `length/prompt_clip_ratio` above 1% in 8 of 10 steps up to the end.

    - Notice: the share is below 5%, or the outcome improves or holds.
    - Warning: the share is at least 5%.
    - Critical: the share is at least 50%.

    ## Why it matters
    The reward for an answer to half a question says nothing.

    ## Usual causes
    1. The limit is too small.
    2. Retrieved context or tool output grew.
    3. A template repeats the system prompt.

    ## What to try
    Filter overlong prompts or raise the limit. Never cut them silently.

    ## When to ignore it
    Prompts that are exactly at the limit but not cut count here as well.

    ## Sources
    Training Metrics Glossary.
    """
    ratio = patient["length/prompt_clip_ratio"]
    bound = patient.limit(limit, otherwise=DEFAULT_LIMIT, why="usual for prompts")
    if len(ratio) < MIN_POINTS or not is_share(ratio.values):
        return
    found = sustained_above(as_rate(ratio.values), bound.value)
    stretch = lasting(found, len(ratio), share=TENTH)
    late = late_mean(ratio.values, least=MIN_LATE)
    if stretch is None or late <= bound.value:
        return
    cap = patient.number("max_prompt_length")
    yield Hit(
        series=ratio.name,
        span=stretch.span(ratio),
        message=f"{late:.1%} of prompts are at their length limit"
        + (f" of {cap:g} tokens" if cap else ""),
        advice="raise the prompt limit or filter overlong prompts",
        severity=_severity(patient, late, asked=bound.from_run),
        causes=("prompt limit too small", "context or tool output grew", "template repeats text"),
        limit=bound,
    )


def _severity(patient: Patient, late: float, *, asked: bool) -> Severity:
    if asked:
        return "warning"
    if not patient.health.struggles or late < MANY:
        return "notice"
    return "critical" if late >= MOST else "warning"
