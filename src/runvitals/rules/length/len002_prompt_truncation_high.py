from runvitals.rules.kit import Detection, Hit, Patient, rule
from runvitals.rules.length import inexcusable, is_lost


@rule(
    "LEN002",
    when=is_lost("length/prompt_clip_ratio"),
    families=["llm"],
    min_points=10,
    excused_by_outcome=True,
)
def prompt_truncation_high(cut: Detection, patient: Patient) -> Hit:
    """Prompts are cut off at their length limit and lose the question.

    ## What it looks for
    The level of `length/prompt_clip_ratio` is above 1% for a fifth of the run and at its end. It is
    a warning if the outcome is not doing well, or if at least half of the prompts are cut; otherwise
    it is a notice.

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
    cap = patient.number("max_prompt_length")
    return cut.hit(
        f"{cut.level:.1%} of prompts are at their length limit"
        + (f" of {cap:g} tokens" if cap else ""),
        advice="raise the prompt limit or filter overlong prompts",
        causes=("prompt limit too small", "context or tool output grew", "template repeats text"),
        beyond_excuse=inexcusable(cut),
    )
