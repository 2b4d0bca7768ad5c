"""SFT001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.held_out import SCORES
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.sft._loss import training_loss
from runvitals.signals.crossing import Stretch
from runvitals.signals.flat import is_flat
from runvitals.signals.trend import trend

LEAST_SHARE = 0.5  # of the plan
TINY_RATE = 1e-7
SLOW_GAIN, MANY_EPOCHS = 0.1, 10.0
EASIER, HARD = 0.05, 0.1  # token accuracy held-out data may lead by; a training loss worth a look
HIGH_LOSS = 4.0  # nats: what a pretrained model never has on text it can read


@rule(
    "SFT001",
    "sft-not-learning",
    severity="warning",
    needs=["lm/loss|optim/loss"],
    families=["sft"],
)
def sft_not_learning(patient: Patient, *, least_gain: float = 0.02) -> Iterator[Hit]:
    """The loss of supervised training does not fall, or falls and teaches nothing.

    ## What it looks for
    After half of the plan and 30 points: a loss that is flat, less than 2 % (`least_gain`) below
    where it began, without a downward trend. A model may simply start near its best loss, so this
    is a warning only if something else speaks for it: the same data seen twice or more (from ten
    epochs on a gain below 10 % is too little), a learning rate below 1e-7, a loss above 4 nats,
    or a token accuracy below 20 %; else a notice. Apart from that: a held-out loss near 0 with no
    held-out answer right; and held-out data that are predicted far better than the training data,
    by half of the loss and 5 points of token accuracy, although those are seen again and again and
    their loss no longer falls: the training labels contradict each other.

    ## Why it matters
    The run costs what a good one costs, and gives back the model it began with.

    ## Usual causes
    1. Learning rate too small or zero.
    2. Nothing is trainable, or the optimizer never steps.
    3. Labels are shifted twice, misaligned, or wrong.
    4. Only prompt tokens are in the loss.

    ## What to try
    Overfit one batch; print the labels of one sample as text; look at the number of trained
    parameters.

    ## When to ignore it
    Going on with data the model knows.

    ## Sources
    TensorBoard Metrics Reference (the loss should fall and settle); trainproof; SageMaker
    Debugger.
    """
    loss = training_loss(patient)
    if loss is None:
        return
    hit = _flat(patient, loss, least_gain) or _teaches_nothing(patient, loss)
    hit = hit or _wrong_labels(patient, loss)
    if hit is not None:
        yield hit


def _flat(patient: Patient, loss: Series, least_gain: float) -> Hit | None:
    n = len(loss)
    if n < 30 or (patient.progress is not None and patient.progress < LEAST_SHARE):
        return None
    window = max(5, n // 10)
    early, late = float(np.median(loss.values[:window])), float(np.median(loss.values[-window:]))
    early = max(early, float(np.median(loss.values[:3])))
    least_gain = max(least_gain, SLOW_GAIN) if _slow(patient, early, late) else least_gain
    if early <= 0 or late < (1.0 - least_gain) * early or late > 1.1 * early:
        return None
    slow = _slow(patient, early, late)
    if float(loss.values.max()) == 0:
        return None
    if not slow and not is_flat(loss.values, within=least_gain * early):
        return None
    held_out = patient.find("eval/loss", "eval/lm/loss")
    first = float(held_out.values[0]) if held_out is not None and len(held_out) >= 3 else 0.0
    if held_out is not None and held_out.last < (1.0 - least_gain) * first:
        return None
    sign = _sign(patient, late)
    rate = patient.number("learning_rate")
    return Hit(
        series=loss.name,
        span=Stretch(0, n - 1, n).span(loss),
        message=f"the loss went from {early:.3g} to {late:.3g}"
        + (f", with {sign}" if sign else ""),
        advice="overfit one batch, and raise the learning rate"
        + (f" (this run: {rate:g})" if rate is not None else ""),
        severity=None if sign else "notice",
        causes=("learning rate too small", "nothing trainable", "labels misaligned"),
    )


def _slow(patient: Patient, early: float, late: float) -> bool:
    """Whether many epochs over the same data have brought next to nothing."""
    epoch = patient.find("progress/epoch")
    return epoch is not None and epoch.last >= MANY_EPOCHS and late > max(0.1, 0.9 * early)


def _sign(patient: Patient, late: float) -> str:
    """What makes it unlikely that the model is just at its best loss already."""
    rate = patient.find("optim/learning_rate")
    highest = float(rate.values.max()) if rate is not None else patient.number("learning_rate")
    if highest is not None and highest < TINY_RATE:
        return f"a learning rate of {highest:.1g} at most"
    epoch = patient.find("progress/epoch")
    if epoch is not None and epoch.last >= 2:
        return f"{epoch.last:.3g} epochs over the same data"
    accuracy = patient.find("lm/token_accuracy")
    if accuracy is not None and len(accuracy) >= 12 and float(np.median(accuracy.values)) < 0.2:
        return f"{float(np.median(accuracy.values)):.0%} of the tokens right"
    if late > HIGH_LOSS and patient.kind == "sft":
        return "a loss that no pretrained model has on readable text"
    return ""


def _teaches_nothing(patient: Patient, loss: Series) -> Hit | None:
    score, held_out = patient.find(*SCORES), patient.find("eval/loss", "eval/lm/loss")
    accuracy = patient.find("eval/lm/token_accuracy", "lm/token_accuracy")
    if score is None or held_out is None or len(score) < 5 or len(held_out) < 5 or len(loss) < 12:
        return None
    late = score.values[-max(3, len(score) // 2) :]
    sure = held_out.last < 0.1 and (accuracy is None or accuracy.last > 0.95)
    if not sure or float(np.max(late)) > 0.02 or trend(score.values, effect=3.0).up:
        return None
    return Hit(
        series=score.name,
        span=Stretch(len(score) - len(late), len(score) - 1, 0).span(score),
        message=f"held-out loss is {held_out.last:.2g}, and yet {float(np.mean(late)):.1%} of the "
        "held-out answers are right",
        advice="print the labels of one sample beside its tokens: they look shifted",
        severity="critical",
        causes=("labels shifted twice", "training and generation use other templates"),
        also=(held_out.name,),
    )


def _wrong_labels(patient: Patient, loss: Series) -> Hit | None:
    """Clean held-out data are easier than the training data: what is trained on cannot be right."""
    held_out = patient.find("eval/loss", "eval/lm/loss")
    mine, theirs = patient.find("lm/token_accuracy"), patient.find("eval/lm/token_accuracy")
    epoch = patient.find("progress/epoch")
    if held_out is None or mine is None or theirs is None or epoch is None or epoch.last < 2:
        return None
    if min(len(loss), len(mine)) < 30 or min(len(held_out), len(theirs)) < 5:
        return None
    trained, other = _level(loss), _level(held_out)
    right, easier = _level(mine), _level(theirs)
    if other > 0.5 * trained or easier - right < EASIER or trained < HARD:
        return None
    if not is_flat(loss.values[len(loss) // 2 :], within=0.1 * trained):
        return None
    return Hit(
        series=loss.name,
        span=Stretch(len(loss) // 2, len(loss) - 1, 0).span(loss),
        message=f"training loss stays at {trained:.2g} with {right:.0%} of the tokens right, held-out "
        f"loss is {other:.2g} with {easier:.0%}: the training labels look wrong",
        advice="read twenty training samples with a high loss beside their labels",
        severity="warning",
        causes=("wrong answers among the training data", "held-out data are easier"),
        also=(held_out.name,),
    )


def _level(series: Series) -> float:
    return float(np.median(series.values[-max(3, len(series) // 3) :]))
