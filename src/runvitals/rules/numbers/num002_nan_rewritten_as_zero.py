import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, rule, stretch
from runvitals.signals.frozen import Frozen, frozen

MOST = 0.8  # of the steps in question (judgement)
LONG = 3  # times the usual interval: a gap, and no jitter (judgement)
LOSSES = ("lm/loss", "preference/loss", "rm/loss", "supervised/loss", "optim/loss")


@rule(
    "NUM002",
    severity="critical",
    verdict="diverged",
    fact=True,
    needs=["lm/loss|preference/loss|rm/loss|supervised/loss|optim/loss"],
    families=["supervised"],
)
def nan_rewritten_as_zero(patient: Patient, *, points: int = 5) -> Hit | None:
    """The loss reads exactly 0 because the trainer hides that it is NaN.

    ## What it looks for
    A loss of exactly 0.0 for at least five points in a row, while the gradient norm at those steps
    is NaN or infinite, or is missing although it was logged before.

    ## Why it matters
    The Hugging Face Trainer replaces a NaN loss by an average, which becomes 0. The curve looks
    like perfect learning, but the model is ruined.

    ## Usual causes
    1. Weights in fp16 without a loss scaler.
    2. A loss that overflows, hidden by `logging_nan_inf_filter`.

    ## What to try
    Set `logging_nan_inf_filter=False` and run ten steps again. Train in bf16. Check that the labels
    are not all masked.

    ## When to ignore it
    Never, if the gradient norm is NaN.

    ## Sources
    The Hugging Face Trainer's source; TensorBoard Metrics Reference (loss falls and settles).
    """
    for metric in LOSSES:
        loss = patient.find(metric)
        if loss is None:
            continue
        zeros = [one for one in frozen(loss.values, least=points) if loss.values[one.first] == 0.0]
        hidden = [one for one in zeros if _no_gradient(patient, loss, one, points)]
        if not hidden:
            continue
        longest = max(hidden, key=lambda one: one.points)
        found = stretch(loss, longest.first, longest.last)
        return found.hit(
            f"loss is exactly 0 at {longest.points:,} points from step {found.step:,}, "
            "where the gradient norm is not a number",
            advice="set logging_nan_inf_filter=False to see the NaN, and train in bf16",
            causes=("fp16 weights without a loss scaler", "an overflow hidden by the NaN filter"),
        )
    return None


def _no_gradient(patient: Patient, loss: Series, where: Frozen, points: int) -> bool:
    steps = loss.steps[where.first : where.last + 1]
    norms = [patient.raw(metric) for metric in ("optim/grad_norm", "policy/grad_norm")]
    norm = next((series for series in norms if series is not None and len(series)), None)
    if norm is None:
        return False
    here = np.isin(norm.steps, steps)
    if here.any():
        return bool((~np.isfinite(norm.values[here])).mean() >= MOST)
    before = np.isfinite(norm.values[norm.steps < steps[0]]).sum()
    usual = float(np.median(np.diff(norm.steps))) if len(norm) > 2 else np.inf
    return bool(before >= points and steps[-1] - steps[0] > LONG * usual)
