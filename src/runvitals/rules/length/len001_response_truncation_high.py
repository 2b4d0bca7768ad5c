"""LEN001."""

from collections.abc import Iterator

from runvitals.model import Hit, Series, Severity
from runvitals.rules.data._values import raw_number
from runvitals.rules.held_out import held_back
from runvitals.rules.length._pay import pays_for_length
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch, lasting, sustained_above
from runvitals.signals.late import TENTH, late_mean
from runvitals.signals.rates import as_rate, is_share

DEFAULT_LIMIT = 0.1  # of the responses; between the two marks of rldoctor (5 and 15%)
MANY, MOST = 0.2, 0.5  # of the responses (judgement)
NOTHING_EXCUSES = 0.9  # judgement: hardly an answer is ever finished, so none is ever seen whole
EVERY_ONE = 0.999  # of the responses; a mean of 16-bit numbers may miss 1 by a little
FULL_MARKS = 0.95  # of a reward between 0 and 1, for responses that were cut off from the start on
MIN_FACTS = 3  # points in which every response is cut off; that is not a matter of chance
MIN_POINTS, MIN_WHEN_ALL = 10, 5  # for a stretch of points; with fewer all of them have to be above
ENDS = 5  # points at least that tell where it began, and where it ended
BEGUN = 0.1  # of the plan (judgement): before it a model may still learn to end
MIN_SETTINGS = ("min_new_tokens", "min_completion_length", "min_length", "min_tokens")


@rule(
    "LEN001",
    "response-truncation-high",
    severity="warning",
    needs=["length/response_clip_ratio"],
    families=["llm"],
)
def response_truncation_high(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """Many responses are cut off at the length limit.

    ## What it looks for
    `length/response_clip_ratio` above 10% in 8 of 10 steps up to the end (in all of them, if there
    are fewer). If every response is cut off, three points are enough.

    - Notice: the share is below 20%, or the outcome improves or holds.
    - Warning: the share is at least 20%.
    - Critical: the share is at least 50%.

    Some cases are warnings even if the outcome improves:

    - The share is at least 90%, unless the reward rose to full marks for responses that were cut
      off from the start.
    - The share climbs from below 20% to above 50% while only the training reward rises.
    - The share is above 20% and does not fall, while the success rate has reached the share of
      responses that do end, which it cannot exceed.

    Responses whose minimum length is set to the maximum are cut off on purpose and are not
    reported.

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
    Responses have a fixed length by design, as in sentiment continuation, and no setting says so.

    ## Sources
    Training Metrics Glossary; DAPO (overlong responses); veRL #2738 and #7412; rldoctor (5 and 15
    %).
    """
    whole = patient["length/response_clip_ratio"]
    bound = patient.limit(limit, otherwise=DEFAULT_LIMIT, why="usual for responses")
    if not is_share(whole.values) or _on_purpose(patient):
        return
    fact = _is_a_fact(patient, whole)
    later = patient.after_warm_up(whole)
    ratio = whole if fact or len(later) < MIN_POINTS else later  # of few, all have to be above
    stretch = Stretch(0, len(whole) - 1, len(whole)) if fact else _stretch(ratio, bound.value)
    if stretch is None:
        return
    late = late_mean(ratio.values, least=ENDS)
    early = float(whole.values[:ENDS].mean())
    ended = patient.find("length/response_terminated_mean")
    never_ends = late >= EVERY_ONE or (
        ended is not None and late_mean(ended.values, least=ENDS) == 0
    )
    cap = patient.number("max_response_length")
    yield Hit(
        series=ratio.name,
        span=stretch.span(ratio),
        message=f"{late:.0%} of responses are cut off"
        + (f" at {cap:g} tokens" if cap else " at the length limit")
        + (", and none ends on its own" if never_ends else ""),
        advice="check the end token and the chat template of one response"
        if never_ends
        else "raise the length limit, or mask truncated responses in the loss",
        severity=_severity(patient, late, early, asked=bound.from_run),
        causes=(
            ("wrong end token or chat template", "length limit too small")
            if never_ends
            else ("length limit too small for this model", "length is rewarded", "repetition")
        ),
        limit=bound,
    )


def _stretch(ratio: Series, limit: float) -> Stretch | None:
    """The points above the limit up to the end; None if there are not enough."""
    n = len(ratio)
    if n >= MIN_POINTS:
        return lasting(sustained_above(as_rate(ratio.values), limit), n, share=TENTH)
    if n < MIN_WHEN_ALL or float(ratio.values.min()) <= limit:
        return None
    return Stretch(0, n - 1, n)


def _is_a_fact(patient: Patient, ratio: Series) -> bool:
    """Whether every response was cut off at every point, and the run is past its very start."""
    begun = patient.progress is None or patient.progress >= BEGUN or patient.finished
    return len(ratio) >= MIN_FACTS and float(ratio.values.min()) >= EVERY_ONE and begun


def _on_purpose(patient: Patient) -> bool:
    """Whether the settings ask for responses of exactly one length."""
    longest = patient.number("max_response_length")
    shortest = raw_number(patient.run, *MIN_SETTINGS)
    return longest is not None and shortest is not None and shortest >= longest


def _severity(patient: Patient, late: float, early: float, *, asked: bool) -> Severity:
    outcome = patient.outcome
    if late >= NOTHING_EXCUSES and early >= MOST and not asked and _full_marks(patient):
        return "notice"
    if late >= NOTHING_EXCUSES:
        return "critical" if patient.health.struggles else "warning"
    if not patient.health.struggles and patient.health.silent:
        return "warning" if asked else "notice"
    if patient.health.good:
        if held_back(patient, late, early):
            return "warning"
        climbed = late >= MOST and early < MANY and outcome is not None and not outcome.held_out
        return "warning" if climbed or asked else "notice"
    if late >= MOST:
        return "critical"
    return "warning" if late >= MANY or asked else "notice"


def _full_marks(patient: Patient) -> bool:
    """Whether the task is done all the same: next to the most there is, and not paid by the token."""
    outcome = patient.outcome
    if not patient.health.good or outcome is None or outcome.role.kind not in ("reward", "rate"):
        return False
    bounded = float(outcome.values.min()) >= 0.0 and float(outcome.values.max()) <= 1.0
    rose = outcome.course.rose and outcome.course.now >= FULL_MARKS
    return bounded and rose and pays_for_length(patient) is None
