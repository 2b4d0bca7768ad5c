import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, Severity, number, rule
from runvitals.rules.outcome.reading import Outcome
from runvitals.signals.level import read_level
from runvitals.signals.pairs import aligned

LEFT_OVER = 0.1  # of the movement of the return, that random actions may leave unexplained
FADED_FOR = 0.25  # of the run: then a return that learns has parted from epsilon (judgement)


@rule("REW015", verdict="not learning", needs=["explore/epsilon", "outcome"], min_points=20)
def return_follows_exploration(patient: Patient) -> Hit | None:
    """The return changes only because random actions become fewer: the policy itself learns nothing.

    ## What it looks for
    A share of random actions (epsilon) that began above a half and has come down to less than half of
    that, and one of these:

    - The outcome in training falls below its start, or never rose. At the start actions were random,
      so what was learned is worse than choosing at random, or no better.
    - The outcome rose in a straight line with the share of random actions: that share explains all
      but a tenth of its movement, and once the share stays where it is (for a quarter of the run at
      least), the outcome does too. A policy that learns fast looks the same, so this is a notice
      unless a success rate or held-out outcome shows no gain.

    ## Why it matters
    A policy that is better than random actions, even an untrained one, is paid more the more often it
    is asked. Such a rise looks like learning, and ends with the schedule. A fall says that training
    does harm.

    ## Usual causes
    1. Updates that change nothing: a learning rate of almost 0, a target network that is never
       updated, a buffer that is never sampled.
    2. For a fall: a wrong sign, targets that diverge, or a policy that repeats one action.
    3. Exploration that fades before anything rewarding was found.

    ## What to try
    Evaluate the policy without random actions, before training and now. Then look at the loss and at
    the values it predicts.

    ## When to ignore it
    Tasks that are learned within the first steps, exactly as fast as exploration fades.

    ## Sources
    Logs of DQN runs that end below their start; our own experience.
    """
    epsilon, outcome = patient["explore/epsilon"], patient.training
    began, now = float(epsilon.values[0]), epsilon.last
    if outcome is None or began < 0.5 or now > began / 2:
        return None
    if (told := _without_learning(patient, epsilon, outcome)) is None:
        return None
    says, advice, severity = told
    course, name = outcome.course, outcome.series.name
    first, last = (number(outcome.shown(level), 4) for level in (course.start, course.now))
    return Hit(
        series=name,
        span=outcome.series.span(),
        message=f"{name} went from {first} at {began:.0%} random actions to {last} at {now:.0%}{says}",
        advice=advice,
        severity=severity,
        causes=("updates that change nothing", "exploration that fades before anything is found"),
        also=(epsilon.name,),
    )


def _without_learning(
    patient: Patient, epsilon: Series, outcome: Outcome
) -> tuple[str, str, Severity | None] | None:
    """What the message adds, advice and severity; None if the return may have been learned."""
    if outcome.course.shape == "worse":
        says = ": the policy does worse than random actions"
        advice = "look at the values that the policy acts on, and check the sign of the reward"
        return says, advice, None
    if patient.health.plot == "stuck" and outcome.course.shape == "flat":
        says = ": the policy does no better than random actions"
        advice = "check that updates move the policy, and that the reward tells actions apart"
        return says, advice, None
    if outcome.course.rose and _explained(epsilon, outcome):
        says = " and follows them closely: the policy itself is no better"
        advice = "evaluate the policy without random actions, and check that updates move it"
        return says, advice, None if _no_gain_elsewhere(patient) else "notice"
    return None


def _no_gain_elsewhere(patient: Patient) -> bool:
    others = (patient.health.outcomes.success, patient.held_out)
    return any(one is not None and one.course.speaks and not one.course.good for one in others)


def _explained(epsilon: Series, outcome: Outcome) -> bool:
    """Whether the outcome is a straight line in epsilon, also while epsilon stays where it is."""
    _, share, paid = aligned(epsilon, outcome.series)
    if float(np.mean(share <= share.min() + 0.02)) < FADED_FOR:
        return False
    moved = _movement(paid)
    rest = paid - np.polyval(np.polyfit(share, paid, 1), share)
    return moved > 0 and _movement(rest) <= LEFT_OVER * moved


def _movement(values: np.ndarray) -> float:
    """From the lowest to the highest level."""
    return float(np.ptp(read_level(values).curve))
