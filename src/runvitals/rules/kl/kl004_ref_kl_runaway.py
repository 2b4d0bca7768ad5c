"""KL004."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.beyond_excuse import REFERENCE_KL_TIMES
from runvitals.rules.kl._limits import TIMES_TARGET, reference_gap, reference_kl, reference_limit
from runvitals.rules.kl._start import FIRST, HALF_OF_LIMIT, starts_elsewhere
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.policy._updates import thinned
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.crossing import sustained_above
from runvitals.signals.late import TENTH, THIRD, early_median, late, late_median
from runvitals.signals.trend import trend

GROSS = 10.0  # times the limit, in the middle of a stretch (judgement)
BEYOND_ALL = 1e3  # times the limit, at a single update (judgement)
PINNED = 20  # updates for which the coefficient sits at its top (judgement)
MOVED = 1.2  # times its least: a coefficient that moves at all (judgement)
MIN_POINTS = 12  # judgement
LASTS = 3  # points from the end, within which a stretch has not ended (judgement)
CLIMBS_ABOVE = 0.1  # the top of the RL metrics table's range: below it a KL may climb
TIMES_START = 3.0  # times its early level, that a drift ends at (judgement)
FAR_ABOVE = 10.0  # times its early level: a rise that has come to rest counts too (judgement)
STEADY = 2.0  # spreads that a drift has to climb by (judgement)
STILL = 0.03  # of the whole climb, that its last third has to add (judgement)
CAUSES = (
    "KL coefficient too small for the reward",
    "learning rate too high",
    "over-optimised reward",
)


@rule(
    "KL004",
    "ref-kl-runaway",
    severity="warning",
    needs=["policy/kl_ref|policy/kl_ref_sequence|policy/logprob_ref_mean"],
    families=["policy-gradient"],
)
def ref_kl_runaway(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The policy drifts far away from its reference model.

    ## What it looks for
    Any of these:

    - The KL to the reference is above the limit in 8 of 10 updates. The limit is 1 nat per token.
      Per response it is twice the controller's target, or else 60.
    - It climbs steadily beyond 0.1 (or the controller's target): to three times its early level and
      still rising at the end, or to ten times.
    - The KL coefficient has moved and now stays at its maximum, although the KL is still above its
      target.
    - The log-probabilities of policy and reference, if both were logged, drift apart in the same
      way, in either direction.

    It is a warning if the outcome is not doing well, and a notice if it is or if none was logged.
    It is critical at ten times the limit.

    Three cases are warnings even if the outcome is doing well:

    - the KL is ten times the limit;
    - the KL is above half of the limit in the first three updates, where it should be 0;
    - only the optimised reward is doing well, and the KL is above the limit at the end.

    ## Why it matters
    The reference keeps the text readable and the reward model honest. Far from it the reward is an
    extrapolation, and apparent progress is often exploitation.

    ## Usual causes
    1. KL coefficient too small for the scale of the reward.
    2. The reward model is over-optimised.
    3. A wrong reference model: the KL is then high from the first update.
    4. Learning rate too high.
    5. Sum and mean over tokens confused.

    ## What to try
    Compare the held-out score per unit of KL and go back to the knee of the curve. Raise the
    coefficient. Check that policy and reference share weights, template and tokenizer at the start.

    ## When to ignore it
    The coefficient is 0, so the policy was not meant to stay close. A KL of exactly 0 in every
    update means that there is no KL term.

    ## Sources
    RL metrics table (0.01 to 0.1); Training Metrics Glossary; Gao et al. 2022 on over-optimisation;
    TRL's controllers aim at 6 per response.
    """
    found = reference_kl(patient)
    if found is None or patient.health.early:
        return
    gap = reference_gap(patient)
    said = False
    if len(found[0]) >= MIN_POINTS:
        for hit in _of_kl(patient, *found, limit):
            said = True
            yield hit
    if not said and gap is not None and len(gap[0]) >= MIN_POINTS:
        yield from _apart(patient, *gap)


def _of_kl(patient: Patient, kl: Series, summed: bool, limit: float | None) -> Iterator[Hit]:
    bound = reference_limit(patient, limit, summed=summed)
    excused = patient.health.good and patient.outcome is not None and patient.outcome.independent
    if excused and starts_elsewhere(patient, kl, bound):
        yield _wrong_reference(kl, bound, summed=summed)
        return
    most = bound
    if excused:
        most = Limit(
            REFERENCE_KL_TIMES * bound.value, "too high even for a good outcome", bound.from_run
        )
    far = list(_too_far(patient, kl, most, summed=summed))
    yield from far
    if not far:
        yield from _climbs(patient, kl, bound, summed=summed)
    if not excused and patient.health.struggles:
        yield from _pinned(patient, kl, bound)


def _wrong_reference(kl: Series, bound: Limit, *, summed: bool) -> Hit:
    unit = "per response" if summed else "per token"
    return Hit(
        series=kl.name,
        span=kl.span(0, FIRST - 1),
        message=f"KL to the reference is {number(float(kl.values[0]), 3)} {unit} at the first update",
        advice="check that the reference is the model the policy started from",
        severity="warning",
        causes=("wrong reference model, template or tokenizer",),
        limit=bound,
    )


def _too_far(patient: Patient, kl: Series, bound: Limit, *, summed: bool) -> Iterator[Hit]:
    stretches = sustained_above(kl.values, bound.value)
    unit = "per response" if summed else "per token"
    if not stretches:
        return
    stretch = max(stretches, key=lambda one: one.beyond)
    span = stretch.span(kl)
    inside = kl.values[stretch.first : stretch.last + 1]
    middle = float(np.median(inside))
    gross = middle > GROSS * bound.value or float(inside.max()) > BEYOND_ALL * bound.value
    severity: Severity = "critical" if gross and patient.health.struggles else "warning"
    lasts = stretches[-1].last >= len(kl) - len(late(kl.values, TENTH, LASTS))
    if not patient.health.struggles and not gross and not lasts:
        severity = "notice"
    at_once = float(np.median(kl.values[:FIRST])) > HALF_OF_LIMIT * bound.value
    yield Hit(
        series=kl.name,
        span=span,
        message=(
            f"KL to the reference above {bound.value:g} {unit} in {stretch.beyond:,} updates "
            f"since step {span.first:,}, median {number(middle, 3)}"
        ),
        advice=(
            "check that the reference is the model the policy started from"
            if at_once
            else f"raise the KL coefficient or lower the learning rate{rate_hint(patient)}, "
            "and go back to a checkpoint from before the rise"
        ),
        severity=severity,
        causes=("wrong reference model, template or tokenizer",) * at_once + CAUSES,
        limit=bound,
    )


def _climbs(patient: Patient, kl: Series, bound: Limit, *, summed: bool) -> Iterator[Hit]:
    """A KL that climbs beyond what is usual and has not come to rest, or has risen by far."""
    unit = "per response" if summed else "per token"
    first, level = early_median(kl.values, TENTH), late_median(kl.values)
    wanted = bound.value / TIMES_TARGET if bound.from_run else CLIMBS_ABOVE
    goes_on = _drifts(kl.values)
    if level < max(wanted, CLIMBS_ABOVE) or not (goes_on or level >= FAR_ABOVE * max(first, 0.0)):
        return
    how = f"climbs from {number(first, 2)} to {number(level, 3)} {unit} and is still rising"
    if not goes_on:
        how = f"has risen from {number(first, 2)} to {number(level, 3)} {unit}"
    yield Hit(
        series=kl.name,
        span=kl.span(),
        message=f"KL to the reference {how}{so_far(patient)}",
        advice=f"raise the KL coefficient or lower the learning rate{rate_hint(patient)}, and compare "
        "a held-out score before and after the climb",
        severity=by_outcome(patient),
        causes=CAUSES,
        limit=Limit(max(wanted, CLIMBS_ABOVE), "the RL metrics table gives 0.01 to 0.1"),
    )


def _apart(patient: Patient, gap: Series, summed: bool) -> Iterator[Hit]:
    """Log-probabilities of policy and reference that drift apart, to either side."""
    first, level = early_median(gap.values, TENTH), late_median(gap.values)
    side = 1.0 if level >= first else -1.0
    if abs(level) < CLIMBS_ABOVE or not _drifts(side * gap.values):
        return
    unit = "per response" if summed else "per token"
    reference = patient["policy/logprob_ref_mean"]
    yield Hit(
        series=gap.name,
        span=gap.span(),
        message=f"drifts away from {reference.name}: {number(first, 2)} nats {unit} apart at first, "
        f"{number(level, 3)} now{so_far(patient)}",
        advice="compare early and late samples; raise the KL coefficient or lower the learning rate"
        f"{rate_hint(patient)}",
        severity=by_outcome(patient),
        causes=CAUSES,
        also=(reference.name,),
    )


def _drifts(values: np.ndarray) -> bool:
    """Whether a series climbs steadily to a multiple of its early level, and its last third goes on."""
    first, level = early_median(values, TENTH), late_median(values)
    if level < TIMES_START * max(first, 0.0) or not trend(thinned(values), effect=STEADY).up:
        return False
    last = values[len(values) - int(THIRD * len(values)) :]
    return late_median(last, THIRD) - early_median(last, THIRD) >= STILL * (level - first)


def _pinned(patient: Patient, kl: Series, bound: Limit) -> Iterator[Hit]:
    coefficient = patient.find("policy/kl_coef")
    if coefficient is None or len(coefficient) < 2 * PINNED or not bound.from_run:
        return
    values = coefficient.values
    tail = values[-PINNED:]
    if not (tail == values.max()).all() or values.max() <= MOVED * values.min():
        return
    level = float(np.median(kl.values[-PINNED:]))
    if level < bound.value:
        return
    yield Hit(
        series=coefficient.name,
        span=coefficient.span(len(coefficient) - PINNED),
        message=(
            f"KL coefficient at its maximum of {float(values.max()):g} for {PINNED} updates, "
            f"but the KL is still {number(level, 3)}"
        ),
        advice="lower the learning rate: the controller has no room left",
        causes=("learning rate too high", "maximum of the coefficient too low"),
        limit=bound,
        also=(kl.name,),
    )
