"""KL001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.beyond_excuse import KL_TIMES
from runvitals.rules.kl._limits import (
    LITTLE_ABOVE,
    UPDATE_KL,
    tighten,
    update_limit,
    update_target,
)
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.crossing import Stretch, sustained_above

MIN_SHARE = 0.2  # of the run: a short excursion is not a sickness (judgement)
FAR, FEW = 10.0, 3  # times the limit: so far that a few updates are enough (judgement)
GROSS = 5.0  # times the limit: critical (judgement)
EXCUSED_UP_TO = 2.5  # times the limit while the outcome does well (judgement)
MIN_UNEXCUSED = 0.5  # of the run that it has to last then (judgement)


@rule(
    "KL001",
    "update-kl-above-target",
    severity="warning",
    needs=[UPDATE_KL],
    families=["policy-gradient"],
)
def update_kl_above_target(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The policy moves too far in one update, many updates in a row.

    ## What it looks for
    `policy/approx_kl` (or `policy/kl_old`) above the limit in 8 of 10 updates, for at least a fifth
    of the run. The limit is twice the run's `target_kl`. Without a target it is 0.05 for discrete
    actions and language models, and 0.15 for continuous actions. Three updates at ten times the
    limit are enough, and so is a KL that exceeds the run's own target by a fifth.

    - Warning: the outcome is not doing well.
    - Critical: the outcome is not doing well, and the KL is at five times the limit.
    - Notice: the outcome improves or holds, or none was logged.

    Some levels are warnings whatever the outcome: five times the target, or ten times the limit if
    there is no target. For language models, whose updates are small, 2.5 times the limit for half
    of the run is enough.

    ## Why it matters
    A clipped objective is trustworthy only near the policy that collected the data. Far from it the
    gradient no longer points where the samples say, and reward often falls soon after.

    ## Usual causes
    1. Learning rate too high for the batch size.
    2. Too many epochs or minibatches per batch.
    3. KL coefficient too small.
    4. Stale rollouts.
    5. Batch too small.

    ## What to try
    Raise the KL coefficient or use fewer epochs first, then lower the learning rate. If the clip
    fraction is low at the same time, compare old and new log-probs of one batch before any update.

    ## When to ignore it
    The first updates after a warm start, and runs that penalise KL in the loss and are meant to
    move far. A run that stops each update at its target overshoots it by one step.

    ## Sources
    Training Monitoring Guide (target 0.02); RL metrics table (0.01 to 0.05); SB3 stops at 1.5 times
    the target, RLlib and rsl_rl push back at twice.
    """
    bound = update_limit(patient, limit)
    if patient.health.early and not bound.from_run:
        return
    kl = patient.after_warm_up(patient[UPDATE_KL])
    excused = _excused_up_to(patient, bound, by_option=limit is not None)
    stretch = _longest(kl.values, excused)
    lasts = excused <= bound.value or bound.from_run
    if stretch is not None and not lasts and stretch.beyond < MIN_UNEXCUSED * len(kl):
        stretch = None
    if stretch is None and patient.health.struggles:
        kl = patient[UPDATE_KL]
        far = sustained_above(kl.values, FAR * excused, need=FEW, close=0)
        stretch = max(far, key=lambda one: one.beyond) if far else None
    if stretch is None:
        yield from _sign(patient, bound, by_option=limit is not None)
        return
    severity: Severity | None = None
    if patient.health.unknown and not bound.from_run:
        severity = "notice"
    elif _middle(kl, stretch) > GROSS * bound.value and not patient.health.good:
        severity = "critical"
    yield _hit(patient, kl, stretch, Limit(excused, bound.source, bound.from_run), severity, bound)


def _excused_up_to(patient: Patient, bound: Limit, *, by_option: bool) -> float:
    """The KL that is too high for any outcome; the limit itself if the outcome is not doing well."""
    if not patient.health.good:
        return bound.value
    if patient.kind != "llm-rl" and not bound.from_run:
        return KL_TIMES * bound.value
    return bound.value * (1.0 if by_option else EXCUSED_UP_TO)


def _sign(patient: Patient, bound: Limit, *, by_option: bool) -> Iterator[Hit]:
    """Above the target of the run, or above the usual limit while the outcome does well."""
    target = None if by_option else update_target(patient)
    limit = target or bound
    kl = patient.after_warm_up(patient[UPDATE_KL])
    stretch = _longest(kl.values, limit.value)
    if stretch is None:
        return
    if target is not None and _middle(kl, stretch) < LITTLE_ABOVE * target.value:
        return
    yield _hit(patient, kl, stretch, limit, by_outcome(patient), limit, so_far(patient))


def _hit(
    patient: Patient,
    kl: Series,
    stretch: Stretch,
    passed: Limit,
    severity: Severity | None,
    limit: Limit,
    aside: str = "",
) -> Hit:
    return Hit(
        series=kl.name,
        span=stretch.span(kl),
        message=(
            f"policy KL above {passed.value:g} in {stretch.beyond:,} updates "
            f"since step {int(kl.steps[stretch.first]):,}, "
            f"median {number(_middle(kl, stretch), 3)}{aside}"
        ),
        advice=f"{tighten(patient)}, or lower the learning rate{rate_hint(patient)}",
        severity=severity,
        causes=(
            "learning rate too high",
            "too many epochs per batch",
            "KL coefficient too small",
        ),
        limit=limit,
    )


def _middle(kl: Series, stretch: Stretch) -> float:
    return float(np.median(kl.values[stretch.first : stretch.last + 1]))


def _longest(values: np.ndarray, limit: float) -> Stretch | None:
    found = sustained_above(values, limit)
    enough = [one for one in found if one.beyond >= MIN_SHARE * len(values)]
    return max(enough, key=lambda one: one.beyond) if enough else None
