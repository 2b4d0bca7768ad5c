from runvitals.rules.kit import Hit, Patient, rose, rule, short_number
from runvitals.signals.late import early_median, late_median
from runvitals.signals.pairs import ratio

BEYOND_LENGTH = 1.5  # times what the responses grew (judgement)


@rule("SYS004", severity="notice", needs=["data/teacher_tokens"], min_points=6)
def external_cost_growth(
    patient: Patient, *, growth: float = 0.3, alarm: float = 1.0
) -> Hit | None:
    """The amount sent to an external teacher or judge keeps growing, and it costs money.

    ## What it looks for
    `data/teacher_tokens`, per sample if `data/samples_per_step` is known, at the end
    compared to the start. 30% more is a notice. Twice as much is a warning, if it rises by more
    than the responses themselves.

    ## Why it matters
    An API bill grows with every token, and a prompt that keeps growing eventually fails.

    ## Usual causes
    1. Old conversations are sent with every call.
    2. The responses to judge get longer.
    3. Calls are repeated after errors.

    ## What to try
    Send only what has to be judged, limit its length, and cache scores you have already asked for.

    ## When to ignore it
    Responses that are meant to get longer.

    ## Sources
    TensorBoard Metrics Reference (API tokens and samples per epoch).
    """
    tokens = patient["data/teacher_tokens"]
    samples = patient.find("data/samples_per_step")
    found = rose(tokens if samples is None else ratio(tokens, samples), 1 + growth)
    if found is None:
        return None
    length = patient.find("length/response_mean", "length/total_mean")
    longer = 1.0
    if length is not None and (early := early_median(length.values)) > 0:
        longer = late_median(length.values) / early
    much = found.times >= max(1 + alarm, BEYOND_LENGTH * longer)
    return found.hit(
        f"tokens sent to the teacher grew by {found.times - 1:.0%}, to {short_number(found.level)}",
        advice="send only what has to be judged, and limit its length",
        severity="warning" if much else "notice",
        causes=("old conversations sent with every call", "longer responses", "repeated calls"),
    )
