from runvitals.rules.kit import Hit, Patient, exceeds, number, rule
from runvitals.rules.kl import ANY_KL, all_kls
from runvitals.rules.learning_rate.used import rate_hint


@rule("KL007", severity="critical", needs=[ANY_KL, "outcome"], min_points=12)
def high_kl_low_reward(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """The policy moves too far, and the outcome falls or stays low.

    ## What it looks for
    The outcome falls or stays low. Meanwhile the update KL is above the limit of KL001 for a fifth
    of the run, or the KL to the reference is above that of KL004; if the outcome falls, this reaches
    past its best level. It is critical if the outcome falls, otherwise a warning.

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
    outcome, health = patient.outcome, patient.health
    if outcome is None or not (health.bad or health.gets_nowhere):
        return None
    course = outcome.course
    best, now = (number(outcome.shown(level), 4) for level in (course.best, course.now))
    low = f"goes from {best} to {now}" if health.falls else f"stays at {now}"
    best_step = int(outcome.series.steps[course.best_index])
    for kl, bound in all_kls(patient, limit):
        found = exceeds(kl, bound)
        if found is None or (health.falls and found.span.last < best_step):
            continue
        return found.hit(
            f"KL at {number(found.level, 3)}, above {bound.value:g}, while "
            f"{outcome.series.name} {low}",
            advice="tighten KL or revisit reward weights: raise kl_coef, or lower the learning rate"
            f"{rate_hint(patient)}",
            causes=(
                "learning rate too high or too many epochs",
                "reward weights do not serve the task",
                "a wrong sign",
            ),
            severity="critical" if health.falls else "warning",
            also=(outcome.series.name,),
        )
    return None
