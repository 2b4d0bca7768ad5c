"""ENT004."""

import math
from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit
from runvitals.rules.patient import Patient
from runvitals.rules.pol._updates import action_counts, whole
from runvitals.rules.registry import rule

LEAST_POINTS = 30
HALF = 0.5


@rule(
    "ENT004",
    "policy-stays-random",
    severity="warning",
    needs=["policy/entropy", "outcome"],
    families=["on-policy"],
)
def policy_stays_random(patient: Patient, *, share: float = 0.98) -> Iterator[Hit]:
    """After much of the run the policy still chooses at random.

    ## What it looks for
    After half of the plan (30 points at least) the entropy of discrete actions is above 98 % of that of
    a random choice, as is most of the run, and the outcome ends no better than it began. Where the
    number of actions is unknown, the largest entropy of the first points stands in.

    ## Why it matters
    Nothing has been learned, and nothing will be: what makes the policy prefer an action is missing, or
    is outweighed.

    ## Usual causes
    1. No learning signal: constant rewards, advantages near zero, an optimiser that does not step.
    2. An entropy bonus that outweighs the task.
    3. Learning rate too small.
    4. Observations that are constant.

    ## What to try
    Look at KL and advantages: both near zero means no signal. Then lower the entropy bonus.

    ## When to ignore it
    Games in which choosing at random is right.

    ## Sources
    Training Metrics and Telemetry (entropy high early, lower later); RLExplorer (stagnation).
    """
    entropy = patient["policy/entropy"]
    progress = patient.progress
    if len(entropy) < LEAST_POINTS or (progress is not None and progress < HALF):
        return
    if patient.continuous or not patient.health.gets_nowhere:
        return
    counts = action_counts(patient)
    known = None if counts is None else math.log(len(counts[0]))
    start = float(entropy.values[:5].max())
    # several heads, or masks: then the start tells more than the number of actions
    most = known if known is not None and abs(start - known) < 0.2 * known else start
    late = float(np.median(entropy.values[-max(5, len(entropy) // 4) :]))
    random = entropy.values > share * most
    if most <= 0 or not share * most < late < 1.05 * most or random.mean() < 0.8:
        return
    bonus = patient.number("entropy_coef")
    heavy = bonus is not None and bonus >= 0.1
    shown = "" if bonus is None else f" (this run: {bonus:g})"
    yield Hit(
        series=entropy.name,
        span=whole(entropy),
        message=(
            f"entropy still {late:.3g}, {late / most:.1%} of a random choice, "
            f"after {len(entropy)} updates, and the outcome stands still"
        ),
        advice=(
            f"lower the entropy bonus{shown}"
            if heavy
            else f"check that advantages are not near zero, then lower the entropy bonus{shown}"
        ),
        causes=("entropy bonus outweighs the task",) * heavy
        + ("no learning signal", "entropy bonus too large", "learning rate too small"),
        limit=Limit(share * most, f"{share:.0%} of a random choice"),
    )
