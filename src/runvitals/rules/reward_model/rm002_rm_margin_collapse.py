"""RM002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.late import FIFTH, late, points_in
from runvitals.signals.robust import running_median

MIN_POINTS = 15  # judgement
TENTH_OF_BEST = 0.1  # of the best margin (judgement)
MIN_MARGIN = 0.2  # that it once had: a smaller one is hardly more than noise
RIGHT_ONCE, NEAR_CHANCE = 0.7, 0.57  # accuracy before and now (judgement)
LOST = 0.62  # accuracy below which it has to stay (judgement)
MIN_WIDTH, MAX_WIDTH = 3, 10  # points that make a level
MIN_LATE = 5  # points that tell where it ended
NEARLY_ALL = 0.8  # of them


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
    For the last fifth of the run, either of these:

    - A margin that was above 0.2 is now below a tenth of its best level (or below `margin_min`, if
      you set it).
    - An accuracy fell from at least 0.7 to below 0.57.

    ## Why it matters
    A judge without a margin gives every answer the same reward.

    ## Usual causes
    1. The learning rate is too high, or it jumped.
    2. Scores are regularised too strongly.
    3. The easy pairs are used up.
    4. The score head is saturated or clipped.

    ## What to try
    Go back to the best checkpoint. Lower the learning rate. Look at the histogram of scores.

    ## When to ignore it
    A deliberate change to much harder pairs.

    ## Sources
    Training Metrics Glossary (margin towards zero).
    """
    margin, accuracy = patient.find("rm/margin"), patient.find("rm/accuracy")
    bound = patient.limit(margin_min, otherwise=TENTH_OF_BEST, why="a tenth of the best margin")
    hit = None
    if margin is not None:
        levels = _levels(margin)
        line = margin_min if margin_min is not None else TENTH_OF_BEST * float(levels.max())
        enough = len(margin) >= MIN_POINTS and levels.max() >= MIN_MARGIN
        if enough and _gone(margin, line):
            hit = margin, f"margin fell from {levels.max():.3g} to {levels[-1]:.2g}"
    if hit is None and accuracy is not None and len(accuracy) >= MIN_POINTS:
        levels = _levels(accuracy)
        fell = levels.max() >= RIGHT_ONCE and levels[-1] < NEAR_CHANCE
        if fell and _gone(accuracy, LOST):
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
    width = min(MAX_WIDTH, points_in(len(series), FIFTH, MIN_WIDTH))
    return running_median(series.values, width)


def _gone(series: Series, line: float) -> bool:
    tail = late(series.values, least=MIN_LATE)
    below = float(np.mean(tail < max(line, 1e-9)))
    return float(np.median(tail)) < line and below >= NEARLY_ALL
