import math

import numpy as np

from runvitals.rules.data._values import raw_number
from runvitals.rules.kit import SURE, Hit, Limit, Patient, Series, rule, stretch
from runvitals.rules.sft._loss import training_loss
from runvitals.signals.level import read_level

NEAR = 0.01  # of the logarithm: noise around guessing
EXACT, MAX_UNKNOWN = 0.005, 10  # of it, and choices, where only the loss itself tells their number
MAX_CHOICES = 1e7  # no vocabulary is so large: the number means something else
KNOWN = ("vocab_size", "n_vocab", "num_tokens", "num_labels", "num_classes", "n_classes")


@rule(
    "SFT006",
    verdict="not learning",
    needs=["lm/loss|optim/loss"],
    families=["sft"],
    min_points=5,
    waits=True,
)
def loss_at_guessing(patient: Patient) -> Hit | None:
    """The loss stays at the logarithm of the number of choices: the model guesses.

    ## What it looks for
    A cross-entropy loss, of training or held-out data, that surely moves by less than 1% and lies
    within 1% of ln(vocabulary) or ln(classes). If the settings do not give the number of choices,
    it has to lie within 0.5% of the logarithm of a whole number up to 10.

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
                f"the loss stays at {float(np.mean(series.values)):.4g}, the level of "
                f"guessing among {choices:,} choices (ln {choices:,} = {guess:.4g})",
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
    known = (raw_number(patient.run, key) for key in KNOWN)
    candidates = [(int(one), NEAR) for one in known if one is not None and 2 <= one < MAX_CHOICES]
    candidates += [(choices, EXACT) for choices in range(2, MAX_UNKNOWN + 1)]
    for choices, within in candidates:
        guess = math.log(choices)
        near = (np.abs(mean - guess) < within * guess) & (moved < NEAR * guess)
        if float(np.mean(near)) > SURE:
            return choices
    return None
