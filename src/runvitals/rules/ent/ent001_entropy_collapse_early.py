"""ENT001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.rules.beyond_excuse import ENTROPY_EARLY, ENTROPY_LEFT, HALF_WAY
from runvitals.rules.ent._floor import FIRST, least_at_start
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.late import late_median
from runvitals.signals.robust import running_median

LEAST_POINTS = 12  # judgement
GONE, LOW = 0.05, 0.1  # of the entropy at the start (judgement)
EARLY = 0.25  # of the steps seen (judgement)
CALM, OF_ALL = 5, 1 / 20  # points, and the share of them, whose median counts as one (judgement)
SMALL_FOR_TOKENS = 0.1  # nats per token; healthy language models live not far above (judgement)


@rule(
    "ENT001",
    "entropy-collapse-early",
    severity="warning",
    needs=["policy/entropy|policy/action_std"],
    families=["policy-gradient", "off-policy"],
)
def entropy_collapse_early(patient: Patient, *, limit: float = LOW) -> Iterator[Hit]:
    """The policy has stopped exploring before it has learned.

    ## What it looks for
    Entropy below a tenth of its start at the end of the run while the outcome falls or ends no better
    than it began; or below a twentieth within the first quarter of a run that does not do well. For
    continuous actions the standard deviation stands in, since their entropy may be negative. Language
    models must also be below 0.1 nats per token. Critical below a twentieth with an outcome that ends
    no better than it began. Silent while the outcome improves or holds: a solved task needs no
    exploration. Unless it was gone (a twentieth of its start) in the first quarter of the run, with
    less than half of the later rise made: a warning.

    ## Why it matters
    A policy without randomness tries nothing new. What it does not know by then it will not learn.

    ## Usual causes
    1. Entropy bonus too small, or of the wrong sign.
    2. Learning rate or number of epochs too high.
    3. One clip range for both sides (language models).
    4. One part of the reward that dominates.
    5. Sampling temperature too low.

    ## What to try
    Raise the entropy bonus in powers of ten from 0.001, or lower the learning rate. For language models
    widen the upper clip range. If the outcome is flat and entropy is gone, go back to an earlier
    checkpoint.

    ## When to ignore it
    Entropy that falls while the outcome rises is learning.

    ## Sources
    Training Metrics and Telemetry; RL metrics table; Training Metrics Glossary (collapse too early);
    Cui et al. 2025 on the entropy mechanism.
    """
    series = _randomness(patient)
    if patient.health.good and not patient.health.solved and series is not None:
        yield from _too_soon(patient, series)
    if not patient.health.struggles:
        return
    if series is None or len(series) < LEAST_POINTS:
        return
    values = series.values
    start = float(values[:FIRST].max())
    late = late_median(values)
    spread_of_actions = series.metric == "policy/action_std"
    if late >= limit * start or (not spread_of_actions and start < least_at_start(patient).value):
        return
    if patient.kind == "llm-rl" and late > SMALL_FOR_TOKENS:
        return
    first = _since(values, limit * start)
    stuck = patient.health.gets_nowhere
    last = int(series.steps[-1])
    early = int(series.steps[first]) - int(series.steps[0]) <= EARLY * (last - int(series.steps[0]))
    gone = late < GONE * start
    if not (stuck or patient.health.falls or (gone and early)):
        return
    severity: Severity = "critical" if gone and stuck else "warning"
    what = "spread of actions" if spread_of_actions else "entropy"
    bonus = patient.number("entropy_coef")
    wrong_sign = bonus is not None and bonus < 0
    known = "" if bonus is None else f" (this run: {bonus:g})"
    yield Hit(
        series=series.name,
        span=series.span(first),
        message=(
            f"{what} down to {late:.2g}, {late / start:.1%} of its start, "
            f"since step {int(series.steps[first]):,}, and the outcome does not do well"
        ),
        advice=(
            f"turn the sign of the entropy bonus round{known}"
            if wrong_sign
            else f"raise the entropy bonus{known} or lower the learning rate"
        ),
        severity=severity,
        causes=("entropy bonus of the wrong sign",) * wrong_sign
        + ("entropy bonus too small", "learning rate or epochs too high", "one reward dominates"),
        limit=Limit(limit * start, "this run's start"),
    )


def _too_soon(patient: Patient, series: Series) -> Iterator[Hit]:
    """Exploration ended early, when most of what was reached later had not been found yet."""
    outcome, values = patient.outcome, series.values
    if outcome is None or len(series) < LEAST_POINTS or outcome.course.shape != "rose":
        return
    if outcome.course.rising:  # it still finds more
        return
    if (
        series.metric != "policy/action_std"
        and values[:FIRST].max() < least_at_start(patient).value
    ):
        return
    start = float(values[:FIRST].max())
    first = _since(values, ENTROPY_LEFT * start, max(CALM, int(OF_ALL * len(values))))
    share = (int(series.steps[first]) - int(series.steps[0])) / max(1, patient.last_step)
    late = late_median(values)
    if late >= ENTROPY_LEFT * start or share > ENTROPY_EARLY:
        return
    if patient.kind == "llm-rl" and late > SMALL_FOR_TOKENS:
        return
    course = outcome.course
    at = int(np.searchsorted(outcome.series.steps, series.steps[first], side="right")) - 1
    then = float(course.curve[min(max(at, 0), len(course.curve) - 1)])
    if then - course.start > HALF_WAY * course.height:
        return
    yield Hit(
        series=series.name,
        span=series.span(first),
        message=f"down to {late:.2g}, {late / start:.1%} of its start, since step "
        f"{int(series.steps[first]):,}, when {outcome.series.name} was still at "
        f"{outcome.shown(then):.4g}",
        advice="raise the entropy bonus: from there on it could only find more by luck",
        severity="warning",
        causes=("entropy bonus too small", "learning rate or epochs too high"),
        limit=Limit(ENTROPY_LEFT * start, "this run's start"),
    )


def _randomness(patient: Patient) -> Series | None:
    """What falls to zero when exploration ends: entropy, or the spread of continuous actions."""
    spread = patient.find("policy/action_std")
    if spread is not None:
        return spread
    return None if patient.continuous else patient.find("policy/entropy")


def _since(values: np.ndarray, limit: float, width: int = CALM) -> int:
    """From where on it stays below a limit."""
    above = np.flatnonzero(running_median(values, width) >= limit)
    return min(int(above[-1]) + 1, len(values) - 1) if len(above) else 0
