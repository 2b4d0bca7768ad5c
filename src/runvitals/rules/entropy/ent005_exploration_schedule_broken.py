"""ENT005."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.entropy._floor import FIRST
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.late import early_median, late_median

MIN_POINTS = 20  # judgement
RANDOM = 0.9  # of the actions (judgement)
SAME = 0.01  # an epsilon that varies less does not fall (judgement)
LONG = 100  # points, where no plan is known (judgement)
MIN_PROGRESS = 0.5  # of the plan, by which it should have fallen (10 to 20% are usual)
AT_ITS_END = 0.02  # of the way from top to bottom that may be left
NEXT_TO_NONE = 0.05  # of the actions: an end value, and no start (judgement)
TOO_SOON = 0.01  # share of the steps; a tenth of what is usual
TOO_LATE = 0.9  # share of the plan (judgement)
RISE, FALLING = 0.1, 0.1  # a rise worth the name, and the share of steps down in it (judgement)


@rule(
    "ENT005",
    "exploration-schedule-broken",
    severity="warning",
    needs=["explore/epsilon"],
    families=["off-policy"],
)
def exploration_schedule_broken(patient: Patient) -> Iterator[Hit]:
    """The exploration schedule (epsilon) does not make sense.

    ## What it looks for
    `explore/epsilon`, the share of random actions, that

    - stays at 0.9 or above for the whole run while the outcome is not doing well. This needs half
      of the plan, or 100 points at one value if no plan is known;
    - is never above 0.05, or reaches its end value within 1% of the run, while the outcome ends no
      better than it began;
    - rises by more than 0.1 while the outcome is not doing well;
    - reaches its end value only after 90% of the plan. This is a notice.

    ## Why it matters
    With too much randomness, what was learned is never used. With too little, nothing new is found.

    ## Usual causes
    1. A schedule that counts episodes instead of steps, or the reverse.
    2. Missing exploration.
    3. A decay that is off by a factor.

    ## What to try
    Plot epsilon against environment steps. Let it fall over the first 10 to 20% of them.

    ## When to ignore it
    The agent explores in another way, such as with noisy networks, or a resumed run starts low.

    ## Sources
    RLExplorer's exploration check; Training Metrics and Telemetry (explore early).
    """
    epsilon = patient["explore/epsilon"]
    if len(epsilon) < MIN_POINTS or patient.health.good or patient.health.early:
        return
    found = _problem(patient, epsilon)
    if found is None:
        return
    message, cause, advice, severity = found
    yield Hit(
        series=epsilon.name,
        span=epsilon.span(),
        message=message,
        advice=advice,
        severity=severity if patient.health.struggles else "notice",
        causes=(cause, "a schedule based on the wrong counter"),
    )


def _problem(patient: Patient, epsilon: Series) -> tuple[str, str, str, Severity] | None:
    values, steps = epsilon.values, epsilon.steps
    low, high = float(values.min()), float(values.max())
    progress = patient.progress
    if low >= RANDOM:
        constant = high - low < SAME and len(values) >= LONG
        if not (constant if progress is None else progress >= MIN_PROGRESS):
            return None
        return (
            f"epsilon is never below {low:g}: actions stay random for all {len(values)} points",
            "a schedule that hardly moves",
            "let epsilon fall over the first 10 to 20% of the steps",
            "warning",
        )
    whole_way = int(steps[-1]) if progress is None else int(patient.planned_steps or steps[-1])
    at_end = np.flatnonzero(values <= low + AT_ITS_END * (high - low))
    reached = int(steps[at_end[0]]) / max(1, whole_way)
    stuck = patient.health.gets_nowhere and int(steps[0]) <= TOO_SOON * whole_way
    if stuck and high <= NEXT_TO_NONE:
        return (
            f"epsilon is never above {high:g}: there is hardly any exploration",
            "missing exploration",
            "start with an epsilon near 1 and let it fall over 10 to 20% of the steps",
            "warning",
        )
    falls = values[0] - values[-1] > RISE
    if stuck and falls and reached <= TOO_SOON:
        return (
            f"epsilon falls to {low:g} within {reached:.1%} of the run",
            "a decay that is off by a factor",
            "let epsilon fall over the first 10 to 20% of the steps",
            "warning",
        )
    early, late = early_median(values, 0, FIRST), late_median(values, 0, FIRST)
    if late - early > RISE and float((np.diff(values) < 0).mean()) < FALLING:
        return (
            f"epsilon rises from {number(early, 2)} to {number(late, 2)}",
            "a schedule that runs backwards",
            "reverse the schedule: high at first, low later",
            "warning",
        )
    if progress is not None and reached >= TOO_LATE and falls:
        return (
            f"epsilon reaches its end value of {low:g} only after {reached:.0%} of the plan",
            "a decay that is too slow",
            "let epsilon fall over the first 10 to 20% of the steps",
            "notice",
        )
    return None
