"""KL004."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.rules.beyond_excuse import REFERENCE_KL_TIMES
from runvitals.rules.kl._limits import reference_kl, reference_limit
from runvitals.rules.kl._start import FIRST, HALF_OF_LIMIT, starts_elsewhere
from runvitals.rules.learning_rate import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.pol._updates import thinned
from runvitals.rules.registry import rule
from runvitals.signals.crossing import sustained_above
from runvitals.signals.late import TENTH, late, late_median
from runvitals.signals.robust import block_medians
from runvitals.signals.trend import trend

GROSS = 10.0  # times the limit, in the middle of a stretch (judgement)
BEYOND_ALL = 1e3  # times the limit, at a single update (judgement)
PINNED = 20  # updates for which the coefficient sits at its top (judgement)
MOVED = 1.2  # times its least: a coefficient that moves at all (judgement)
LEAST_POINTS = 12  # judgement
LASTS = 3  # points from the end, within which a stretch has not ended (judgement)
THIRDS = 3  # of a series, to see whether it climbs ever faster
DRIFT_FROM = 0.1  # of the limit: from where on a steady rise counts (judgement)
STEADY = 2.0  # spreads that a drift has to climb by (judgement)


@rule(
    "KL004",
    "ref-kl-runaway",
    severity="warning",
    needs=["policy/kl_ref|policy/kl_ref_sequence|policy/logprob_ref_mean"],
    families=["policy-gradient"],
)
def ref_kl_runaway(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The policy runs away from its reference model, and the outcome gains nothing by it.

    ## What it looks for
    The KL to the reference above the limit in 8 of 10 updates: 1 nat per token, or per response twice
    the controller's target, else 60. Or, while the outcome falls, a steady rise above a tenth of the
    limit. Or a KL coefficient that moved once and now sits at its largest value although the KL is
    above its target. Where only log-probabilities were logged, their difference stands in. While an
    independent outcome does well the rule keeps quiet, unless the KL is above half of the limit at
    the first three updates, where it should be 0; while only the optimised reward does, it is a
    notice. Critical at ten times the limit.

    ## Why it matters
    The reference is what keeps the text readable and the reward model honest. Far away from it the
    reward is extrapolated, and what looks like progress is often exploitation.

    ## Usual causes
    1. KL coefficient too small for the scale of the reward.
    2. The reward model is over-optimised.
    3. A wrong reference model: then the KL is high from the first update on.
    4. Learning rate too high.
    5. Sum and mean over tokens confused.

    ## What to try
    Compare the held-out score per unit of KL and go back to the knee. Raise the coefficient. Check that
    policy and reference share weights, template and tokenizer at the start.

    ## When to ignore it
    A coefficient of 0 means that nobody wanted to stay near. Exactly 0 in every update is "no KL term".

    ## Sources
    RL metrics table (0.01 to 0.1); Training Metrics Glossary; Gao et al. 2022 on over-optimisation;
    TRL's controllers aim at 6 per response.
    """
    found = reference_kl(patient)
    if found is None:
        return
    kl, summed = found
    if len(kl) < LEAST_POINTS or patient.health.early:
        return
    bound = reference_limit(patient, limit, summed=summed)
    excused = patient.health.good and patient.outcome is not None and patient.outcome.independent
    if excused and starts_elsewhere(patient, kl, bound):
        yield _wrong_reference(kl, bound, summed=summed)
    if excused:
        bound = Limit(REFERENCE_KL_TIMES * bound.value, "no outcome excuses more", bound.from_run)
        yield from _too_far(patient, kl, bound, summed=summed)
    else:
        yield from _too_far(patient, kl, bound, summed=summed)
        if patient.health.struggles:
            yield from _pinned(patient, kl, bound)


def _wrong_reference(kl: Series, bound: Limit, *, summed: bool) -> Hit:
    unit = "per response" if summed else "per token"
    return Hit(
        series=kl.name,
        span=kl.span(0, FIRST - 1),
        message=f"KL to the reference is {float(kl.values[0]):.3g} {unit} at the first update",
        advice="check that the reference is the model the policy started from",
        severity="warning",
        causes=("wrong reference model, template or tokenizer",),
        limit=bound,
    )


def _too_far(patient: Patient, kl: Series, bound: Limit, *, summed: bool) -> Iterator[Hit]:
    stretches = sustained_above(kl.values, bound.value)
    unit = "per response" if summed else "per token"
    if stretches:
        stretch = max(stretches, key=lambda one: one.beyond)
        span = stretch.span(kl)
        inside = kl.values[stretch.first : stretch.last + 1]
        middle = float(np.median(inside))
        gross = middle > GROSS * bound.value or float(inside.max()) > BEYOND_ALL * bound.value
        message = (
            f"KL to the reference above {bound.value:g} {unit} in {stretch.beyond} updates "
            f"from step {span.first:,} on, median {middle:.3g}"
        )
    else:
        level = late_median(kl.values)
        if not patient.health.falls or level < DRIFT_FROM * bound.value:
            return
        if not trend(thinned(kl.values), effect=STEADY).up or not _accelerates(kl.values):
            return
        span, gross = kl.span(), False
        message = f"KL to the reference climbs to {level:.3g} {unit} while the outcome falls"
    severity: Severity = "critical" if gross and patient.health.struggles else "warning"
    lasts = bool(stretches) and stretches[-1].last >= len(kl) - len(late(kl.values, TENTH, LASTS))
    if not patient.health.struggles and not gross and not lasts:
        severity = "notice"
    at_once = float(np.median(kl.values[:FIRST])) > HALF_OF_LIMIT * bound.value
    yield Hit(
        series=kl.name,
        span=span,
        message=message,
        advice=(
            "check that the reference is the model the policy started from"
            if at_once
            else f"raise the KL coefficient or lower the learning rate{rate_hint(patient)}, "
            "and go back to a checkpoint from before the rise"
        ),
        severity=severity,
        causes=("wrong reference model, template or tokenizer",) * at_once
        + (
            "KL coefficient too small for the reward",
            "learning rate too high",
            "the reward is over-optimised",
        ),
        limit=bound,
    )


def _accelerates(values: np.ndarray) -> bool:
    """Whether it climbs at least as fast in its second half as in its first."""
    first, middle, last = block_medians(values, THIRDS)
    return bool(last - middle >= middle - first)


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
            f"KL coefficient at its top of {float(values.max()):g} for {PINNED} updates, "
            f"and the KL is still {level:.3g}"
        ),
        advice="lower the learning rate: the controller has no room left",
        causes=("learning rate too high", "upper bound of the coefficient too low"),
        limit=bound,
        also=(kl.name,),
    )
