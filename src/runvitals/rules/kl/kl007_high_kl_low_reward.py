"""KL007."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.kl._limits import (
    LITTLE_ABOVE,
    UPDATE_KL,
    reference_kl,
    reference_limit,
    update_kl,
    update_limit,
    update_target,
)
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.outcome import LOWER_IS_BETTER
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch, sustained_above
from runvitals.signals.fall import fall

MIN_POINTS = 12  # judgement
MIN_SHARE = 0.2  # of a run that never rose (judgement)


@rule(
    "KL007",
    "high-kl-low-reward",
    severity="critical",
    needs=[f"{UPDATE_KL}|policy/kl_ref|policy/kl_ref_sequence", "outcome"],
    families=["policy-gradient"],
)
def high_kl_low_reward(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The policy moves too far, and the outcome falls or stays low.

    ## What it looks for
    In 8 of 10 updates, the update KL is above the limit of KL001 (a fifth above the run's own
    target is enough), or the KL to the reference is above that of KL004. At the same time, either

    - the outcome falls, and these updates reach past its best level, or
    - the outcome stays low, and these updates make up a fifth of the run.

    It is critical if the outcome falls and the KL is above the limit, otherwise a warning.

    ## Why it matters
    Together these mean that the policy diverges. It will not recover by itself, and each further
    update is computed from worse data.

    ## Usual causes
    1. Learning rate too high or too many epochs, so the policy diverges.
    2. Reward weights push in a direction that does not serve the task.
    3. A wrong sign somewhere.

    ## What to try
    Tighten the KL with a larger kl_coef or a smaller learning rate. Go back to the last good
    checkpoint if there is one. Then revisit the reward weights.

    ## When to ignore it
    The task became harder on purpose.

    ## Sources
    Training Monitoring Guide (high KL with low reward).
    """
    outcome = patient.outcome
    if outcome is None or not (patient.health.bad or patient.health.gets_nowhere):
        return
    for kl, bound, grave in _candidates(patient, limit):
        stretch = _while_low(patient, kl, bound)
        if stretch is None:
            continue
        severity: Severity = "critical" if grave and patient.health.falls else "warning"
        yield Hit(
            series=kl.name,
            span=stretch.span(kl),
            message=f"KL at {number(_middle(kl, stretch), 3)}, above {bound.value:g}, "
            f"while {_low(patient)}",
            advice=(
                "tighten KL or revisit reward weights: raise kl_coef, or lower the learning rate"
                f"{rate_hint(patient)}"
            ),
            severity=severity,
            causes=(
                "learning rate too high or too many epochs",
                "reward weights do not serve the task",
                "a wrong sign",
            ),
            limit=bound,
            also=(outcome.series.name,),
        )
        return


def _candidates(patient: Patient, option: float | None) -> Iterator[tuple[Series, Limit, bool]]:
    """KLs, the limits they are held to, and whether to pass that is grave where the outcome falls."""
    update = update_kl(patient)
    if update is not None:
        yield update, update_limit(patient, option), True
    found = reference_kl(patient)
    if found is not None:
        yield found[0], reference_limit(patient, None, summed=found[1]), True
    target = update_target(patient)
    if update is not None and option is None and target is not None:
        yield update, Limit(LITTLE_ABOVE * target.value, target.source, from_run=True), False


def _while_low(patient: Patient, kl: Series, bound: Limit) -> Stretch | None:
    """The longest stretch above a limit that reaches into the time when the outcome was low."""
    if len(kl) < MIN_POINTS:
        return None
    found = sustained_above(kl.values, bound.value)
    outcome = patient.outcome
    if patient.health.falls and outcome is not None:
        best = int(outcome.series.steps[fall(outcome.values).best_index])
        found = [one for one in found if int(kl.steps[one.last]) >= best]
    else:
        found = [one for one in found if one.beyond >= MIN_SHARE * len(kl)]
    return max(found, key=lambda one: one.beyond, default=None)


def _low(patient: Patient) -> str:
    outcome = patient.outcome
    assert outcome is not None
    name = outcome.series.name
    if not patient.health.falls:
        return f"{name} stays at {number(outcome.shown(outcome.course.now), 4)}"
    sign = -1.0 if outcome.metric in LOWER_IS_BETTER else 1.0
    fallen = fall(outcome.values)
    return f"{name} goes from {number(sign * fallen.best, 4)} to {number(sign * fallen.now, 4)}"


def _middle(kl: Series, stretch: Stretch) -> float:
    return float(np.median(kl.values[stretch.first : stretch.last + 1]))
