from runvitals.rules.held_out import known_by_heart, passes
from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.sft import training_loss

OF_CLASSES = ("supervised/accuracy", "eval/supervised/accuracy")


@rule("SFT005", verdict="overfitting", needs=["lm/loss|optim/loss"], min_points=3)
def sft_memorised(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """Training loss is next to 0 after many epochs: the samples have been memorised.

    ## What it looks for
    After more than three passes over the data, the training loss of a language model is surely
    below 0.15 nats per token (`limit`), and no held-out outcome is good.

    It does not count if the loss was that low before the first pass was done, since then samples
    can be predicted before they are seen. Classifiers, whose loss may well reach 0, are left out.

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
    if loss is None or patient.kind != "sft" or patient.find(*OF_CLASSES) is not None:
        return None
    found = known_by_heart(patient, loss, limit)
    if found is None:
        return None
    held_out = patient.held_out
    beside = ", and nothing held out was logged"
    if held_out is not None:
        beside = f", and {held_out.series.name} is {held_out.shown(held_out.course.now):.2g}"
    return found.hit(
        f"after {passes(patient):.3g} passes over the data, training loss is {found.level:.2g}: the "
        f"samples are memorised{beside}",
        advice="hold out a tenth of the data, and train for one to three epochs",
        causes=("too many epochs", "too few samples", "no held-out data"),
        also=() if held_out is None else (held_out.series.name,),
    )
