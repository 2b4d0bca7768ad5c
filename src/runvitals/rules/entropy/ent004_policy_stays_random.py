"""ENT004."""

import math
from collections.abc import Iterator

from runvitals.model import Hit, Limit
from runvitals.model.formatting import number
from runvitals.rules.entropy._floor import FIRST
from runvitals.rules.patient import Patient
from runvitals.rules.policy._updates import action_counts
from runvitals.rules.registry import rule
from runvitals.signals.late import QUARTER, late_median

MIN_POINTS = 30  # judgement
MIN_PROGRESS = 0.5  # of the plan: late enough to have learned something (judgement)
MIN_LATE = 5  # points at the end (judgement)
CLOSE = 0.2  # of the entropy of a random choice, within which a start is one (judgement)
ROUNDING = 1.05  # times a random choice: more is another unit
MOST_OF_RUN = 0.8  # judgement
HEAVY_BONUS = 0.1  # ten times the usual weight of 0.01 (Schulman et al. 2017)


@rule(
    "ENT004",
    "policy-stays-random",
    severity="warning",
    needs=["policy/entropy", "outcome"],
    families=["on-policy"],
)
def policy_stays_random(patient: Patient, *, share: float = 0.98) -> Iterator[Hit]:
    """Far into the run, the policy still acts at random.

    ## What it looks for
    All of these, after half of the plan and at least 30 points:

    - The entropy of discrete actions is above 98% of that of a random choice, as it was for most
      of the run.
    - The outcome ends no better than it began.

    If the number of actions is unknown, the largest entropy of the first points is used instead.

    ## Why it matters
    Nothing has been learned, and nothing will be. What should make the policy prefer an action is
    missing or outweighed.

    ## Usual causes
    1. No learning signal: constant rewards, advantages near zero, an optimiser that does not step.
    2. An entropy bonus that outweighs the task.
    3. Learning rate too small.
    4. Constant observations.

    ## What to try
    Look at KL and advantages: if both are near zero, the signal is missing. Otherwise lower the
    entropy bonus.

    ## When to ignore it
    Games in which random play is right.

    ## Sources
    Training Metrics and Telemetry (entropy high early, lower later); RLExplorer (stagnation).
    """
    entropy = patient["policy/entropy"]
    progress = patient.progress
    if len(entropy) < MIN_POINTS or (progress is not None and progress < MIN_PROGRESS):
        return
    if patient.continuous or not patient.health.gets_nowhere:
        return
    counts = action_counts(patient)
    known = None if counts is None else math.log(len(counts[0]))
    start = float(entropy.values[:FIRST].max())
    # several heads, or masks: then the start tells more than the number of actions
    most = known if known is not None and abs(start - known) < CLOSE * known else start
    late = late_median(entropy.values, QUARTER, MIN_LATE)
    random = entropy.values > share * most
    if most <= 0 or not share * most < late < ROUNDING * most or random.mean() < MOST_OF_RUN:
        return
    bonus = patient.number("entropy_coef")
    heavy = bonus is not None and bonus >= HEAVY_BONUS
    shown = "" if bonus is None else f" (this run: {bonus:g})"
    yield Hit(
        series=entropy.name,
        span=entropy.span(),
        message=(
            f"entropy is still {number(late, 3)} after {len(entropy):,} updates, "
            f"{late / most:.1%} of a random choice, and the outcome is flat"
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
