"""KL001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.beyond_excuse import KL_TIMES
from runvitals.rules.kl._limits import update_limit
from runvitals.rules.learning_rate import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch, sustained_above

LEAST_SHARE = 0.2  # of the run: a short excursion is no sickness (judgement)
FAR, FEW = 10.0, 3  # times the limit: so far that a few updates are enough (judgement)
GROSS = 5.0  # times the limit: critical (judgement)
EXCUSED_UP_TO = 2.5  # times the limit while the outcome does well (judgement)
LEAST_UNEXCUSED = 0.5  # of the run that it has to last then (judgement)


@rule(
    "KL001",
    "update-kl-above-target",
    severity="warning",
    needs=["policy/approx_kl"],
    families=["policy-gradient"],
)
def update_kl_above_target(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The policy moves too far in one update, many updates in a row.

    ## What it looks for
    `policy/approx_kl` above the limit in 8 of 10 updates and a fifth of the run: twice the run's
    `target_kl`, else 0.05 for discrete actions and language models, 0.15 for continuous ones. Three
    updates at ten times the limit are enough. Without a target the rule keeps quiet while the outcome
    improves or holds; with one it then asks for five times the target. Language models, whose updates
    are small, are not excused by a good outcome above 2.5 times the limit for half of the run.
    Critical at five times the limit.

    ## Why it matters
    A clipped objective is trustworthy only near the policy that collected the data. Far from it the
    gradient no longer points where the samples say, and reward often falls soon after.

    ## Usual causes
    1. Learning rate too high for the batch.
    2. Too many epochs or minibatches over one batch.
    3. KL coefficient too small.
    4. Stale rollouts.
    5. Batch too small.

    ## What to try
    Raise the KL coefficient or use fewer epochs first, then lower the learning rate. If the clip
    fraction is low at the same time, compare old and new log-probs of one batch before any update.

    ## When to ignore it
    The first updates after a warm start; runs that penalise KL in the loss and mean to move far. A run
    that stops each update at its target overshoots it by one step: that is why the limit is twice the
    target.

    ## Sources
    Training Monitoring Guide (target 0.02); RL metrics table (0.01 to 0.05); SB3 stops at 1.5 times
    the target, RLlib and rsl_rl push back at twice.
    """
    bound = update_limit(patient, limit)
    well, language = patient.health.good, patient.kind == "llm-rl"
    if patient.health.early and not bound.from_run:
        return
    ceiling = bound.value * (EXCUSED_UP_TO if well and limit is None else 1.0)
    if well and not language and not bound.from_run:
        ceiling = KL_TIMES * bound.value
    kl = patient.after_warm_up(patient["policy/approx_kl"])
    stretch = _longest(kl.values, ceiling)
    if (
        well
        and not bound.from_run
        and stretch is not None
        and stretch.beyond < LEAST_UNEXCUSED * len(kl)
    ):
        return
    if stretch is None and patient.health.struggles:
        kl = patient["policy/approx_kl"]
        far = sustained_above(kl.values, FAR * ceiling, need=FEW, close=0)
        stretch = max(far, key=lambda one: one.beyond) if far else None
    if stretch is None:
        return
    middle = float(np.median(kl.values[stretch.first : stretch.last + 1]))
    severity: Severity | None = None
    if patient.health.unknown and not bound.from_run:
        severity = "notice"
    elif middle > GROSS * bound.value and not patient.health.good:
        severity = "critical"
    yield Hit(
        series=kl.name,
        span=stretch.span(kl),
        message=(
            f"policy KL above {ceiling:g} in {stretch.beyond} updates "
            f"from step {int(kl.steps[stretch.first]):,} on, median {middle:.3g}"
        ),
        advice=f"use fewer epochs per batch, or lower the learning rate{rate_hint(patient)}",
        severity=severity,
        causes=(
            "learning rate too high",
            "too many epochs per batch",
            "KL coefficient too small",
        ),
        limit=bound,
    )


def _longest(values: np.ndarray, limit: float) -> Stretch | None:
    found = sustained_above(values, limit)
    enough = [one for one in found if one.beyond >= LEAST_SHARE * len(values)]
    return max(enough, key=lambda one: one.beyond) if enough else None
