import math
from collections.abc import Iterator

import numpy as np

from runvitals.rules.data import raw_number
from runvitals.rules.kit import SURE, Hit, Limit, Patient, Series, rule, stretch
from runvitals.rules.sft import training_loss
from runvitals.signals.level import read_level

NEAR = 0.01  # of the logarithm: noise around guessing
EXACT, MAX_UNKNOWN = 0.005, 10  # of it, and choices, where only the loss itself tells their number
MAX_CHOICES = 1e7  # no vocabulary is so large: the number means something else
KNOWN = ("vocab_size", "n_vocab", "num_tokens", "num_labels", "num_classes", "n_classes")


@rule("SFT006", verdict="not learning", needs=["lm/loss|optim/loss"], min_points=5, waits=True)
def loss_at_guessing(patient: Patient) -> Hit | None:
    """The loss stays at the logarithm of the number of choices: the model guesses.

    ## What it looks for
    A cross-entropy loss, of training or held-out data, that in the last half of the run surely lies
    within 1% of ln(vocabulary) or ln(classes), as settings give them. Where an accuracy stands at one
    in k from beginning to end, as guessing does, a loss that is not lower than ln(k) is enough. If
    neither is known, the loss has to move by less than 1% in the whole run and lie within 0.5% of the
    logarithm of a whole number up to 10.

    ## Why it matters
    An untrained output layer gives all choices the same probability. Nothing the model reads
    reaches the answer.

    ## Usual causes
    1. Nothing is trained: a learning rate of 0, frozen parameters, or an optimiser that holds
       another copy of the model.
    2. Labels are shuffled or do not belong to their inputs.
    3. The learning rate is so high that the outputs died, or so low that nothing moves.
    4. Inputs are masked, constant or scaled away.

    ## What to try
    Overfit one batch: the loss has to reach 0. If it does not, print inputs, labels and the
    gradient of the first layer.

    ## When to ignore it
    The first steps of training from scratch; data without any pattern.

    ## Sources
    Karpathy, "A Recipe for Training Neural Networks" (verify the loss at initialisation is
    -log(1/classes)); follows from the cross-entropy of a uniform guess.
    """
    loss = training_loss(patient)
    if loss is None:
        return None
    for series in (loss, patient.find("eval/lm/loss", "eval/loss")):
        choices = None if series is None else _guesses(patient, series)
        if series is not None and choices is not None:
            guess = math.log(choices)
            return stretch(series).hit(
                f"the loss stays at {float(np.median(series.values)):.4g}, no better than guessing "
                f"among {choices:,} choices (ln {choices:,} = {guess:.4g})",
                advice="overfit one batch; then print its inputs and labels",
                causes=(
                    "nothing is trained",
                    "labels do not belong to their inputs",
                    "dead outputs",
                ),
                limit=Limit(guess, "the same probability for all choices"),
            )
    return None


def _guesses(patient: Patient, series: Series) -> int | None:
    """Among how many choices a loss shows that the model guesses; None if it does not."""
    level = read_level(series.values)
    mean, moved = level.paths @ level.rows / level.points, np.abs(level.end - level.start)
    middle = level.at(0.5)
    for choices, at_chance in _known_choices(patient):
        guess = math.log(choices)
        above = np.minimum(middle, level.end) - guess
        beyond = 0.0 if at_chance else np.maximum(middle, level.end) - guess
        if float(np.mean((above > -NEAR * guess) & (beyond < NEAR * guess))) > SURE:
            return choices
    for choices in range(2, MAX_UNKNOWN + 1):
        guess = math.log(choices)
        near = (np.abs(mean - guess) < EXACT * guess) & (moved < NEAR * guess)
        if float(np.mean(near)) > SURE:
            return choices
    return None


def _known_choices(patient: Patient) -> Iterator[tuple[int, bool]]:
    """Numbers of choices by settings, and (True) by accuracies that stand at one in that number."""
    for key in KNOWN:
        number = raw_number(patient.run, key)
        if number is not None and 2 <= number < MAX_CHOICES:
            yield int(number), False
    for metric in ("supervised/accuracy", "eval/supervised/accuracy"):
        if (accuracy := patient.find(metric)) is not None:
            level = read_level(accuracy.values)
            shares = np.median([level.start, level.end], axis=1)
            choices = round(1 / max(float(shares[1]), 1e-3))
            if choices > 1 and np.all(np.abs(shares * choices - 1) < 10 * NEAR):
                yield choices, True
