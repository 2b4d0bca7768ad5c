"""SFT002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity
from runvitals.model.formatting import short_number
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.sft._loss import training_loss
from runvitals.signals.crossing import Stretch
from runvitals.signals.late import start_median
from runvitals.signals.robust import running_median, wander

MIN_POINTS = 15  # judgement
WIDTH = 6  # a sixth of the points make a level,
MIN_WIDTH, MAX_WIDTH = 3, 10  # within these bounds
HALF = 0.5  # of the progress (judgement)
TWICE = 2.0  # the loss at the start (judgement)
HIGH_FOR = 10  # points (judgement)
MIN_LOSS = 0.05  # nats: below it every batch is a multiple of another
MIN_BACK, TIMES_WANDER = 0.1, 6.0  # of the best loss; times its wandering (judgement)
MIN_BEFORE = 5  # points before a burst
MIN_EVALUATIONS = 4
FIRST = 3  # points, of which the highest is where training began
OF_ITS_KIND = 1.5  # times the first training losses: a held-out loss above is of other data
AT_ITS_LOWEST, FELL = 1.01, 0.98  # times the lowest so far; of the first one
FOREIGN = 5.0  # times the loss at the start (judgement): data of its own kind never get there


@rule(
    "SFT002",
    "sft-diverged",
    severity="critical",
    needs=["outcome"],
    families=["sft"],
)
def sft_diverged(patient: Patient, *, lost: float = HALF) -> Iterator[Hit]:
    """The loss of supervised training has risen again, or shot far above where it began.

    ## What it looks for
    One of these:

    - The smoothed loss has lost more than half (`lost`) of its progress, by more than six times its
      usual drift and at least a tenth of its size, and no held-out loss still falls. It is critical
      if all progress is lost, otherwise a warning.
    - The loss was at more than twice its start for ten points in a row. It is critical if it ends
      above the start, otherwise a warning.
    - A single burst reached five times the loss at the start, after which the held-out loss has
      doubled, even if both recover. It is a warning.

    ## Why it matters
    The weights have left the region where training works. They rarely recover.

    ## Usual causes
    1. The learning rate is too high.
    2. No warm-up.
    3. Several bad batches come in a row.
    4. The number format overflows.

    ## What to try
    Resume from before the minimum with a lower peak learning rate. Clip gradients. Look at the data
    around the turning point.

    ## When to ignore it
    A deliberate change to harder data.

    ## Sources
    Training Metrics Glossary (jumps in the loss); runmedic; trainproof (held-out loss may
    overrule).
    """
    hit = statement(
        patient,
        "SFT002",
        advice=f"lower the learning rate{rate_hint(patient)} or lengthen the warm-up",
        causes=(
            "learning rate too high",
            "no warm-up",
            "several bad batches in a row",
            "numeric overflow",
        ),
    )
    if hit is not None:
        yield hit
        return
    loss = training_loss(patient)
    if loss is None or len(loss) < MIN_POINTS:
        return
    values = loss.values
    width = max(MIN_WIDTH, min(MAX_WIDTH, len(values) // WIDTH))
    levels = running_median(values, width)
    start = max(float(values[0]), start_median(values))
    now, lowest = float(levels[-1]), int(np.argmin(levels))
    best = float(levels[lowest])
    progress, back = start - best, now - best
    high = np.flatnonzero(levels > TWICE * max(start, MIN_LOSS))
    first, message, severity = 0, "", None
    if len(high) >= HIGH_FOR and not _held_out_falls(patient):
        first = int(high[0])
        severity = _end(now, start)
        message = f"the loss rose from {short_number(start)} to {short_number(float(levels.max()))}"
        message += "" if now > start else f" and is back at {short_number(now)}"
    elif progress > 0 and back > lost * progress and back > MIN_BACK * max(best, MIN_LOSS):
        if back < TIMES_WANDER * wander(values) or _held_out_falls(patient):
            return
        first = lowest
        severity = "critical" if back >= progress else "warning"
        message = (
            f"the loss rose from {short_number(best)} to {short_number(now)}; "
            f"it began at {short_number(start)}"
        )
    if not message:
        burst = _burst(patient, loss, start)
        if burst is not None:
            yield burst
        return
    yield Hit(
        series=loss.name,
        span=Stretch(first, len(loss) - 1, 0).span(loss),
        message=message,
        advice=f"lower the learning rate{rate_hint(patient)} or lengthen the warm-up",
        severity=severity,
        causes=(
            "learning rate too high",
            "no warm-up",
            "several bad batches in a row",
            "numeric overflow",
        ),
    )


def _burst(patient: Patient, loss: Series, start: float) -> Hit | None:
    """A few batches so foreign that the model was worse than at its start, and worse for it after."""
    held_out = patient.find("eval/loss", "eval/lm/loss")
    at = int(np.argmax(loss.values))
    if held_out is None or at < MIN_BEFORE or loss.values[at] < FOREIGN * max(start, MIN_LOSS):
        return None
    before = held_out.values[held_out.steps <= loss.steps[at - 1]]
    after = held_out.values[held_out.steps >= loss.steps[at]]
    if not len(before) or not len(after) or after[0] < TWICE * before[-1]:
        return None
    return Hit(
        series=loss.name,
        span=Stretch(at, at, 1).span(loss),
        message=f"the loss jumped from {float(loss.values[at - 1]):.2g} to "
        f"{short_number(float(loss.values[at]))}, {float(loss.values[at]) / start:,.0f} times its "
        f"start, and the held-out loss went from {float(before[-1]):.2g} to {float(after[0]):.2g}",
        advice=f"read the batches before step {int(loss.steps[at]):,}; skip batches with such a loss",
        severity="warning",
        causes=("several bad batches in a row", "labels or template of another kind"),
        also=(held_out.name,),
    )


def _end(now: float, start: float) -> Severity:
    return "critical" if now > start else "warning"


def _held_out_falls(patient: Patient) -> bool:
    """Whether the newest held-out loss is the lowest so far, and lower than the first."""
    held_out = patient.find("eval/loss", "eval/lm/loss")
    loss = training_loss(patient)
    if held_out is None or loss is None or len(held_out) < MIN_EVALUATIONS:
        return False
    values = held_out.values
    lowest = float(np.min(values))
    usual = float(np.max(values)) < OF_ITS_KIND * float(np.max(loss.values[:FIRST]))
    falls = values[-1] <= lowest * AT_ITS_LOWEST and values[-1] < FELL * values[0]
    return bool(usual and falls)
