"""SFT001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.held_out import SCORES
from runvitals.rules.outcome import course
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.sft._loss import training_loss
from runvitals.signals.crossing import Stretch
from runvitals.signals.flat import is_flat
from runvitals.signals.late import HALF, THIRD, late, late_median
from runvitals.signals.trend import trend

MIN_LOSSES = 10  # points
SLOW_GAIN, MANY_EPOCHS = 0.1, 10.0  # of the loss at the start, after this many epochs (judgement)
CAUSES = ("learning rate too low", "nothing trainable", "labels misaligned")
EASIER, HARD = 0.05, 0.1  # token accuracy held-out data may lead by; a training loss worth a look
HALF_AS_HARD = 0.5  # of the training loss, that of held-out data (judgement)
NO_LONGER_FALLS = 0.1  # of the loss, within which its later half stays
MANY_POINTS, MIN_POINTS, MIN_EVALUATIONS = 30, 12, 5  # judgement
SEEN_AGAIN = 2  # epochs
# Held-out text that is foretold and yet never right as an answer (judgement).
FORETOLD, FORETOLD_TOKENS = 0.1, 0.95  # nats; of the tokens
NONE_RIGHT, CLEARLY_UP = 0.02, 3.0  # of the answers; times the noise


@rule(
    "SFT001",
    "sft-not-learning",
    severity="warning",
    verdict="not learning",
    needs=["outcome"],
    families=["sft"],
)
def sft_not_learning(patient: Patient) -> Iterator[Hit]:
    """The loss of supervised training does not fall, or falls without teaching anything.

    ## What it looks for
    One of these:

    - A loss or accuracy stayed where it began: allowing for noise, its largest possible change is
      too small to matter (2% of a loss). This takes ten points, or five that are all the same.
    - After ten epochs over the same data, the loss is less than 10% below its start.
    - The held-out loss is near 0, but no held-out answer is right.
    - Held-out data is predicted far better than the training data (by half of the loss and 5 points
      of token accuracy), although the training data is seen again and again and its loss no longer
      falls. Then the training labels contradict each other.

    ## Why it matters
    The run costs as much as a good one and returns the model it started with.

    ## Usual causes
    1. The learning rate is too low or zero.
    2. Nothing is trainable, or the optimiser never steps.
    3. Labels are shifted twice, misaligned, or wrong.
    4. Only prompt tokens are in the loss.

    ## What to try
    Overfit one batch. Print the labels of one sample as text. Check the number of trained
    parameters.

    ## When to ignore it
    Continued training on data the model already knows.

    ## Sources
    TensorBoard Metrics Reference (the loss should fall and settle); trainproof; SageMaker
    Debugger.
    """
    hit = statement(patient, "SFT001", advice=_advice(patient), causes=CAUSES)
    loss = training_loss(patient)
    if loss is not None:
        hit = hit or _hardly_falls(patient, loss)
        hit = hit or _teaches_nothing(patient, loss) or _wrong_labels(patient, loss)
    if hit is not None:
        yield hit


def _advice(patient: Patient) -> str:
    rate = patient.number("learning_rate")
    told = f" (this run: {rate:.3g})" if rate is not None else ""
    return f"overfit one batch, and raise the learning rate{told}"


def _hardly_falls(patient: Patient, loss: Series) -> Hit | None:
    """Many epochs over the same data have brought next to nothing."""
    epoch = patient.find("progress/epoch")
    if epoch is None or epoch.last < MANY_EPOCHS or len(loss) < MIN_LOSSES:
        return None
    way = course(-loss.values, "loss")
    early, late = -way.start, -way.now
    held_out = patient.held_out
    if held_out is not None and held_out.course.shape in ("rose", "high"):
        return None
    if early <= 0 or not max(HARD, (1.0 - SLOW_GAIN) * early) < late < early:
        return None
    return Hit(
        series=loss.name,
        span=Stretch(0, len(loss) - 1, len(loss)).span(loss),
        message=f"the loss only went from {early:.3g} to {late:.3g} in {epoch.last:.3g} epochs over "
        "the same data",
        advice=_advice(patient),
        causes=CAUSES,
    )


def _teaches_nothing(patient: Patient, loss: Series) -> Hit | None:
    score, held_out = patient.find(*SCORES), patient.find("eval/loss", "eval/lm/loss")
    accuracy = patient.find("eval/lm/token_accuracy", "lm/token_accuracy")
    if score is None or held_out is None or len(loss) < MIN_POINTS:
        return None
    if min(len(score), len(held_out)) < MIN_EVALUATIONS or held_out.last >= FORETOLD:
        return None
    if accuracy is not None and accuracy.last <= FORETOLD_TOKENS:
        return None
    last = late(score.values, HALF)
    if float(np.max(last)) > NONE_RIGHT or trend(score.values, effect=CLEARLY_UP).up:
        return None
    return Hit(
        series=score.name,
        span=Stretch(len(score) - len(last), len(score) - 1, 0).span(score),
        message=f"held-out loss is {held_out.last:.2g}, but only {float(np.mean(last)):.1%} of the "
        "held-out answers are right",
        advice="print the labels of one sample next to its tokens: they look shifted",
        severity="critical",
        causes=("labels shifted twice", "training and generation use different templates"),
        also=(held_out.name,),
    )


def _wrong_labels(patient: Patient, loss: Series) -> Hit | None:
    """Clean held-out data are easier than the training data: what is trained on cannot be right."""
    held_out = patient.find("eval/loss", "eval/lm/loss")
    mine, theirs = patient.find("lm/token_accuracy"), patient.find("eval/lm/token_accuracy")
    epoch = patient.find("progress/epoch")
    if held_out is None or mine is None or theirs is None or epoch is None:
        return None
    if epoch.last < SEEN_AGAIN or min(len(loss), len(mine)) < MANY_POINTS:
        return None
    if min(len(held_out), len(theirs)) < MIN_EVALUATIONS:
        return None
    trained, other = _level(loss), _level(held_out)
    right, easier = _level(mine), _level(theirs)
    if other > HALF_AS_HARD * trained or easier - right < EASIER or trained < HARD:
        return None
    if not is_flat(loss.values[len(loss) // 2 :], within=NO_LONGER_FALLS * trained):
        return None
    return Hit(
        series=loss.name,
        span=Stretch(len(loss) // 2, len(loss) - 1, 0).span(loss),
        message=f"training loss stays at {trained:.2g} with {right:.0%} of the tokens right, but "
        f"held-out loss is {other:.2g} with {easier:.0%} right: the training labels look wrong",
        advice="read twenty training samples with a high loss next to their labels",
        severity="warning",
        causes=("wrong answers in the training data", "held-out data is easier"),
        also=(held_out.name,),
    )


def _level(series: Series) -> float:
    return late_median(series.values, THIRD)
