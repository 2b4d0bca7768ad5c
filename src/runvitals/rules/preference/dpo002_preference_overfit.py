"""DPO002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.held_out import SCORES
from runvitals.rules.outcome import course
from runvitals.rules.outcome.stated import statement
from runvitals.rules.passes import is_foretold
from runvitals.rules.patient import Patient
from runvitals.rules.preference._pairs import epochs, is_kto
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch, lasting, sustained_above
from runvitals.signals.held_out import drop_from_best, evaluation_noise
from runvitals.signals.late import THIRD, early_median, late_mean, late_median, points_in

SATURATED_MARGIN, SATURATED_LOSS = 10.0, 1e-4  # at such a margin 1 in 20,000 is left of a gradient
SATURATED_MARGIN_KTO, SATURATED_LOSS_KTO = 20.0, 0.05  # bounded, and slow to vanish
MIN_FACTS = 3  # points: a loss of nothing is not a matter of chance
MIN_POINTS, MIN_EVALUATIONS = 12, 6  # judgement
MIN_AFTER_MANY = 3  # evaluations, once the pairs were seen so often that nothing else is likely
MIN_THIRD = 2  # evaluations
MIN_LATE, MIN_LATE_FACTS = 5, 2  # points that tell where a series ended
MIN_GAP, MIN_GAP_LATE = 0.12, 0.05  # of the accuracies; after many epochs (judgement)
TIMES_CHANCE = 3  # that the gap has to be
STILL_RISES = 0.02  # of the held-out pairs, from one third to the next
MIN_MARGIN = 1.0  # in training: pairs are told apart nearly 3 to 1 there
LOSS_ROSE = 0.15  # of the best held-out loss (judgement)
PERFECT_IN = 7  # of 10 points
ROUNDING = 1e-9
MANY_EPOCHS = 10.0  # one to three are usual
KNOWN_LOSS = 0.02  # nats per pair: 98% sure of each (judgement); one epoch ends far above
HELD_OUT = (
    "eval/loss",
    "eval/preference/loss",
    "eval/preference/accuracy",
    "eval/preference/margin",
    *SCORES,
)
BEHIND = 0.7  # of the margin in training (judgement)


@rule(
    "DPO002",
    "preference-overfit",
    severity="warning",
    verdict="overfitting",
    needs=["outcome"],
    families=["preference"],
)
def preference_overfit(patient: Patient, *, accuracy_max: float = 0.98) -> Iterator[Hit]:
    """Training pairs are ranked perfectly, held-out pairs no better than before.

    ## What it looks for
    One of these:

    - A training accuracy of at least 98% (`accuracy_max`), at least 12 points above a held-out
      accuracy that has stopped rising. After ten epochs, 5 points are enough.
    - A held-out loss clearly above its best, while the training loss fell.
    - After ten epochs, a held-out margin below 70% of the training margin.
    - After ten epochs without held-out pairs, a training loss below 0.02 with every training pair
      ranked correctly, unless the loss was that low before the first pass over the pairs was done.
    - Saturation: a margin above 10 with a loss below 1e-4 (20 and 0.05 for KTO), where no gradient
      is left.

    The first two are notices while a held-out score of samples still improves.

    ## Why it matters
    The policy memorises pairs, or a shortcut such as length, and keeps moving without learning
    more.

    ## Usual causes
    1. Too many epochs, or too few pairs.
    2. A shortcut (length, style) separates the pairs.
    3. Learning rate or beta is too high.
    4. Duplicates.

    ## What to try
    Train for one epoch. Compare the lengths of chosen and rejected answers. Use label smoothing or
    an IPO-type loss.

    ## When to ignore it
    A score that matters to you, measured on samples, still improves.

    ## Sources
    Training Metrics Glossary (margins grow, validation flat; 99% and more).
    """
    hit = statement(
        patient,
        "DPO002",
        advice="train for one epoch, and compare the lengths of chosen and rejected answers",
        causes=CAUSES,
    )
    hit = hit or _saturated(patient) or _apart(patient, accuracy_max) or _loss_rises(patient)
    hit = hit or _by_heart(patient) or _nothing_held_out(patient, accuracy_max)
    if hit is not None:
        yield hit


CAUSES = ("too many epochs or too few pairs", "a shortcut such as length", "learning rate too high")


def _saturated(patient: Patient) -> Hit | None:
    margin, loss = patient.find("preference/margin"), patient.find("preference/loss")
    if margin is None or loss is None or min(len(margin), len(loss)) < MIN_FACTS:
        return None
    gap = late_median(margin.values, THIRD, MIN_LATE_FACTS)
    left = late_median(loss.values, THIRD, MIN_LATE_FACTS)
    least, most = SATURATED_MARGIN, SATURATED_LOSS
    if is_kto(patient):
        least, most = SATURATED_MARGIN_KTO, SATURATED_LOSS_KTO
    if gap < least or abs(left) > most:
        return None
    first = int(np.argmax(margin.values >= min(gap, least)))
    return Hit(
        series=margin.name,
        span=Stretch(first, len(margin) - 1, 0).span(margin),
        message=f"margin is {gap:.3g} and loss {left:.1g}: the pairs have nothing left to teach",
        advice="use a smaller beta or learning rate, fewer epochs, or label smoothing",
        causes=("beta too large", "learning rate too high", "too many epochs"),
    )


def _score_improves(patient: Patient) -> bool:
    score = patient.find(*SCORES)
    return score is not None and course(score.values, "rate", ceiling=1.0).shape in ("rose", "high")


def _apart(patient: Patient, accuracy_max: float) -> Hit | None:
    mine, held_out = patient.find("preference/accuracy"), patient.find("eval/preference/accuracy")
    if mine is None or held_out is None:
        return None
    many = epochs(patient) >= MANY_EPOCHS
    if len(mine) < MIN_POINTS or len(held_out) < (MIN_AFTER_MANY if many else MIN_EVALUATIONS):
        return None
    if not _perfect(mine, accuracy_max):
        return None
    third = points_in(len(held_out), THIRD, MIN_THIRD)
    late, middle = held_out.values[-third:], held_out.values[-2 * third : -third]
    chance = evaluation_noise(held_out.values, share=True)
    right = float(np.mean(late))
    train = late_mean(mine.values, least=MIN_LATE)
    rises = right - float(np.mean(middle)) > max(STILL_RISES, chance)
    least = MIN_GAP_LATE if many else MIN_GAP
    if rises or train - right < max(least, TIMES_CHANCE * chance):
        return None
    return Hit(
        series=held_out.name,
        span=Stretch(len(held_out) - 2 * third, len(held_out) - 1, 0).span(held_out),
        message=f"{train:.0%} of the training pairs are ranked correctly, but only {right:.0%} of the "
        "held-out pairs, no better than before"
        + (f", after {epochs(patient):.3g} epochs" if many else ""),
        advice="train for one epoch, and compare the lengths of chosen and rejected answers",
        severity="notice" if _score_improves(patient) and not many else None,
        causes=CAUSES,
        also=(mine.name,),
    )


def _by_heart(patient: Patient) -> Hit | None:
    """After many epochs the margin on held-out samples is far behind, where nothing else is logged."""
    mine, held_out = patient.find("preference/margin"), patient.find("eval/preference/margin")
    if mine is None or held_out is None:
        return None
    if len(mine) < MIN_POINTS or len(held_out) < MIN_AFTER_MANY:
        return None
    train = late_median(mine.values, least=MIN_LATE)
    other = late_median(held_out.values, THIRD)
    if epochs(patient) < MANY_EPOCHS or train < MIN_MARGIN or other > BEHIND * train:
        return None
    return Hit(
        series=held_out.name,
        span=Stretch(len(held_out) // 2, len(held_out) - 1, 0).span(held_out),
        message=f"after {epochs(patient):.3g} epochs the margin is {train:.3g} in training and "
        f"{other:.3g} on held-out samples",
        advice="train for one to three epochs, or on more samples",
        causes=CAUSES,
        also=(mine.name,),
    )


def _nothing_held_out(patient: Patient, accuracy_max: float) -> Hit | None:
    """After many epochs nothing is left of the loss, and no held-out pairs say what that is worth."""
    loss, accuracy = patient.find("preference/loss"), patient.find("preference/accuracy")
    if loss is None or accuracy is None or patient.find(*HELD_OUT) is not None:
        return None
    many = epochs(patient)
    if many < MANY_EPOCHS or min(len(loss), len(accuracy)) < MIN_POINTS:
        return None
    left = late_median(loss.values, THIRD)
    if not 0 <= left < KNOWN_LOSS or not _perfect(accuracy, accuracy_max):
        return None
    if is_foretold(patient, loss, KNOWN_LOSS):
        return None
    first = int(np.argmax(loss.values < KNOWN_LOSS))
    return Hit(
        series=loss.name,
        span=Stretch(first, len(loss) - 1, 0).span(loss),
        message=f"after {many:.3g} epochs every training pair is ranked correctly and the loss is "
        f"{left:.2g}: the pairs are memorised, and none were held out",
        advice="hold out a tenth of the pairs, and train for one to three epochs",
        causes=(*CAUSES, "no held-out pairs"),
        also=(accuracy.name,),
    )


def _perfect(series: Series, accuracy_max: float) -> bool:
    found = sustained_above(series.values, accuracy_max - ROUNDING, need=PERFECT_IN)
    return lasting(found, len(series)) is not None


def _loss_rises(patient: Patient) -> Hit | None:
    loss, mine = patient.find("eval/loss", "eval/preference/loss"), patient.find("preference/loss")
    if loss is None or mine is None:
        return None
    if len(mine) < MIN_POINTS or len(loss) < MIN_EVALUATIONS:
        return None
    drop = drop_from_best(-loss.values)
    if drop is None or not drop.sure or drop.size < LOSS_ROSE * abs(drop.best):
        return None
    if late_median(mine.values, THIRD) >= early_median(mine.values, THIRD):
        return None
    return Hit(
        series=loss.name,
        span=Stretch(drop.best_index, len(loss) - 1, 0).span(loss),
        message=f"held-out loss rose from {-drop.best:.3g} to {-drop.now:.3g} while training loss fell",
        advice=f"keep the checkpoint from step {int(loss.steps[drop.best_index]):,}, "
        "and train for fewer epochs",
        severity="notice" if _score_improves(patient) else None,
        causes=CAUSES,
        also=(mine.name,),
    )
