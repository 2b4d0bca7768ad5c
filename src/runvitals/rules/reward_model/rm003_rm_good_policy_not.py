import numpy as np

from runvitals.rules.kit import Hit, Patient, rule, short_number, stretch
from runvitals.rules.outcome.course import course
from runvitals.signals.level import read_level

OVER_OPTIMISED = (
    "policy has left the reward model's data",
    "a shortcut such as length",
    "KL penalty too weak",
)
ASK_IT = (
    "test the reward model on answers of the current policy; check that its scores reach the "
    "advantages"
)
NOT_FOLLOWED = (
    "reward model overfit or misaligned with real quality",
    "updates too small to follow it",
)


@rule(
    "RM003",
    needs=["rm/accuracy|rm/score_mean", "reward/score_mean|reward/mean|rm/score_mean", "outcome"],
    families=["llm-rl"],
)
def rm_good_policy_not(patient: Patient, *, accuracy_min: float = 0.75) -> Hit | None:
    """The policy pleases the reward model more and more, but does not get better.

    ## What it looks for
    An outcome that is doing badly, beside a reward model that seems fine, in one of two ways:

    - The reward model's score rises while an independent outcome falls. It is critical if half of
      what the outcome had at its best is lost.
    - The reward model's own accuracy is known and at least 0.75 (`accuracy_min`), but the outcome
      never rose.

    ## Why it matters
    A learned reward only holds near the data it was trained on. Beyond that, the policy finds its
    mistakes.

    ## Usual causes
    1. The policy has left the reward model's data.
    2. It uses a shortcut such as length or style.
    3. The reward model is overfit.
    4. The KL penalty is too weak.

    ## What to try
    Keep the checkpoint at the turning point. Strengthen the KL penalty. Retrain the reward model on
    samples from the current policy, or use several reward models.

    ## When to ignore it
    An outcome that the reward model was never meant to reward.

    ## Sources
    Training Metrics Glossary (accurate reward model, no gain); Gao et al. (2022),
    over-optimisation.
    """
    score, outcome = patient["reward/score_mean|reward/mean|rm/score_mean"], patient.outcome
    if outcome is None or not patient.health.bad:
        return None
    went, name = outcome.course, outcome.series.name
    best, now = outcome.shown(went.best), outcome.shown(went.now)
    accuracy = patient.find("rm/accuracy", "eval/rm/accuracy")
    right = 0.0 if accuracy is None else float(np.median(read_level(accuracy.values).end))
    paid = course(score.values, "reward")
    if not outcome.role.optimised and went.falls and paid.good:
        return stretch(outcome.series, went.begins).hit(
            f"the reward model's score rose by {short_number(paid.change)} while {name} went "
            f"from {short_number(best)} to {short_number(now)}",
            advice="keep the checkpoint at the turning point, and strengthen the KL penalty",
            severity="critical" if abs(best - now) > abs(best) / 2 else "warning",
            causes=OVER_OPTIMISED,
            also=(score.name,),
        )
    if accuracy is None or right < accuracy_min or not went.never_rose:
        return None
    return stretch(outcome.series).hit(
        f"{accuracy.name} is {right:.0%}, but {name} stays at {short_number(now)}",
        advice=ASK_IT,
        causes=NOT_FOLLOWED,
        also=(accuracy.name, score.name),
    )
