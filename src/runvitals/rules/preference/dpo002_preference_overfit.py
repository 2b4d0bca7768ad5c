import numpy as np

from runvitals.rules.held_out import FEW_PASSES, MIN_GAP, known_by_heart, left_behind, passes
from runvitals.rules.kit import SURE, Hit, Patient, above, below, rule, stretch
from runvitals.rules.outcome.health import statement
from runvitals.rules.preference import samples_do_well
from runvitals.signals.level import read_level

SATURATED_MARGIN, SATURATED_LOSS = 10.0, 1e-3  # 1 in 1,000 is left of a gradient
BEHIND = 0.7  # of the margin in training; runs of the lab on enough pairs have 0.9 and more
MIN_MARGIN = 0.02  # that matters, as in outcomes
CAUSES = ("too many epochs or too few pairs", "a shortcut such as length", "learning rate too high")


@rule("DPO002", verdict="overfitting", needs=["outcome"])
def preference_overfit(patient: Patient, *, accuracy_max: float = 0.98) -> Hit | None:
    """Training pairs are ranked perfectly, held-out pairs no better than before.

    ## What it looks for
    One of these:

    - Training gets better, while the held-out outcome is clearly worse than its best or never got
      better.
    - A training accuracy of at least 98% (`accuracy_max`), surely 12 points above a held-out
      accuracy that has stopped rising. It is a notice while a held-out score of samples is good.
    - After more than three passes over the pairs, a held-out margin surely below 70% of a training
      margin above 0.02.
    - After more than three passes over the pairs, a training loss surely below 0.15, without a
      held-out outcome that is good, and unless the loss was that low before the first pass was
      done.
    - Saturation: a margin above 10 with a loss below 1e-3, where no gradient is left.

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
    advice = "train for one epoch, and compare the lengths of chosen and rejected answers"
    hit = statement(patient, "DPO002", advice=advice, causes=CAUSES)
    hit = hit or _saturated(patient) or _apart(patient, accuracy_max, advice)
    return hit or _margin_behind(patient) or _by_heart(patient)


def _saturated(patient: Patient) -> Hit | None:
    margin, loss = patient.find("preference/margin"), patient.find("preference/loss")
    wide = None if margin is None else above(margin, SATURATED_MARGIN, to_end=True)
    if wide is None or loss is None or loss.last > SATURATED_LOSS:
        return None
    return wide.hit(
        f"margin is {wide.level:.3g} and loss {loss.last:.1g}: the pairs have nothing left to teach",
        advice="use a smaller beta or learning rate, fewer epochs, or label smoothing",
        causes=("beta too large", "learning rate too high", "too many epochs"),
    )


def _apart(patient: Patient, accuracy_max: float, advice: str) -> Hit | None:
    mine, held_out = patient.find("preference/accuracy"), patient.find("eval/preference/accuracy")
    found = left_behind(mine, held_out, MIN_GAP)
    if found is None or mine is None or below(mine, accuracy_max, to_end=True) is not None:
        return None
    return found.hit(
        f"{found.before:.0%} of the training pairs are ranked correctly, but only {found.level:.0%} of "
        "the held-out pairs, no better than before",
        advice=advice,
        severity="notice" if samples_do_well(patient) else "warning",
        causes=CAUSES,
        also=(mine.name,),
    )


def _margin_behind(patient: Patient) -> Hit | None:
    mine, held_out = patient.find("preference/margin"), patient.find("eval/preference/margin")
    if mine is None or held_out is None or passes(patient) <= FEW_PASSES:
        return None
    trained, other = read_level(mine.values).end, read_level(held_out.values).end
    if float(np.mean((trained > MIN_MARGIN) & (other < BEHIND * trained))) < SURE:
        return None
    return stretch(held_out, len(held_out) // 2).hit(
        f"after {passes(patient):.3g} passes over the pairs, the margin is "
        f"{float(np.median(trained)):.3g} in training and {float(np.median(other)):.3g} on held-out "
        "samples",
        advice="train for one to three epochs, or on more samples",
        causes=CAUSES,
        also=(mine.name,),
    )


def _by_heart(patient: Patient) -> Hit | None:
    loss = patient.find("preference/loss")
    found = None if loss is None else known_by_heart(patient, loss, None)
    return found and found.hit(
        f"after {passes(patient):.3g} passes over the pairs, training loss is {found.level:.2g}: the "
        "pairs are memorised, and no held-out outcome is good",
        advice="hold out a tenth of the pairs, and train for one to three epochs",
        causes=(*CAUSES, "no held-out pairs"),
    )
