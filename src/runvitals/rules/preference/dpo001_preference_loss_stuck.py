import numpy as np

from runvitals.rules.kit import Hit, Patient, below, rule, stretch
from runvitals.rules.outcome.course import course
from runvitals.rules.outcome.health import statement
from runvitals.rules.preference import beta_of, reference_free

ADVICE = "raise the learning rate tenfold for 50 steps, and check that the adapter is trained"
CAUSES = ("learning rate too low or nothing trained", "labels random", "pairs do not differ")
MIN_POINTS = 10  # judgement
BY_A_COIN = 0.55  # of the pairs: chance, and what a small set adds (ColossalAI #3534: 0.555)
TINY_BETA = 0.008  # below a twelfth of the usual 0.1 (judgement)
UNMOVED = 0.01  # nats: answers that are 1% more likely than at the start (judgement)


@rule("DPO001", severity="critical", verdict="not learning", needs=["outcome"])
def preference_loss_stuck(patient: Patient) -> Hit | None:
    """The preference loss stays where it began, and pairs are ranked no better than chance.

    ## What it looks for
    One of these:

    - A loss, margin or accuracy that, allowing for noise, stayed where it began or got worse.
    - A margin that never left 0: in no row does it exceed what answers earn that became 1% more
      likely, whatever accuracy says. It is critical.
    - Pairs of which surely less than 55% are ranked correctly, for half of the run and at its end:
      held-out ones, or those of training if there are none and a reference model to start from.
      Labels are random then, or most pairs are ties.
    - A loss that stays at its start although pairs are separated, because beta is below 0.008.

    ## Why it matters
    The model learns nothing from the pairs, or nothing that holds for other pairs.

    ## Usual causes
    1. The learning rate is too low, or the adapter is not trained.
    2. Labels are random.
    3. Chosen and rejected are identical after truncation.
    4. Beta is too small.

    ## What to try
    Count the pairs that differ after tokenising and truncating. Raise the learning rate tenfold for
    50 steps. Read ten pairs with their labels.

    ## When to ignore it
    The first part of a run with a very low learning rate.

    ## Sources
    Training Metrics Glossary (the loss should fall); TRL PR #2153; follows from the objective.
    """
    hit = statement(patient, "DPO001", advice=ADVICE, causes=CAUSES)
    if hit is None and not patient.health.early:
        hit = _unmoved(patient) or _by_a_coin(patient) or _no_room(patient)
    return hit


def _unmoved(patient: Patient) -> Hit | None:
    margin = patient.find("preference/margin")
    if margin is None or len(margin) < MIN_POINTS or reference_free(patient):
        return None
    if float(np.abs(margin.values).max()) > UNMOVED * beta_of(patient):
        return None
    return stretch(margin).hit(
        f"the margin stays at {margin.last:.2g}: no answer has become more or less likely than "
        "at the start",
        advice=ADVICE,
        causes=CAUSES,
    )


def _by_a_coin(patient: Patient) -> Hit | None:
    judged = patient.find("eval/preference/accuracy")
    if judged is None and not reference_free(patient):
        judged = patient.find("preference/accuracy")
    if judged is None or len(judged) < MIN_POINTS:
        return None
    found = below(judged, BY_A_COIN, for_share=1 / 2, to_end=True)
    return found and found.hit(
        f"only {found.level:.0%} of the pairs are ranked correctly, no better than a coin would",
        advice="count the pairs that still differ after truncation, and read ten with their labels",
        severity="warning",
        causes=("labels random", "chosen and rejected are identical after truncation"),
    )


def _no_room(patient: Patient) -> Hit | None:
    """A beta so small that the loss cannot move, while the policy does."""
    loss, beta = patient.find("preference/loss"), beta_of(patient)
    if loss is None or len(loss) < MIN_POINTS or beta >= TINY_BETA or reference_free(patient):
        return None
    if not course(-loss.values, "loss").never_rose:
        return None
    return stretch(loss).hit(
        f"preference loss is still at its start, {loss.last:.3g}: a beta of {beta:g} leaves it "
        "no room",
        advice="use a beta of 0.01 to 0.5",
        severity="warning",
        causes=("beta too small",),
    )
