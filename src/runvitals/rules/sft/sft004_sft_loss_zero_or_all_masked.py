from collections.abc import Iterator

from runvitals.rules.held_out import BY_HEART
from runvitals.rules.kit import Hit, Patient, constant, rule
from runvitals.rules.sft import training_loss


@rule(
    "SFT004", severity="critical", fact=True, verdict="not learning", needs=["lm/loss|optim/loss"]
)
def sft_loss_zero_or_all_masked(patient: Patient, *, least: int = 5) -> Iterator[Hit | None]:
    """The loss is exactly 0: no label counts, or a filter hides NaN.

    ## What it looks for
    Either of these:

    - A loss of exactly 0 at the last five points (`least`) or more, either from the start or
      straight after a loss above 0.15. A loss that fell slowly to 0 is memorisation (SFT005).
    - A token accuracy of exactly 0 at four times as many points.

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
    loss, accuracy = training_loss(patient), patient.find("lm/token_accuracy")
    zero, wrong = constant(loss, least, value=0.0), constant(accuracy, 4 * least, value=0.0)
    before = float(zero.series.values[zero.first - 1]) if zero and zero.first else None
    if zero and before is None:
        yield zero.hit(
            f"the loss is exactly 0 at {zero.count:,} points from the start",
            advice="decode the unmasked labels of one batch",
            causes=("every label is masked", "answers cut off", "overflow hidden by a filter"),
        )
    elif zero and before is not None and before > BY_HEART:
        yield zero.hit(
            f"the loss is exactly 0 at {zero.count:,} points; it was {before:.2g} before",
            advice="look for NaN in the gradients; the logger may show 0 for it",
            causes=("overflow hidden by a filter", "every label is masked"),
        )
    yield wrong and wrong.hit(
        f"token accuracy is exactly 0 at the last {wrong.count:,} points",
        advice="decode the labels of one batch next to its tokens",
        causes=("every label is masked", "labels misaligned"),
    )
