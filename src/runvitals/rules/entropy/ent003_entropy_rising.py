from runvitals.rules.entropy import SPREAD, bonus, randomness, title
from runvitals.rules.kit import Hit, Patient, number, rose, rule

EXPLODED = 10.0  # times the early spread of actions: beyond doubt (judgement)
RUNAWAY = 50.0  # times the weight of the entropy bonus at the start (judgement)


@rule(
    "ENT003",
    needs=["policy/entropy|policy/action_std|policy/entropy_coef"],
    families=["policy-gradient", "off-policy"],
    excused_by_outcome=True,
    min_points=20,
)
def entropy_rising(patient: Patient, *, times: float = 1.5) -> Hit | None:
    """The policy becomes more random instead of more certain.

    ## What it looks for
    Entropy (for continuous actions, the standard deviation) that ends

    - above 1.5 times its lowest level (`times`) while the outcome falls, or
    - above three times its lowest level otherwise, unless the outcome is doing well.

    A standard deviation at ten times its lowest is a warning even without an outcome.

    For SAC and similar algorithms: a learned entropy weight that reaches 50 times its start while
    the outcome is not doing well.

    ## Why it matters
    Learning makes a policy more certain. If randomness rises and the outcome does not, the policy
    is falling apart: garbled text, or actions clipped at their bounds.

    ## Usual causes
    1. The policy degenerates: random rewards, truncated samples.
    2. Entropy bonus too large, or a target entropy that cannot be reached.
    3. Upper clip range too wide.
    4. Trainer and rollout engine disagree.

    ## What to try
    Read ten samples. Check clip fractions and the trainer/engine mismatch first, then lower the
    entropy bonus.

    ## When to ignore it
    The outcome rises too. For language models with a wide upper clip range, a slow rise below 1 nat
    is usual.

    ## Sources
    Training Metrics and Telemetry (entropy falls as the policy commits); reports by verl and rLLM
    users.
    """
    if patient.health.good:
        return None
    if patient.kind == "off-policy":
        return _runaway_weight(patient)
    series = randomness(patient)
    least = times if patient.health.falls else 2 * times
    found = rose(series, least, since_lowest=True)
    return found and found.hit(
        f"{title(found.series)} rises to {number(found.level, 3)}, {number(found.times, 3)} times its "
        "lowest",
        advice=f"read some samples, then lower {bonus(patient)} or the upper clip range",
        causes=(
            "the policy degenerates into noise",
            "entropy bonus too large",
            "upper clip range too wide",
        ),
        beyond_excuse=found.series.metric == SPREAD and found.times > EXPLODED,
    )


def _runaway_weight(patient: Patient) -> Hit | None:
    """A tuned entropy weight that keeps growing."""
    found = rose(patient.find("policy/entropy_coef"), RUNAWAY)
    return found and found.hit(
        f"entropy weight climbs from {number(found.before, 3)} to {number(found.level, 3)}: "
        "the policy cannot reach the target entropy",
        advice="check the sign of the target entropy: minus the number of action dimensions is usual",
        causes=("target entropy too high or with the wrong sign", "rewards far too large"),
    )
