"""SFT005."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.passes import FIRST_PASS, is_foretold, seen_at
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.sft._loss import training_loss
from runvitals.signals.crossing import Stretch
from runvitals.signals.late import MIN_LATE, TENTH, late_median
from runvitals.signals.trend import trend

LOW = 0.1  # nats per token: perplexity 1.1; texts that differ cannot be foretold so well
MANY_EPOCHS, FEW_EPOCHS = 10.0, 3.0  # judgement: fine-tuning takes 1 to 5
FEW_CLASSES = (
    2.5  # nats: above ln 10, where classifiers begin, which may well reach 0 on new data too
)
FALLEN = 0.25  # of the loss at first (judgement)
# So often nothing new is left in samples that differ: what the loss has lost by then is known by heart,
# even if the model is too small to keep all of it (judgement; Muennighoff et al. 2023: none after 40).
COUNTLESS_EPOCHS, HALF = 50.0, 0.5
NOTHING = 0.01  # nats per token (judgement)
FAR = 5.0  # times the training loss, that of held-out data (judgement)
MIN_HELD_OUT = 0.1  # nats; below it the task is solved
NO_LONGER_BETTER = 1.02  # times its best
HIGH_SCORE = 0.8  # of a held-out share; then the task was learned, and the loss is over-confident
MIN_RISE = 0.05  # of such a share, to count as one that rises
MIN_POINTS = 5  # judgement
FIRST = 3  # points, of which the highest is where it began
MANY_EVALUATIONS = 6  # with this many the best of the last three counts, else the last
OF_TOKENS = ("lm/token_accuracy", "lm/perplexity")
OF_TEXTS = ("trl", "llamafactory", "axolotl", "unsloth", "torchtune")  # they train nothing else
METRIC = "eval/supervised/metric"  # of any name
ERRORS = ("wer", "cer", "ter", "error", "error_rate")
SCORES = (
    "eval/success_rate",
    "eval/supervised/accuracy",
    "eval/supervised/score",
    "eval/lm/sequence_accuracy",
    "eval/lm/token_accuracy",
    "eval/mean_at_n",
    "eval/score_mean",
)


@rule(
    "SFT005",
    "sft-memorised",
    severity="warning",
    verdict="overfitting",
    needs=["lm/loss|optim/loss"],
    families=["sft"],
)
def sft_memorised(patient: Patient, *, limit: float = LOW) -> Iterator[Hit]:
    """Training loss is next to 0 after many epochs: the samples have been memorised.

    ## What it looks for
    A training loss whose last tenth is below 0.1 nats per token (`limit`) and below a quarter of
    where it began.

    **If a held-out loss was logged**, all of these must hold:

    - It is five times as large, above 0.1 nats, and no longer at its best.
    - No held-out share (accuracy and the like) is above 0.8 or rising.

    **If none was logged**, the data must have been seen at least ten times. The loss must be that
    of tokens (token accuracy or perplexity is logged too, or the tool trains language models only),
    or begin above that of ten classes, since a few classes can be separated perfectly. Otherwise it
    is a notice, if the data was seen at least three times. After fifty times, half of the initial
    loss is enough. It is also a notice if the loss was that low before the first pass over the data
    was done: such samples can be predicted before they are seen.

    **Too good too soon** is a notice of its own: without a held-out loss, the training loss falls
    from above 2.5 to below 0.01 nats before the first pass over the data is done. That is right for
    tasks with certain answers, such as copying or sorting. Anywhere else the answers leak, or only
    padding is scored.

    A loss that is 0 from the start is covered by SFT004.

    ## Why it matters
    The model repeats its training samples and gets worse at everything else. Without held-out data
    this goes unnoticed.

    ## Usual causes
    1. Too many epochs over too few samples.
    2. No held-out data, so nothing says when to stop.
    3. Learning rate or adapter rank too high for the data.

    ## What to try
    Hold out a tenth of the data and keep the checkpoint with its lowest loss. Train for one to
    three epochs. Add data.

    ## When to ignore it
    Memorising on purpose, to test the pipeline; answers that follow from the prompt with certainty,
    as in formats and labels.

    ## Sources
    ftdoctor; Tirumala et al. (2022) on memorisation and epochs; public logs of 32 and 100 epochs.
    """
    loss = training_loss(patient)
    if loss is None or len(loss) < MIN_POINTS:
        return
    first, now = float(np.max(loss.values[:FIRST])), late_median(loss.values, TENTH)
    held_out = patient.find("eval/loss", "eval/lm/loss")
    epochs = _epochs(patient)
    countless = held_out is None and epochs >= COUNTLESS_EPOCHS and 0 <= now < HALF * first
    near_nothing = 0 <= now < min(limit, FALLEN * first)
    if not (near_nothing or countless) or float(loss.values.min()) < 0:
        return
    seen = f"after {epochs:.3g} epochs, " if epochs else ""
    below = int(np.argmax(loss.values <= max(limit, HALF * first if countless else 0.0)))
    span = Stretch(below, len(loss) - 1, 0).span(loss)
    if held_out is not None:
        if len(held_out) < 2 or not _is_by_heart(patient, held_out, now):
            return
        yield Hit(
            series=loss.name,
            span=span,
            message=f"{seen}training loss is {now:.2g} but held-out loss {held_out.last:.2g}: "
            "the samples are memorised",
            advice="train for fewer epochs, or add data",
            causes=("too many epochs", "too few samples"),
            also=(held_out.name,),
        )
        return
    of_tokens = first >= FEW_CLASSES or _is_of_tokens(patient, loss)
    foretold = is_foretold(patient, loss, limit)
    if patient.kind == "sft" and first >= FEW_CLASSES and _is_nothing_at_once(patient, loss):
        yield Hit(
            series=loss.name,
            span=span,
            message=f"training loss is down to {now:.2g} from {first:.2g} before all samples were seen "
            "once: right if the answers follow from the prompt, as in copying; else they leak",
            advice="print one batch: do its inputs contain its labels, or is only padding scored?",
            severity="notice",
            causes=(
                "the answer leaks into the input",
                "only padding is scored",
                "all samples are the same",
            ),
        )
        return
    if epochs >= FEW_EPOCHS and patient.kind == "sft":
        yield Hit(
            series=loss.name,
            span=span,
            message=f"{seen}training loss is down to {now:.2g} from {first:.2g}: the samples are "
            "memorised, and no held-out loss was logged",
            advice="hold out a tenth of the data, and train for fewer epochs",
            severity=None if epochs >= MANY_EPOCHS and of_tokens and not foretold else "notice",
            causes=("too many epochs", "too few samples", "no held-out data"),
        )


def _is_of_tokens(patient: Patient, loss: Series) -> bool:
    """Whether what is predicted is text, whose loss is not 0 on new samples, and not a class."""
    if loss.metric == "lm/loss" or patient.find(*OF_TOKENS) is not None:
        return True
    return (patient.run.framework or "").lower() in OF_TEXTS


def _is_nothing_at_once(patient: Patient, loss: Series) -> bool:
    """Whether the loss came down to nothing within the first pass over the data, and stays there."""
    at = int(np.argmax(loss.values <= NOTHING))
    if loss.values[at] > NOTHING or at < MIN_POINTS or late_median(loss.values, TENTH) > NOTHING:
        return False
    seen = seen_at(patient, loss)
    return seen is not None and bool(seen[at] < FIRST_PASS)


def _epochs(patient: Patient) -> float:
    """How often the data were seen; 0 if unknown."""
    seen = patient.find("progress/epoch")
    if seen is not None:
        return seen.last
    planned, progress = patient.number("total_epochs"), patient.progress
    return planned * progress if planned is not None and progress is not None else 0.0


def _is_by_heart(patient: Patient, held_out: Series, now: float) -> bool:
    """Whether what was held out is far worse, does not get better, and is not answered well."""
    recent = MIN_LATE if len(held_out) >= MANY_EVALUATIONS else 1
    there = float(held_out.values[-recent:].min())
    if there < max(MIN_HELD_OUT, FAR * now) or there < NO_LONGER_BETTER * held_out.values.min():
        return False
    for metric in SCORES:
        score = patient.find(metric)
        if score is not None and len(score) >= 2:
            level = late_median(score.values)
            rose = trend(score.values).up and level - float(score.values[0]) >= MIN_RISE
            return level < HIGH_SCORE and not rose
    errors = (*patient.all("eval/supervised/error"), *patient.all("eval/supervised/metric"))
    return not any(
        _fell(series) for series in errors if series.metric != METRIC or _is_error(series)
    )


def _is_error(series: Series) -> bool:
    return series.labels.get("name", "").lower() in ERRORS


def _fell(error: Series) -> bool:
    """Whether an error rate is clearly lower than at first."""
    return late_median(error.values) < (1 - MIN_RISE) * float(error.values[0])
