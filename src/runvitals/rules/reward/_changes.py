"""Changes per epoch, as some tools log them beside the reward and the loss themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.model.formatting import short_number
from runvitals.rules.patient import Patient
from runvitals.signals.late import THIRD, late_median, points_in
from runvitals.signals.robust import noise

MIN_EPOCHS = 8  # that log a change
LAST = 3  # epochs at least since the best one (judgement)
LEVEL, MIN_IN_LEVEL, MAX_IN_LEVEL = 0.05, 2, 10  # of the epochs, which make a level (judgement)
CLEAR = 3.0  # times the noise between epochs
OF_CHANGES = 0.2  # of all that its level has moved: a smaller fall settles (judgement)
AS_WIDE = 0.7  # of the widest changes there were: they do not shrink (judgement)
BEYOND_STEADY = 3.0  # times the mean change: swings, and no climb (judgement)
OF_SCALE = 0.03  # of the level itself, that a change between epochs has to be to matter (judgement)


class Change(NamedTuple):
    """From which epoch on, and what is wrong with it."""

    first: int
    words: str


def reward_trend(patient: Patient, changes: Series) -> Change | None:
    """Rewards that fall in the last epochs, or still swing."""
    if len(changes) < MIN_EPOCHS:
        return None
    if (found := _fall(np.cumsum(changes.values))) is not None:
        since, fell = found
        return Change(since, f"reward fell by {short_number(fell)} {_over(changes, since)}")
    return _swings(patient, changes)


def loss_trend(patient: Patient, changes: Series) -> Change | None:
    """A loss that rises in the last epochs; changes are above zero where it falls."""
    if len(changes) < MIN_EPOCHS:
        return None
    loss = patient.find("policy/loss_total", "optim/loss", "policy/loss")
    if loss is not None and late_median(loss.values) <= 0:
        return None  # a surrogate below zero has no level to keep, and shrinks as less is to gain
    found = _fall(np.cumsum(changes.values))
    if found is None:
        return None
    since, rose = found
    return Change(since, f"loss rose by {short_number(rose)} {_over(changes, since)}")


def _over(changes: Series, since: int) -> str:
    last = changes.values[since + 1 :]
    return f"over the last {len(last)} epochs (it got worse in {int((last < 0).sum())} of them)"


def _fall(course: FloatArray) -> tuple[int, float] | None:
    """Since when and by how much the level lies below its best; None if that may be noise."""
    few = min(MAX_IN_LEVEL, points_in(len(course), LEVEL, MIN_IN_LEVEL))
    levels = np.convolve(course, np.ones(few) / few, mode="valid")
    best = int(np.argmax(levels))
    fell = float(levels[best] - levels[-1])
    since = best + few - 1
    if len(course) - 1 - since < LAST or fell < OF_CHANGES * float(np.ptp(levels)):
        return None
    return (since, fell) if fell >= CLEAR * noise(course) else None


def _swings(patient: Patient, changes: Series) -> Change | None:
    """Changes that stay as wide as they were, to either side of zero."""
    third = points_in(len(changes), THIRD)
    size = np.abs(changes.values)
    early, late = float(np.mean(size[:third])), float(np.mean(size[-third:]))
    gained = abs(float(np.mean(changes.values[-third:])))
    level = patient.find("reward/mean")
    scale = float(np.median(np.abs(level.values))) if level is not None else 1.0
    if late < max(AS_WIDE * early, BEYOND_STEADY * gained, OF_SCALE * scale):
        return None
    words = (
        f"reward still changes by {short_number(late)} from epoch to epoch, "
        f"compared to {short_number(early)} at first"
    )
    return Change(len(changes) - third, words)
