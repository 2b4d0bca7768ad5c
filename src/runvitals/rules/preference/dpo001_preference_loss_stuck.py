"""DPO001."""

from collections.abc import Iterator
from math import log

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.preference._pairs import beta_of, is_kto, reference_free, warms_up
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.held_out import chance_limit
from runvitals.signals.trend import trend

CHANCE = (0.4, 0.6)
TIED = 0.1  # pairs without a difference count as ranked wrongly
LEAST_SHARE = 0.4  # of the plan
TINY_BETA = 0.008
LEAST_RIGHT, MOST_GUESSED, TOLD_APART = 0.35, 0.555, 0.8  # of the held-out pairs


@rule(
    "DPO001",
    "preference-loss-stuck",
    severity="warning",
    needs=["outcome"],
    families=["preference"],
)
def preference_loss_stuck(patient: Patient, *, within: float = 0.02) -> Iterator[Hit]:
    """The preference loss stays where it began, and pairs are told apart by chance.

    ## What it looks for
    Loss, margin or accuracy that stayed where it began or got worse, all that its change may be
    allowed for. Or after 40 % of the plan one of these: a loss within 2 % (`within`) of its start
    (ln 2, for KTO one half) with an accuracy around one half and no margin; held-out pairs ranked
    at chance, as far as the size of the set can tell and while the held-out loss has hardly fallen;
    a held-out accuracy below 0.8 that is exactly the same at every evaluation; an accuracy below
    chance although the margin is positive, which happens when most pairs are ties; a loss at its
    start although pairs are told apart, with a beta below 0.008.

    ## Why it matters
    Nothing is learned from the pairs, or nothing that holds for other pairs.

    ## Usual causes
    1. Learning rate too small, or the adapter is not trained.
    2. Labels are random.
    3. Chosen and rejected are the same once they are truncated.
    4. Beta too small.

    ## What to try
    Count the pairs that differ after tokenising and truncating. Raise the learning rate tenfold
    for 50 steps. Read ten pairs with their labels.

    ## When to ignore it
    The first part of a run with a very small learning rate.

    ## Sources
    Training Metrics Glossary (the loss should fall); TRL PR #2153; follows from the objective.
    """
    hit = statement(
        patient,
        "DPO001",
        advice=RATE_UP,
        causes=(
            "learning rate too small or nothing trained",
            "labels random",
            "pairs do not differ",
        ),
    )
    if hit is not None:
        yield hit
        return
    loss = patient.find("preference/loss")
    if loss is None:
        return
    n = len(loss)
    progress = patient.progress
    if n < 12 or (progress is not None and progress < LEAST_SHARE):
        return
    if (progress is None and n < 40) or warms_up(patient):
        return
    for found in (
        _ties(patient),
        _at_start(patient, within),
        _held_out(patient),
        _weak(patient),
        _stands_still(patient, within),
    ):
        if found is None:
            continue
        series, message, causes, advice = found
        yield Hit(
            series=series.name,
            span=Stretch(min(n // 2, len(series) // 2), len(series) - 1, 0).span(series),
            message=message,
            advice=advice,
            causes=causes,
        )
        return


Found = tuple[Series, str, tuple[str, ...], str] | None
RATE_UP = "raise the learning rate tenfold for 50 steps, and check that the adapter is trained"


def _late(series: Series | None, share: float = 0.4) -> float | None:
    """The mean of the last part of a series."""
    if series is None or not len(series):
        return None
    return float(np.mean(series.values[-max(3, int(share * len(series))) :]))


def _ties(patient: Patient) -> Found:
    accuracy, margin = patient.find("preference/accuracy"), patient.find("preference/margin")
    right, gap = _late(accuracy), _late(margin)
    if accuracy is None or margin is None or right is None or gap is None or len(accuracy) < 12:
        return None
    settled = _late(accuracy, 0.8)
    if settled is None or not 0.0 < right < 0.42 or settled > 0.42 or gap <= 0.02:
        return None
    if float(np.mean(margin.values[-max(3, len(margin) // 5) :] > 0)) < 0.95:
        return None
    return (
        accuracy,
        f"{right:.0%} of the pairs are ranked rightly although the margin is {gap:.2g}: "
        "the others are ties",
        ("chosen and rejected are the same after truncation", "many pairs are duplicates"),
        "count the pairs that still differ after truncation; raise the length limit",
    )


def _at_start(patient: Patient, within: float) -> Found:
    loss = patient["preference/loss"]
    late = float(np.median(loss.values[-max(5, len(loss) // 3) :]))
    begin = 0.5 if is_kto(patient) else log(2)
    if reference_free(patient):
        begin = float(np.median(loss.values[:3]))
    if abs(late - begin) > within * begin or (trend(loss.values).down and late < 0.995 * begin):
        return None
    right, gap = (
        _late(patient.find("preference/accuracy")),
        _late(patient.find("preference/margin")),
    )
    at_chance = right is not None and (CHANCE[0] <= right <= CHANCE[1] or right < TIED)
    if right is not None and not at_chance:
        return None
    if not reference_free(patient):
        if gap is not None and abs(gap) >= 0.05:
            return None
        if right is None and (gap is None or not _stands(patient)):
            return None
    return (
        loss,
        f"preference loss is {late:.3g} after {len(loss)} points, as at the start",
        ("learning rate too small or nothing trained", "labels random", "pairs do not differ"),
        RATE_UP,
    )


def _stands(patient: Patient) -> bool:
    """Whether the margin does not rise."""
    margin = patient.find("preference/margin")
    return margin is not None and not trend(margin.values).up


def _held_out(patient: Patient) -> Found:
    accuracy = patient.find("eval/preference/accuracy")
    loss = patient.find("eval/loss", "eval/preference/loss")
    if accuracy is not None and len(accuracy) >= 8 and (words := _guessed(accuracy, loss)):
        return (
            accuracy,
            words,
            ("labels random", "training pairs say nothing about the held-out ones"),
            "read ten pairs with their labels",
        )
    margin = patient.find("eval/preference/margin")
    learned = _late(patient.find("preference/margin"))
    if not is_kto(patient) or margin is None or loss is None or len(margin) < 8 or not learned:
        return None
    gap, now = _late(margin, 0.3), _late(loss, 0.3)
    if gap is None or now is None or learned < 0.05:
        return None
    if gap < 0.02 * learned and now > 0.995 * float(np.median(loss.values[:3])):
        return (
            margin,
            f"the margin is {learned:.2g} in training and {gap:.2g} on held-out samples",
            ("labels random", "training samples say nothing about the held-out ones"),
            "read ten samples with their labels",
        )
    return None


def _guessed(accuracy: Series, loss: Series | None) -> str:
    """How it shows that held-out pairs are ranked by chance; empty if it does not."""
    right, before = _late(accuracy, 0.5), float(np.mean(accuracy.values[: len(accuracy) // 2]))
    if right is None or right < LEAST_RIGHT or right - before >= 0.03:
        return ""
    if right <= MOST_GUESSED or (right <= chance_limit(accuracy.values) and _stuck(loss, 0.97)):
        return f"held-out pairs are ranked at chance: {right:.0%} rightly"
    same = len(accuracy) >= 12 and not np.ptp(accuracy.values)
    if same and right < TOLD_APART and _stuck(loss, 0.9):
        return f"exactly {right:.1%} of the held-out pairs are ranked rightly at every evaluation"
    return ""


def _stuck(loss: Series | None, share: float) -> bool:
    """Whether a held-out loss is known, and still at that share of its start or above."""
    late = _late(loss, 0.3)
    if loss is None or late is None or len(loss) < 8:
        return False
    return late >= share * float(np.median(loss.values[:3]))


def _stands_still(patient: Patient, within: float) -> Found:
    """A loss without reference has no known start; it must at least fall below its own."""
    loss, margin = patient["preference/loss"], patient.find("preference/margin")
    if not reference_free(patient) or margin is None or len(loss) < 40:
        return None
    if not patient.finished and (patient.progress or 0.0) < 0.8:
        return None
    early, late = (float(np.median(part)) for part in np.array_split(loss.values, 4)[::3])
    moved = trend(loss.values).down or trend(margin.values).up
    if moved or early < 1e-3 or not (1 - within) * early < late < 1.1 * early:
        return None
    return (
        loss,
        f"preference loss is {late:.3g} after {len(loss)} points, {early:.3g} at the start",
        ("learning rate too small or nothing trained", "labels random"),
        RATE_UP,
    )


def _weak(patient: Patient) -> Found:
    """A beta so small that the loss cannot move, while the policy does."""
    loss, beta = patient["preference/loss"], beta_of(patient)
    if beta is None or beta >= TINY_BETA or reference_free(patient):
        return None
    begin = 0.5 if is_kto(patient) else log(2)
    late = float(np.median(loss.values[-max(5, len(loss) // 3) :]))
    if abs(late - begin) > 0.02 * begin:
        return None
    return (
        loss,
        f"preference loss is {late:.3g}, as at the start: a beta of {beta:g} leaves it no room",
        ("beta too small",),
        "use a beta of 0.01 to 0.5",
    )
