"""Values against what the episodes of the log give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from runvitals.model import Series, Span
from runvitals.rules.patient import Patient
from runvitals.rules.value._kit import MIN_POINTS, PERSIST, lasting, span_at
from runvitals.signals.crossing import sustained_above
from runvitals.signals.pairs import aligned_all

FACTOR = 2.0  # times what the episodes give (judgement)
UNDECIDED = (
    1 / 10
)  # of the run at its start, when values are still those of a new network (judgement)
SAME_UNIT = 2.0  # times, up to which sums of rewards and returns may differ (judgement)


class Promise(NamedTuple):
    """Values that promise more than the episodes give, to the end of the log."""

    span: Span
    value: float
    paid: float


def broken_promise(patient: Patient, value: Series) -> Promise | None:
    """Whether values stay beyond twice what a state visited in these episodes can expect.

    Long episodes are visited more often: over states the mean return is that of episodes, weighted by
    their length, which is the mean plus the variance over the mean where rewards are steady. Only
    where rewards and returns are in one unit, and while the outcome is not doing well.
    """
    mean, spread = patient.find("outcome/return_mean"), patient.find("outcome/return_std")
    if mean is None or spread is None or patient.health.silent:
        return None
    if patient.health.good or not _same_unit(patient, mean):
        return None
    steps, values, means, stds = aligned_all(value, mean, spread)
    count = len(steps)
    if count < MIN_POINTS:
        return None
    size = np.clip(np.abs(means), 1e-9, 1e100)
    most = size + np.square(np.clip(stds, 0.0, 1e100) / size) * size
    beyond = np.minimum(np.abs(values), 1e100) / most
    beyond[: int(UNDECIDED * count)] = 0.0
    stretch = lasting(sustained_above(beyond, FACTOR), count)
    if stretch is None:
        return None
    return Promise(span_at(value, steps, stretch), float(values[-1]), float(means[-1]))


def _same_unit(patient: Patient, returns: Series) -> bool:
    """Whether rewards, summed over an episode, are the returns that were logged."""
    reward, length = patient.find("reward/mean"), patient.find("outcome/episode_length_mean")
    if reward is None or length is None or len(returns) < PERSIST:
        return False
    total = float(np.median(reward.values)) * float(np.median(length.values))
    seen = float(np.median(returns.values))
    return seen != 0 and 1 / SAME_UNIT <= total / seen <= SAME_UNIT
