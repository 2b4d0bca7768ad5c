import numpy as np

from runvitals.rules.entropy import bonus, randomness, start_of, title
from runvitals.rules.kit import Hit, Limit, Patient, below, number, rule
from runvitals.rules.outcome.reading import Outcome

EARLY = 0.25  # of the run (judgement)


@rule(
    "ENT001",
    needs=["policy/entropy|policy/action_std|policy/entropy_sequence"],
    families=["policy-gradient", "off-policy"],
    excused_by_outcome=True,
    min_points=12,
)
def entropy_collapse_early(patient: Patient, *, limit: float = 0.2) -> Hit | None:
    """The policy stopped exploring before it had learned.

    ## What it looks for
    Entropy that falls below a fifth (`limit`) of its start and stays there. For continuous actions
    the standard deviation is used instead, because their entropy may be negative.

    - Warning: the outcome falls or gets nowhere.
    - Warning: it fell within the first quarter of the run, and the outcome stands still far below
      its known maximum or target.
    - Notice: it fell within the first quarter of the run while the outcome, which is doing well, had
      made less than half of its rise; or no outcome was logged.

    ## Why it matters
    A policy without randomness tries nothing new. It will not learn what it does not know by then.

    ## Usual causes
    1. Entropy bonus too small, or with the wrong sign.
    2. Learning rate or number of epochs too high.
    3. The same clip range on both sides (language models).
    4. One part of the reward dominates.
    5. Sampling temperature too low.

    ## What to try
    Raise the entropy bonus in powers of ten from 0.001, or lower the learning rate. For language
    models, widen the upper clip range. If the outcome is flat and entropy is gone, go back to an
    earlier checkpoint.

    ## When to ignore it
    Entropy falls while the outcome rises: that is learning.

    ## Sources
    Training Metrics and Telemetry; RL metrics table; Training Metrics Glossary (collapse too early);
    Cui et al. 2025 on the entropy mechanism.
    """
    series, health, outcome = randomness(patient), patient.health, patient.outcome
    if series is None:
        return None
    start = start_of(series)
    found = below(series, Limit(limit * start, f"{limit:g} times this run's start"), to_end=True)
    early = found is not None and found.share >= 1 - EARLY
    if found is None or not (early or health.struggles):
        return None
    left, beside, stalled = found.level / start, "", health.plot == "low"
    if health.good and outcome is not None and _made(outcome, found.step) > 1 / 2:
        return None
    if stalled and outcome is not None:
        now = number(outcome.shown(outcome.course.now), 3)
        beside = f", and {outcome.series.name} stands still at {now}"
    sign = patient.number("entropy_coef") or 0.0
    return found.hit(
        f"{title(series)} down to {number(found.level, 2)}, {left:.1%} of its start, since step "
        f"{found.step:,}{beside}",
        advice=f"flip the sign of {bonus(patient)}"
        if sign < 0
        else f"raise {bonus(patient)} or lower the learning rate, from a checkpoint before that step",
        causes=("entropy bonus has the wrong sign",) * (sign < 0)
        + ("entropy bonus too small", "learning rate or epochs too high", "one reward dominates"),
        beyond_excuse=stalled,
    )


def _made(outcome: Outcome, step: int) -> float:
    """The share of its whole rise that an outcome had made by a step."""
    course = outcome.course
    at = int(np.searchsorted(outcome.series.steps, step, side="right")) - 1
    curve, height = course.level.curve, course.best - course.start
    then = float(curve[min(max(at, 0), len(curve) - 1)])
    return (then - course.start) / height if height > 0 else 0.0
