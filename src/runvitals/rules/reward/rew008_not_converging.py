from collections.abc import Iterator

import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, rule, short_number, stretch
from runvitals.rules.outcome.course import LARGE, course
from runvitals.rules.reward import far_enough

AS_WIDE = 0.7  # of the first changes: they do not shrink (judgement)
TRENDS = {"reward/trend": ("reward/mean",), "optim/loss_trend": ("policy/loss_total", "optim/loss")}


@rule("REW008", needs=["|".join(TRENDS)], excused_by_outcome=True, min_points=8, waits=True)
def not_converging(patient: Patient) -> Iterator[Hit]:
    """Logged changes per epoch turn negative or stay as wide as ever: training does not settle.

    ## What it looks for
    The change of reward or loss per epoch, if a tool logs it, from 8 epochs and half of the plan on:

    - rewards that add up to a fall, or to a rise and a fall
    - rewards that still change by more than matters (5% of their level), as widely as at first
    - losses that add up to a rise (of a positive loss; a negative one may shrink), or still change by
      10% of their level, as widely as at first

    It is a warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    How good the last checkpoint is becomes a matter of luck.

    ## Usual causes
    1. The learning rate is too high, or constant to the end.
    2. Batches are too small: noise is larger than progress.
    3. A controller oscillates.

    ## What to try
    Let the learning rate decay, or enlarge the batch. Evaluate on more episodes before you act.

    ## When to ignore it
    Outcomes measured on only one or a few episodes.

    ## Sources
    TensorBoard Metrics Reference (RewardTrend and LossTrend should shrink).
    """
    for metric, levels in TRENDS.items():
        changes, level = patient.find(metric), patient.find(*levels)
        words = None if changes is None else _unsettled(changes, level)
        if changes is not None and words is not None and far_enough(patient):
            yield stretch(changes, len(changes) // 2).hit(
                words,
                advice="lower the learning rate, or stop at the best epoch",
                causes=("learning rate too high", "too few samples per epoch"),
            )


def _unsettled(changes: Series, level: Series | None) -> str | None:
    """What is wrong with logged changes, which are above zero where it gets better."""
    is_loss = changes.metric == "optim/loss_trend"
    if is_loss and level is not None and level.last <= 0:
        return None  # a surrogate below zero shrinks as less is to gain
    way = course(np.cumsum(changes.values), "reward")
    if way.falls:
        what = "loss rose" if is_loss else "reward fell"
        return f"{what} by {short_number(way.best - way.now)} from its best to the last epochs"
    half = len(changes) // 2
    first, last = np.quantile(np.abs([changes.values[:half], changes.values[-half:]]), 0.9, axis=1)
    matters = (way if level is None else course(level.values, "reward")).matters
    if last <= max(LARGE * matters if is_loss else matters, AS_WIDE * first):
        return None
    return (
        f"{'loss' if is_loss else 'reward'} still changes by up to {short_number(last)} "
        f"from epoch to epoch, compared to {short_number(first)} at first"
    )
