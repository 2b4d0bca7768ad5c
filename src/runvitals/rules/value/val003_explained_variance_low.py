from runvitals.rules.kit import Hit, Limit, Patient, below, number, rule
from runvitals.rules.value import returns_vary

# of the variance; Stable-Baselines3: 0 is useless
USELESS = Limit(0.1, "0 is a constant, 1 is perfect")


@rule(
    "VAL003", needs=["value/explained_variance"], excused_by_outcome=True, min_points=30, waits=True
)
def explained_variance_low(patient: Patient, *, least: float | None = None) -> Hit | None:
    """The critic explains little of the returns.

    ## What it looks for
    The level of explained variance over the second half of the log.

    - While the outcome stalls or falls: below 0.1 is a warning.
    - Below its usual range (0.8 for language models, -0.1 otherwise, or `least`): a notice.

    It only counts if the returns vary, and not once the task is solved. Solved runs end at 0 or far
    below, and dead policies at 0.95, so this number alone says little.

    ## Why it matters
    Below 0, the critic is worse than a constant and adds noise to every update.

    ## Usual causes
    1. The critic does not learn (VAL002).
    2. Returns are mostly noise.
    3. Bootstrapping or discount is wrong.
    4. The policy changes faster than the critic can follow.

    ## What to try
    Check the targets first. Then give the critic its own, lower learning rate or more epochs.

    ## When to ignore it
    Values near zero are common early in a run whose outcome rises, and at the end of a solved task.

    ## Sources
    RL metrics table (above 0.8 is good); Stable-Baselines3 (1 perfect, 0 useless, below 0 worse);
    our own runs, which showed how it misleads at both ends.
    """
    explained, health = patient["value/explained_variance"], patient.health
    if health.solved or not returns_vary(patient):
        return None
    bound = patient.band("value/explained_variance", "low", option=least)
    if bound is None or (health.struggles and not bound.from_run):
        bound = max(bound or USELESS, USELESS, key=lambda one: one.value)
    found = below(explained.part(len(explained) // 2), bound, for_share=1 / 2, to_end=True)
    return found and found.hit(
        f"explained variance of the critic is {number(found.level, 2)} "
        "(1 is perfect, 0 is useless)",
        advice="check the critic's targets, then lower its learning rate or give it more epochs",
        severity=None if found.level < USELESS.value else "notice",
        causes=(
            "critic does not learn",
            "returns are mostly noise",
            "wrong bootstrapping or discount",
        ),
    )
