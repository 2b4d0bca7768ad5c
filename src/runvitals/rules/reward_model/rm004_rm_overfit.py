"""RM004."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.held_out import drop_from_best, evaluation_noise
from runvitals.signals.late import THIRD, late_mean, points_in

MIN_POINTS, MIN_EVALUATIONS = 12, 5  # judgement
MIN_LATE = 5  # points that tell where training ended
MIN_THIRD = 2  # evaluations
GAP, GROSS = 0.1, 0.2  # of the pairs, between training and held-out ones (judgement)
TIMES_CHANCE = 3  # that the gap has to be
STILL_RISES = 0.02  # of the held-out pairs, from one third to the next
LOSS_ROSE, LOSS_FELL = 0.1, 0.95  # of the best held-out loss; of the loss before (judgement)
ACCURACY_FELL = 0.03  # of the held-out pairs (judgement)


@rule(
    "RM004",
    "rm-overfit",
    severity="warning",
    verdict="overfitting",
    needs=["outcome"],
    families=["reward-model"],
)
def rm_overfit(patient: Patient, *, gap_max: float | None = None) -> Iterator[Hit]:
    """The reward model has memorised its training pairs, and does no better on others.

    ## What it looks for
    A training accuracy at least 0.1 (`gap_max`) above the held-out accuracy, and by more than
    chance for a held-out set of this size. Meanwhile the held-out accuracy does not rise and the
    held-out loss does not fall. If the gap is below 0.2, the held-out loss must clearly have risen,
    or the held-out accuracy fallen.

    ## Why it matters
    The policy will be trained far from these pairs, where memory does not help.

    ## Usual causes
    1. More than one epoch.
    2. Too few pairs, or prompts that are shared only within the training pairs.
    3. A shortcut such as length.
    4. Noisy labels.

    ## What to try
    Train for one epoch. Stop at the best held-out loss. Add pairs. Split by prompt.

    ## When to ignore it
    A held-out set that is deliberately harder.

    ## Sources
    Training Metrics Glossary (validation should track training).
    """
    hit = statement(
        patient,
        "RM004",
        advice="train for one epoch, or stop where the held-out loss is lowest",
        causes=("more than one epoch", "too few pairs", "shortcut such as length"),
    )
    if hit is not None:
        yield hit
        return
    mine, held_out = patient.find("rm/accuracy"), patient.find("eval/rm/accuracy")
    if mine is None or held_out is None:
        return
    if len(mine) < MIN_POINTS or len(held_out) < MIN_EVALUATIONS:
        return
    third = points_in(len(held_out), THIRD, MIN_THIRD)
    late, before = held_out.values[-third:], held_out.values[-2 * third : -third]
    right = float(np.mean(late))
    train = late_mean(mine.values, least=MIN_LATE)
    chance = evaluation_noise(held_out.values, share=True)
    bound = patient.limit(gap_max, otherwise=GAP, why="held-out accuracy should follow training")
    gap = train - right
    if gap < max(bound.value, TIMES_CHANCE * chance):
        return
    if right - float(np.mean(before)) > max(STILL_RISES, chance):
        return
    loss = patient.find("eval/rm/loss", "eval/loss")
    rises = falls = False
    if loss is not None and len(loss) >= MIN_EVALUATIONS:
        drop = drop_from_best(-loss.values)
        rises = drop is not None and drop.sure and drop.size > LOSS_ROSE * abs(drop.best)
        before_that = float(np.mean(loss.values[:-third]))
        falls = float(np.mean(loss.values[-third:])) < LOSS_FELL * before_that
    fallen = drop_from_best(held_out.values, share=True)
    worse = rises or (fallen is not None and fallen.sure and fallen.size > ACCURACY_FELL)
    if not worse and (gap < GROSS or falls):
        return
    yield Hit(
        series=held_out.name,
        span=Stretch(len(held_out) - 2 * third, len(held_out) - 1, 0).span(held_out),
        message=f"{train:.0%} of the training pairs but only {right:.0%} of the held-out pairs are "
        "ranked correctly" + (", and the held-out loss rises" if rises else ""),
        advice="train for one epoch, or stop where the held-out loss is lowest",
        causes=("more than one epoch", "too few pairs", "shortcut such as length"),
        limit=bound,
        also=(mine.name,),
    )
