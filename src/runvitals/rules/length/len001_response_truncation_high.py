import math

from runvitals.rules.kit import Detection, Hit, Patient, rule
from runvitals.rules.length import inexcusable, is_lost
from runvitals.rules.text import quotes_of

NONE_ENDS = 0.995  # of the responses, which is shown as 100%
FIXED_LENGTH = 64  # tokens: with a smaller limit every response is meant to fill it
FIRST_QUARTER = 0.25  # of the plan: until then a model may still learn to end (judgement)


@rule(
    "LEN001",
    when=is_lost("length/response_clip_ratio"),
    families=["llm"],
    min_points=3,
    excused_by_outcome=True,
)
def response_truncation_high(cut: Detection, patient: Patient) -> Hit:
    """Many responses are cut off at the length limit.

    ## What it looks for
    The level of `length/response_clip_ratio` is above 10% for a fifth of the run and at its end.
    Where only samples tell why they ended (`finish_reason`, `truncated`), their share counts.

    - Notice: less than half of the responses are cut, and the outcome is doing well.
    - Warning: at least half of them are cut, whatever the outcome, or the outcome is not doing well.
    - Critical: at least half of them are cut, and the outcome is not doing well. In the first
      quarter of a planned run this is a warning: the model may still learn to end.

    ## Why it matters
    A truncated response rarely contains its answer, so it is scored as wrong however good the
    reasoning was, and the policy learns from noise. If nothing ever ends, the end token or the
    template is broken.

    ## Usual causes
    1. The limit is too small for this model.
    2. The end token or chat template is wrong, so nothing ends.
    3. Length is rewarded (LEN005).
    4. Responses repeat themselves endlessly.

    ## What to try
    If nothing ends, fix the template first. Otherwise raise the limit, shape the reward of overlong
    responses, or mask truncated ones in the loss.

    ## When to ignore it
    Responses have a fixed length by design, as in sentiment continuation. Below a limit of 64 tokens
    a good outcome excuses it.

    ## Sources
    Training Metrics Glossary; DAPO (overlong responses); veRL #2738 and #7412; rldoctor (5 and 15
    %).
    """
    never_ends = cut.level >= NONE_ENDS
    early = patient.progress is not None and patient.progress < FIRST_QUARTER
    cap = patient.number("max_response_length")
    length = patient.find("length/response_mean")
    longest = cap or (math.inf if length is None else float(length.values.max()))
    return cut.hit(
        f"{cut.level:.0%} of responses are cut off"
        + (f" at {cap:g} tokens" if cap else " at the length limit")
        + (", and none ends on its own" if never_ends else ""),
        advice="check the end token and the chat template of one response"
        if never_ends
        else "raise the length limit, or mask truncated responses in the loss",
        grave=inexcusable(cut) and not early,
        causes=(
            ("wrong end token or chat template", "length limit too small")
            if never_ends
            else ("length limit too small for this model", "length is rewarded", "repetition")
        ),
        beyond_excuse=inexcusable(cut) and longest > FIXED_LENGTH,
        quotes=quotes_of(patient, "length/response_clip_ratio", cut),
    )
