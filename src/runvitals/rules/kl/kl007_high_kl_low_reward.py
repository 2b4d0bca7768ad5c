"""KL007."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.rules.kl._limits import reference_kl, reference_limit, update_limit
from runvitals.rules.learning_rate import rate_hint
from runvitals.rules.outcome import LOWER_IS_BETTER
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import sustained_above
from runvitals.signals.fall import fall

LEAST_POINTS = 12  # judgement


@rule(
    "KL007",
    "high-kl-low-reward",
    severity="critical",
    needs=["policy/approx_kl|policy/kl_ref|policy/kl_ref_sequence", "outcome"],
    families=["policy-gradient"],
)
def high_kl_low_reward(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The policy moves too far while the outcome falls.

    ## What it looks for
    The KL of updates above the limit of KL001, or the KL to the reference above that of KL004, in 8 of
    10 updates that reach into the time after the outcome's best level; and an outcome that has lost
    half of what it had gained, or falls steadily.

    ## Why it matters
    Both together say that the policy diverges: this will not mend itself, and each further update is
    computed from worse data.

    ## Usual causes
    1. Learning rate too high, or too many epochs: the policy diverges.
    2. Reward weights push in a direction that the task does not want.
    3. A wrong sign somewhere.

    ## What to try
    Tighten the KL, go back to the last good checkpoint, then look at the weights of the reward.

    ## When to ignore it
    When the task has become harder on purpose.

    ## Sources
    Training Monitoring Guide (high KL with low reward).
    """
    outcome = patient.outcome
    if outcome is None or not patient.health.falls:
        return
    fallen = fall(outcome.values)
    best = int(outcome.series.steps[fallen.best_index])
    sign = -1.0 if outcome.metric in LOWER_IS_BETTER else 1.0
    candidates = []
    update = patient.find("policy/approx_kl")
    if update is not None:
        candidates.append((update, update_limit(patient, limit)))
    found = reference_kl(patient)
    if found is not None:
        candidates.append((found[0], reference_limit(patient, None, summed=found[1])))
    for kl, bound in candidates:
        if len(kl) < LEAST_POINTS:
            continue
        after = [
            stretch
            for stretch in sustained_above(kl.values, bound.value)
            if int(kl.steps[stretch.last]) >= best
        ]
        if not after:
            continue
        stretch = max(after, key=lambda one: one.beyond)
        middle = float(np.median(kl.values[stretch.first : stretch.last + 1]))
        yield Hit(
            series=kl.name,
            span=stretch.span(kl),
            message=(
                f"KL at {middle:.3g}, above {bound.value:g}, while {outcome.series.name} goes "
                f"from {sign * fallen.best:.4g} to {sign * fallen.now:.4g}"
            ),
            advice=(
                "go back to the last good checkpoint and lower the learning rate"
                f"{rate_hint(patient)}, or raise the KL coefficient"
            ),
            causes=(
                "learning rate too high or too many epochs",
                "reward weights push where the task does not want",
                "a wrong sign",
            ),
            limit=bound,
            also=(outcome.series.name,),
        )
        return
