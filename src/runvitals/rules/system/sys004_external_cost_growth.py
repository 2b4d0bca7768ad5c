"""SYS004."""

from collections.abc import Iterator

from runvitals.model import Hit, Severity, Span
from runvitals.model.formatting import short_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.late import THIRD, early_median, late_median
from runvitals.signals.pairs import aligned
from runvitals.signals.robust import noise
from runvitals.signals.trend import trend

MIN_POINTS = 6  # judgement
TIMES_NOISE = 3.0  # that the growth has to be
BEYOND_LENGTH = 1.5  # times what the responses grew (judgement)


@rule("SYS004", "external-cost-growth", severity="notice", needs=["data/teacher_tokens"])
def external_cost_growth(
    patient: Patient, *, growth: float = 0.3, alarm: float = 1.0
) -> Iterator[Hit]:
    """The amount sent to an external teacher or judge keeps growing, and it costs money.

    ## What it looks for
    `data/teacher_tokens`, per sample if `data/samples_per_step` is known, in the last third
    compared to the first. 30% more is a notice. Twice as much is a warning, if it rises steadily
    and by more than the responses themselves.

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
    values = tokens.values
    samples = patient.find("data/samples_per_step")
    if samples is not None:
        _, mine, count = aligned(tokens, samples)
        if len(mine) == len(values) and (count > 0).all():
            values = mine / count
    if len(values) < MIN_POINTS:
        return
    early, late = early_median(values, THIRD), late_median(values, THIRD)
    if early <= 0 or late - early < max(growth * early, TIMES_NOISE * noise(values)):
        return
    steady = trend(values).up
    longer = _lengths_grew(patient)
    severity: Severity | None = None
    if late - early >= alarm * early and steady and longer * BEYOND_LENGTH < late / early:
        severity = "warning"
    yield Hit(
        series=tokens.name,
        span=Span(int(tokens.steps[0]), int(tokens.steps[-1]), len(tokens)),
        message=f"tokens sent to the teacher grew by {late / early - 1:.0%}, to {short_number(late)}",
        advice="send only what has to be judged, and limit its length",
        severity=severity,
        causes=("old conversations sent with every call", "longer responses", "repeated calls"),
    )


def _lengths_grew(patient: Patient) -> float:
    length = patient.find("length/response_mean", "length/total_mean")
    if length is None or len(length) < MIN_POINTS:
        return 1.0
    early, late = early_median(length.values, THIRD), late_median(length.values, THIRD)
    return late / early if early > 0 else 1.0
