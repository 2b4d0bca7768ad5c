import numpy as np

from runvitals.rules.kit import SURE, Hit, Patient, rule, stretch
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.signals.level import read_level

LEFT = 0.2  # of the best margin (judgement)
MIN_MARGIN = 0.2  # that it once had: a smaller one is hardly more than noise


@rule("RM002", verdict="collapsed", needs=["rm/margin|rm/accuracy"], min_points=15)
def rm_margin_collapse(patient: Patient, *, margin_min: float | None = None) -> Hit | None:
    """The reward model could tell good from bad, and no longer can.

    ## What it looks for
    A margin that was surely above 0.2 is now surely below a fifth of its best level (or below
    `margin_min`, if you set it). The same for what accuracy has above one half.

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
    for metric, chance, words in (("rm/margin", 0.0, "margin"), ("rm/accuracy", 1 / 2, "accuracy")):
        series = patient.find(metric)
        if series is None:
            continue
        level = read_level(series.values)
        best, now = level.best - chance, level.end - chance
        least = LEFT * best if margin_min is None or chance else margin_min
        if float(np.mean((best > MIN_MARGIN) & (now < least))) < SURE:
            continue
        top = min(int(level.rows[: level.best_block].sum()), len(series) - 1)
        return stretch(series, top).hit(
            f"{words} fell from {float(np.median(level.best)):.3g} to "
            f"{float(np.median(level.end)):.2g} since step {int(series.steps[top]):,}",
            advice=f"go back to the best checkpoint and lower the learning rate{rate_hint(patient)}",
            causes=("learning rate too high", "scores over-regularised", "score head saturated"),
        )
    return None
