"""Changes per epoch, as some tools log them beside the reward and the loss themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.rules.patient import Patient
from runvitals.signals.late import THIRD, late_median, points_in
from runvitals.signals.robust import spread

LEAST_EPOCHS = 8  # that log a change
LAST_SHARE, LAST_LEAST, LAST_MOST = 0.2, 4, 40  # epochs that are the last ones
CLEAR = 3.0  # standard errors of their sum, each epoch's level by itself
OF_CHANGES = 0.2  # of all that went up before: a smaller fall settles (judgement)
LEVELS = 5  # epochs that make a level (judgement)
AS_WIDE = 0.7  # of the widest changes there were: they do not shrink (judgement)
BEYOND_STEADY = 3.0  # times the mean change: swings, and no climb (judgement)
OF_SCALE = 0.03  # of the level itself, that a change between epochs has to be to matter (judgement)


class Change(NamedTuple):
    """From which epoch on, and what is wrong with it."""

    first: int
    words: str


def reward_trend(patient: Patient, changes: Series) -> Change | None:
    """Rewards that fall in the last epochs, or still swing."""
    if len(changes) < LEAST_EPOCHS:
        return None
    course = np.cumsum(changes.values)
    last = _last(len(course))
    if (fell := _fall(course, last)) is not None:
        down = int((changes.values[-last:] < 0).sum())
        words = f"reward fell by {fell:.3g} over the last {last} epochs, in {down} of them"
        return Change(len(course) - last, words)
    return _swings(patient, changes)


def loss_trend(patient: Patient, changes: Series) -> Change | None:
    """A loss that rises in the last epochs; changes are above zero where it falls."""
    if len(changes) < LEAST_EPOCHS:
        return None
    loss = patient.find("policy/loss_total", "optim/loss", "policy/loss")
    if loss is not None and late_median(loss.values) <= 0:
        return None  # a surrogate below zero has no level to keep, and shrinks as less is to gain
    last = _last(len(changes))
    rose = _fall(np.cumsum(changes.values), last)
    if rose is None:
        return None
    up = int((changes.values[-last:] < 0).sum())
    words = f"loss rose by {rose:.3g} over the last {last} epochs, in {up} of them"
    return Change(len(changes) - last, words)


def _last(epochs: int) -> int:
    return min(LAST_MOST, points_in(epochs, LAST_SHARE, LAST_LEAST))


def _fall(course: FloatArray, last: int) -> float | None:
    """By how much the level fell in the last epochs; None if that may be noise, or hardly anything."""
    few = min(LEVELS, last // 2)
    before, now = course[-last - few : -last], course[-few:]
    if len(before) < 2:
        before = course[:2]
    fell = float(np.mean(before) - np.mean(now))
    steps = np.diff(course)
    bends = steps[1:] - steps[:-1]  # a steady climb or fall is no noise
    noise = spread(bends) / 2 if len(bends) else 0.0
    climbed = float(np.max(course) - np.min(course))
    if fell < CLEAR * noise * np.sqrt(2 / few) or fell < OF_CHANGES * climbed:
        return None
    return fell


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
    words = f"reward still changes by {late:.3g} from epoch to epoch, {early:.3g} at first"
    return Change(len(changes) - third, words)
