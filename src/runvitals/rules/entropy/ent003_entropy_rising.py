"""ENT003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.entropy._floor import FIRST
from runvitals.rules.patient import Patient
from runvitals.rules.policy._updates import thinned
from runvitals.rules.registry import rule
from runvitals.signals.baseline import reference
from runvitals.signals.late import early_median, late_median
from runvitals.signals.trend import trend

MIN_POINTS = 24  # half of them are judged (judgement)
MUCH = 3.0  # times the early level (judgement)
EXPLODED = 10.0  # times the early spread of actions: beyond doubt (judgement)
RUNAWAY = 50.0  # times the weight of the entropy bonus at the start (judgement)
LOUD_TOKENS = 1.0  # nats per token; a rise below is fine (judgement)
STEADY = 2.0  # spreads by which it rises over the last half (judgement)
DIPS = 0.05  # of the last half may lie lower (judgement)


@rule(
    "ENT003",
    "entropy-rising",
    severity="warning",
    needs=["policy/entropy|policy/action_std|policy/entropy_coef"],
    families=["policy-gradient", "off-policy"],
)
def entropy_rising(patient: Patient, *, times: float = 1.5) -> Iterator[Hit]:
    """The policy becomes more random instead of more certain.

    ## What it looks for
    Entropy (for continuous actions, the standard deviation) that rises over the last half of the
    run by two robust deviations, or rose before and stays high. It must end

    - above 1.5 times its early level while the outcome falls, or
    - above three times its early level while the outcome is flat.

    Language models must also be above 1 nat per token, unless the outcome falls. A standard
    deviation at ten times its early level is reported even without an outcome. It is critical above
    three times the early level while the outcome falls.

    For SAC and similar algorithms: a learned entropy weight that reaches 50 times its start while
    the outcome is not doing well.

    ## Why it matters
    Learning makes a policy more certain. If randomness rises and the outcome does not, the policy
    is falling apart: garbled text, or actions clipped at their bounds.

    ## Usual causes
    1. The policy degenerates: random rewards, truncated samples.
    2. Entropy bonus too large, or a target entropy that cannot be reached.
    3. Upper clip range too wide.
    4. Trainer and rollout engine disagree.

    ## What to try
    Read ten samples. Check clip fractions and the trainer/engine mismatch first, then lower the
    entropy bonus.

    ## When to ignore it
    The outcome rises too. For language models with a wide upper clip range, a slow rise below 1 nat
    is usual.

    ## Sources
    Training Metrics and Telemetry (entropy falls as the policy commits); reports by verl and rLLM
    users.
    """
    if patient.health.good or patient.health.early:
        return
    if patient.kind == "off-policy":
        yield from _runaway_weight(patient)
        return
    series = _randomness(patient)
    if series is None or len(series) < MIN_POINTS:
        return
    values = series.values
    early = min(reference(values), early_median(values, 0, FIRST))
    late = late_median(values)
    if not early > 0 or late < times * early:
        return
    ratio = late / early
    severity = _severity(patient, series, ratio, late)
    second = values[len(values) // 2 :]
    stays = float(np.quantile(second, DIPS)) >= times * early
    if severity is None or not (stays or trend(thinned(second), effect=STEADY).up):
        return
    half = len(series) // 2
    what = "standard deviation of actions" if series.metric == "policy/action_std" else "entropy"
    bonus = patient.number("entropy_coef")
    known = "" if bonus is None else f" (this run: {bonus:g})"
    yield Hit(
        series=series.name,
        span=series.span(half),
        message=f"{what} rises to {number(late, 3)}, {number(ratio, 3)} times its early level",
        advice=f"read some samples, then lower the entropy bonus{known} or the upper clip range",
        severity=severity,
        causes=(
            "the policy degenerates into noise",
            "entropy bonus too large",
            "upper clip range too wide",
        ),
        limit=Limit(times * early, f"{times:g} times this run's early level"),
    )


def _runaway_weight(patient: Patient) -> Iterator[Hit]:
    weight = patient.find("policy/entropy_coef")
    if weight is None or len(weight) < MIN_POINTS or not patient.health.struggles:
        return
    early = early_median(weight.values, 0, FIRST)
    late = late_median(weight.values, 0, FIRST)
    if not 0 < early < late / RUNAWAY:
        return
    yield Hit(
        series=weight.name,
        span=weight.span(),
        message=(
            f"entropy weight climbs from {number(early, 3)} to {number(late, 3)}: "
            "the policy cannot reach the target entropy"
        ),
        advice="check the sign of the target entropy: minus the number of action dimensions is usual",
        causes=("target entropy too high or with the wrong sign", "rewards far too large"),
    )


def _randomness(patient: Patient) -> Series | None:
    spread = patient.find("policy/action_std")
    if spread is not None:
        return spread
    return None if patient.continuous else patient.find("policy/entropy")


def _severity(patient: Patient, series: Series, ratio: float, late: float) -> Severity | None:
    if series.metric == "policy/action_std" and ratio >= EXPLODED and not patient.health.struggles:
        return "warning"
    if not patient.health.struggles:
        return "notice" if ratio >= MUCH else None
    falls = patient.health.falls
    if falls:
        return "critical" if ratio >= MUCH else "warning"
    if patient.kind == "llm-rl" and late < LOUD_TOKENS:
        return None
    return "warning" if ratio >= MUCH else "notice"
