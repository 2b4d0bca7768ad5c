import math

from runvitals.rules.entropy import bonus
from runvitals.rules.kit import Hit, Limit, Patient, above, number, rule
from runvitals.rules.policy import action_counts

MOST_OF_RUN = 0.8  # judgement
HEAVY_BONUS = 0.1  # ten times the usual weight of 0.01 (Schulman et al. 2017)


@rule("ENT004", needs=["policy/entropy", "outcome"], families=["on-policy"], min_points=30)
def policy_stays_random(patient: Patient, *, share: float = 0.98) -> Hit | None:
    """Far into the run, the policy still acts at random.

    ## What it looks for
    Both of these, after half of the plan and at least 30 points:

    - The entropy of discrete actions is above 98% of that of a random choice for 80% of the run, and
      at its end.
    - The outcome ends no better than it began.

    If the number of actions is unknown, the largest entropy of the run is used instead.

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
    if patient.continuous or not patient.health.gets_nowhere:
        return None
    entropy, counts = patient["policy/entropy"], action_counts(patient)
    uniform = 0.0 if counts is None else math.log(len(counts[0]))
    most = max(uniform, float(entropy.values.max()))
    limit = Limit(share * most, f"{share:.0%} of a random choice")
    found = above(entropy, limit, for_share=MOST_OF_RUN, to_end=True)
    if most <= 0 or found is None:
        return None
    heavy = (patient.number("entropy_coef") or 0.0) >= HEAVY_BONUS
    check = "" if heavy else "check that advantages are not near zero, then "
    return found.hit(
        f"entropy is still {number(found.level, 3)} after {len(entropy):,} updates, "
        f"{found.level / most:.1%} of a random choice, and the outcome is flat",
        advice=f"{check}lower {bonus(patient)}",
        causes=("entropy bonus outweighs the task",) * heavy
        + ("no learning signal", "entropy bonus too large", "learning rate too small"),
    )
