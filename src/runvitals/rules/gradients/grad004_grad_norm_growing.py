from runvitals.rules.gradients import NORMS
from runvitals.rules.kit import Hit, Limit, Patient, above, number, rule
from runvitals.signals.late import TENTH, early_median

MANY_TIMES = 10.0  # Training Metrics Glossary: suspect an explosion


@rule("GRAD004", needs=[NORMS], excused_by_outcome=True, min_points=40, waits=True)
def grad_norm_growing(patient: Patient, *, factor: float = 3.0) -> Hit | None:
    """The gradient norm has grown to a multiple of what it was.

    ## What it looks for
    A level of the norm that is surely above `factor` (3) times the one at the start, up to the end
    and for a fifth of the run, or above ten times for a fifth of the run anywhere. It is a notice
    while the outcome is doing well.

    ## Why it matters
    In RL on language models this is often the first sign that trainer and rollout engine drift
    apart, long before the reward falls.

    ## Usual causes
    1. Trainer and rollout engine disagree about probabilities.
    2. Entropy or the distance to the reference grows.
    3. Learning rate too high.
    4. Responses grow longer.

    ## What to try
    Log the difference between trainer and engine probabilities before you touch the learning rate.

    ## When to ignore it
    Fine-tuning to convergence, while the loss falls as it should.

    ## Sources
    verl's FAQ (a norm that keeps growing); "When Speed Kills Stability"; prime-rl; a TRL thread.
    """
    norm = patient[NORMS]
    start = early_median(norm.values, TENTH)
    why = "times its own early level"
    limits = [Limit(times * start, f"{times:g} {why}") for times in (factor, MANY_TIMES)]
    found = above(norm, limits[0], to_end=True) or above(norm, limits[1])
    if found is None or not start > 0:
        return None
    since = "from" if found.last == len(norm) - 1 else "for a while from"
    return found.hit(
        f"gradient norm is at {number(found.level / start, 3)} times its early level "
        f"{since} step {found.step:,} on",
        advice="log the gap between trainer and rollout probabilities, then lower the learning rate"
        if patient.is_any_of(["llm"]) and patient.kind != "unknown"
        else "lower the learning rate, and check the scale of rewards and values",
        causes=(
            "trainer and rollout engine drift apart",
            "entropy grows",
            "learning rate too high",
        ),
    )
