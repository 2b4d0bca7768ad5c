"""SFT006."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from runvitals.model import Hit, Limit, Series
from runvitals.rules.data._values import raw_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.sft._loss import training_loss
from runvitals.signals.crossing import Stretch
from runvitals.signals.late import TENTH, early_mean, late_mean

MIN_POINTS = 5  # that all say the same (judgement)
NEAR = 0.01  # of the logarithm: what is no more than noise around guessing
EXACT = 0.002  # of it, where the number of choices is only told by the loss itself
MAX_UNKNOWN = 30  # choices; the logarithms of larger numbers lie too close together to tell
MIN_SHARE = 0.2  # of the plan (judgement)
MAX_CHOICES = 1e7  # no vocabulary is so large: the number means something else
MIN_TO_SETTLE = 10  # points of a half in which the loss no longer falls
LITTLE = 0.9  # of its start: what fell by less only learned how often answers come (judgement)
STILL = 0.005  # of the loss, by which it may still move
MIN_WAVERING = 20  # rows of batches (judgement)
CALM, WORSE = 0.015, 0.05  # of the loss: how far batches stray, how much worse it may begin
MAX_CLASSES = 8  # beyond, the logarithms lie less than a twentieth apart
KNOWN = ("vocab_size", "n_vocab", "num_tokens", "num_labels", "num_classes", "n_classes")


class Choices(NamedTuple):
    """How many answers there are to guess among, and who says so."""

    number: int
    told: bool


@rule(
    "SFT006",
    "loss-at-guessing",
    severity="warning",
    verdict="not learning",
    needs=["lm/loss|optim/loss"],
    families=["sft"],
)
def loss_at_guessing(patient: Patient) -> Iterator[Hit]:
    """The loss stays at the logarithm of the number of choices: the model guesses.

    ## What it looks for
    A cross-entropy loss, of training or held-out data, with at least five points, for which one of
    these holds:

    - It stays within 1% of ln(vocabulary) or ln(classes) over the whole second half, and did not
      begin elsewhere. The number of choices comes from the settings. If they do not give it, the
      loss has to begin within 0.2% of the logarithm of a whole number up to 30, and lose less than
      1% of that.
    - It fell by less than a tenth, or from far above, and settled within 0.2% of such a logarithm
      for half of the run.
    - At least twenty rows stray by less than 1.5%, stay less than 1.5% above the logarithm of a
      number up to 8, and never fall below it.

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
    if patient.progress is not None and patient.progress < MIN_SHARE:
        return
    loss = training_loss(patient)
    held_out = patient.find("eval/lm/loss", "eval/loss")
    for series in (loss, held_out if loss is not None else None):
        choices = None if series is None else _guesses(patient, series)
        if series is None or choices is None:
            continue
        yield Hit(
            series=series.name,
            span=Stretch(0, len(series) - 1, 0).span(series),
            message=f"the loss stays at {float(np.mean(series.values)):.4g}, the level of guessing "
            f"among {choices.number:,} choices "
            f"(ln {choices.number:,} = {math.log(choices.number):.4g})",
            advice="overfit one batch; then print its inputs and labels",
            causes=("nothing is trained", "labels do not belong to their inputs", "dead outputs"),
            limit=Limit(math.log(choices.number), "the same probability for all choices"),
        )
        return


def _guesses(patient: Patient, series: Series) -> Choices | None:
    """Among how many choices a loss shows that the model guesses; None if it does not."""
    if len(series) < MIN_POINTS or float(series.values.min()) <= 0:
        return None
    first, now = early_mean(series.values, TENTH, 1), late_mean(series.values, TENTH, 1)
    later = float(np.mean(series.values[len(series) // 2 :]))
    for choices in _candidates(patient, first):
        level = math.log(choices.number)
        within = NEAR if choices.told else EXACT
        stays = abs(later - level) <= NEAR * level and now > (1 - NEAR) * level
        if abs(first - level) <= within * level and stays and first - now < NEAR * level:
            return choices
    return _settles_at(patient, series, first, later) or _wavers_above(patient, series, first)


def _settles_at(patient: Patient, series: Series, first: float, late: float) -> Choices | None:
    """A loss that only fell to guessing, from a start a little worse or far worse than that."""
    half = series.values[len(series) // 2 :]
    if len(half) < MIN_TO_SETTLE or not (LITTLE * first <= late < first or late < first / 2):
        return None
    quarters = [float(np.mean(part)) for part in np.array_split(half, 2)]
    if abs(quarters[1] - quarters[0]) > STILL * late:
        return None
    for choices in _candidates(patient, late):
        level = math.log(choices.number)
        if abs(late - level) <= (STILL if choices.told else EXACT) * level:
            return choices
    return None


def _wavers_above(patient: Patient, series: Series, first: float) -> Choices | None:
    """A loss that hardly differs from batch to batch, and never comes below the one of guessing.

    A model that is a little wrong about equal chances has a loss a little above theirs; whoever has
    learned something finds some batches easier than others.
    """
    values = series.values
    if len(values) < MIN_WAVERING or float(values.std()) > CALM * float(values.mean()):
        return None
    late = float(np.mean(values[len(values) // 2 :]))
    for choices in _candidates(patient, late):
        level = math.log(choices.number)
        near = level <= late <= (1 + CALM) * level and first <= (1 + WORSE) * level
        if choices.number <= MAX_CLASSES and near and float(values.min()) >= (1 - EXACT) * level:
            return choices
    return None


def _candidates(patient: Patient, first: float) -> Iterator[Choices]:
    for key in KNOWN:
        count = raw_number(patient.run, key)
        if count is not None and 2 <= count < MAX_CHOICES:
            yield Choices(int(count), told=True)
    if 0 < first <= math.log(MAX_UNKNOWN + 1):
        count = round(math.exp(first))
        if 2 <= count <= MAX_UNKNOWN:
            yield Choices(count, told=False)
