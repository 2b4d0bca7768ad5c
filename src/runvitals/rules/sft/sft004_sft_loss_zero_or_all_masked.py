"""SFT004."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.sft._loss import training_loss
from runvitals.signals.crossing import Stretch, frozen, lasting

MIN_POINTS = 5  # points of exactly 0 (judgement)
LAST = 2  # points: a last row of another kind may follow
BEFORE = 3  # points before it, of which none may be small
MIN_ACCURACIES = 20  # points of exactly 0 (judgement)
SMALL = 0.02  # nats: from here a model that knows its data may well round to 0


@rule(
    "SFT004",
    "sft-loss-zero-or-all-masked",
    severity="critical",
    needs=["lm/loss|optim/loss"],
    families=["sft"],
)
def sft_loss_zero_or_all_masked(patient: Patient, *, least: int = MIN_POINTS) -> Iterator[Hit]:
    """The loss is exactly 0: no label counts, or a filter hides NaN.

    ## What it looks for
    Either of these:

    - A loss of exactly 0 at five points in a row (`least`) up to the end, either from the start or
      straight after a loss above 0.02. A loss that fell slowly to 0 is memorisation, which this
      rule does not cover.
    - A token accuracy of exactly 0 for 20 points.

    ## Why it matters
    Nothing is trained, and the log looks perfect.

    ## Usual causes
    1. A chat template without generation markers, so that every label is ignored.
    2. Truncation cuts off the answers.
    3. The number format overflowed, and the logger shows 0 for NaN.
    4. The index for ignored labels is a real token.

    ## What to try
    Decode the unmasked labels of one batch. Check the gradient norm for NaN.

    ## When to ignore it
    Memorised data, with a loss that rounds to 0.

    ## Sources
    ftdoctor; trainproof; TRL on assistant-only loss.
    """
    loss = training_loss(patient)
    if loss is None:
        return
    for stretch in frozen(loss.values, least=max(2, least)):
        if loss.values[stretch.first] != 0 or not lasting([stretch], len(loss), least=LAST):
            continue
        before = loss.values[max(0, stretch.first - BEFORE) : stretch.first]
        if len(before) and float(np.min(before)) <= SMALL:
            continue
        since = f"; it was {float(before[-1]):.2g} before" if len(before) else " from the start"
        yield Hit(
            series=loss.name,
            span=stretch.span(loss),
            message=f"the loss is exactly 0 at {stretch.beyond:,} points{since}",
            advice="decode the unmasked labels of one batch"
            if not len(before)
            else "look for NaN in the gradients; the logger may show 0 for it",
            causes=("every label is masked", "answers cut off", "overflow hidden by a filter")
            if not len(before)
            else ("overflow hidden by a filter", "every label is masked"),
        )
        return
    accuracy = patient.find("lm/token_accuracy")
    if accuracy is None or len(accuracy) < MIN_ACCURACIES:
        return
    n, last = len(accuracy), MIN_ACCURACIES
    if not accuracy.values[-last:].any():
        yield Hit(
            series=accuracy.name,
            span=Stretch(n - last, n - 1, last).span(accuracy),
            message=f"token accuracy is exactly 0 at the last {last} points",
            advice="decode the labels of one batch next to its tokens",
            causes=("every label is masked", "labels misaligned"),
        )
