"""ENT001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity, Span
from runvitals.rules.ent._floor import least_at_start
from runvitals.rules.patient import Patient
from runvitals.rules.pol._updates import gets_nowhere, in_trouble
from runvitals.rules.registry import rule
from runvitals.signals.robust import running_median

LEAST_POINTS = 12
GONE, LOW = 0.05, 0.1  # of the entropy at the start
EARLY = 0.25  # of the steps seen
SMALL_FOR_TOKENS = 0.1  # nats per token; healthy language models live not far above


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
    exploration.

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
    if not in_trouble(patient):
        return
    series = _randomness(patient)
    if series is None or len(series) < LEAST_POINTS:
        return
    values = series.values
    start = float(values[:5].max())
    late = float(np.median(values[-max(3, len(values) // 5) :]))
    spread_of_actions = series.metric == "policy/action_std"
    if late >= limit * start or (not spread_of_actions and start < least_at_start(patient).value):
        return
    if patient.kind == "llm-rl" and late > SMALL_FOR_TOKENS:
        return
    first = _since(values, limit * start)
    stuck = gets_nowhere(patient)
    last = int(series.steps[-1])
    early = int(series.steps[first]) - int(series.steps[0]) <= EARLY * (last - int(series.steps[0]))
    gone = late < GONE * start
    if not (stuck or patient.state == "degrading" or (gone and early)):
        return
    severity: Severity = "critical" if gone and stuck else "warning"
    what = "spread of actions" if spread_of_actions else "entropy"
    bonus = patient.number("entropy_coef")
    wrong_sign = bonus is not None and bonus < 0
    known = "" if bonus is None else f" (this run: {bonus:g})"
    yield Hit(
        series=series.name,
        span=Span(int(series.steps[first]), last, len(series) - first),
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


def _randomness(patient: Patient) -> Series | None:
    """What falls to zero when exploration ends: entropy, or the spread of continuous actions."""
    spread = patient.find("policy/action_std")
    if spread is not None:
        return spread
    return None if patient.continuous else patient.find("policy/entropy")


def _since(values: np.ndarray, limit: float) -> int:
    """From where on it stays below a limit."""
    above = np.flatnonzero(running_median(values, 5) >= limit)
    return min(int(above[-1]) + 1, len(values) - 1) if len(above) else 0
