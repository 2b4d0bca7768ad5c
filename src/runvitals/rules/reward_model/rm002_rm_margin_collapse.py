"""RM002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.learning_rate import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.robust import running_median


@rule(
    "RM002",
    "rm-margin-collapse",
    severity="warning",
    needs=["rm/margin|rm/accuracy"],
    families=["reward-model"],
)
def rm_margin_collapse(patient: Patient, *, margin_min: float | None = None) -> Iterator[Hit]:
    """The reward model could tell good from bad, and no longer can.

    ## What it looks for
    A margin that was above 0.2 and is now below a tenth of its best level (`margin_min`: below
    that), or an accuracy that fell from 0.7 or more to below 0.57, for the last fifth of the run.

    ## Why it matters
    A judge without a margin gives every answer the same reward.

    ## Usual causes
    1. Learning rate too high, or it jumped.
    2. Too strong a regulariser on the scores.
    3. Easy pairs are used up.
    4. The score head is saturated or clipped.

    ## What to try
    Go back to the best checkpoint; lower the learning rate; look at the histogram of scores.

    ## When to ignore it
    A change to much harder pairs on purpose.

    ## Sources
    Training Metrics Glossary (margin towards zero).
    """
    margin, accuracy = patient.find("rm/margin"), patient.find("rm/accuracy")
    bound = patient.limit(margin_min, otherwise=0.1, why="a tenth of the best margin")
    hit = None
    if margin is not None:
        levels = _levels(margin)
        line = margin_min if margin_min is not None else 0.1 * float(levels.max())
        if len(margin) >= 15 and levels.max() >= 0.2 and _gone(margin, line):
            hit = margin, f"margin fell from {levels.max():.3g} to {levels[-1]:.2g}"
    if hit is None and accuracy is not None and len(accuracy) >= 15:
        levels = _levels(accuracy)
        if levels.max() >= 0.7 and levels[-1] < 0.57 and _gone(accuracy, 0.62):
            hit = accuracy, f"accuracy fell from {levels.max():.0%} to {levels[-1]:.0%}"
    if hit is None:
        return
    series, words = hit
    best = int(np.argmax(_levels(series)))
    yield Hit(
        series=series.name,
        span=Stretch(best, len(series) - 1, 0).span(series),
        message=f"{words} since step {int(series.steps[best]):,}",
        advice=f"go back to the best checkpoint and lower the learning rate{rate_hint(patient)}",
        causes=("learning rate too high", "scores over-regularised", "score head saturated"),
        limit=bound if series is margin else None,
    )


def _levels(series: Series) -> np.ndarray:
    return running_median(series.values, max(3, min(10, len(series) // 5)))


def _gone(series: Series, line: float) -> bool:
    tail = series.values[-max(5, len(series) // 5) :]
    return float(np.median(tail)) < line and float(np.mean(tail < max(line, 1e-9))) >= 0.8
