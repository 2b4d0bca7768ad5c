from runvitals.rules.held_out import BY_HEART, NEVER, SCORES, left_behind
from runvitals.rules.kit import Hit, Patient, below, rule, stretch
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.outcome.health import statement

CAUSES = ("learning rate too low", "nothing trainable", "labels misaligned")
EASIER = 0.05  # of the tokens, by which held-out ones are predicted better (judgement)


@rule("SFT001", verdict="not learning", needs=["outcome"])
def sft_not_learning(patient: Patient) -> Hit | None:
    """The loss of supervised training does not fall, or falls without teaching anything.

    ## What it looks for
    One of these:

    - A loss or accuracy stayed where it began: allowing for noise, a change that matters (2% of a
      loss) is unlikely. A few points that are all the same are enough. A held-out accuracy that was
      high from the start does not excuse a training loss that never fell.
    - The held-out loss is below 0.15 nats, but next to no held-out answer is right.
    - Held-out tokens are surely predicted better than training tokens, by 5 points. Then the
      training labels contradict each other.

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
    advice = f"overfit one batch, and raise the learning rate{rate_hint(patient)}"
    hit = _never_right(patient) or statement(patient, "SFT001", advice=advice, causes=CAUSES)
    return hit or _wrong_labels(patient)


def _wrong_labels(patient: Patient) -> Hit | None:
    mine, theirs = patient.find("lm/token_accuracy"), patient.find("eval/lm/token_accuracy")
    easier = left_behind(theirs, mine, EASIER)
    if easier is None or theirs is None:
        return None
    return easier.hit(
        f"{easier.level:.0%} of the training tokens but {easier.before:.0%} of the held-out tokens are "
        "predicted correctly: the training labels look wrong",
        advice="read twenty training samples with a high loss next to their labels",
        causes=("wrong answers in the training data", "held-out data is easier"),
        also=(theirs.name,),
    )


def _never_right(patient: Patient) -> Hit | None:
    score, held_out = patient.find(*SCORES), patient.find("eval/loss", "eval/lm/loss")
    if score is None or held_out is None or below(held_out, BY_HEART, to_end=True) is None:
        return None
    half = len(score) // 2
    right = float(score.values[half:].max())
    if right > NEVER:
        return None
    return stretch(score, half).hit(
        f"held-out loss is {held_out.last:.2g}, but only {right:.1%} of the held-out answers "
        "are right at best",
        advice="print the labels of one sample next to its tokens: they look shifted",
        severity="critical",
        causes=("labels shifted twice", "training and generation use different templates"),
        also=(held_out.name,),
    )
