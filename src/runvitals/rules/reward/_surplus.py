"""What a reward varies by beyond its parts: a sum never spreads wider than its terms together."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.rules.patient import Patient
from runvitals.rules.reward_parts import configured_weights, name_of
from runvitals.signals.robust import spread

MIN_POINTS = 20  # judgement
CHANCE = 4.0  # standard errors of the mean of what is left
REST = 0.1  # of the reward that no part accounts for (judgement)


class Surplus(NamedTuple):
    """The spread of the reward, and how many times that of all its parts together it is."""

    series: Series
    own: float
    parts: float

    @property
    def times(self) -> float:
        """How many times as wide as its parts can make it."""
        return self.own / self.parts


def surplus_of(patient: Patient) -> Surplus | None:
    """The spread against that of the parts; None unless the parts are logged and add up to the mean."""
    for mean, width in (("reward/score_mean", "reward/score_std"), ("reward/mean", "reward/std")):
        total, own = patient.find(mean), patient.find(width)
        if total is None or own is None or len(total) < MIN_POINTS or len(own) < MIN_POINTS:
            continue
        means, widths = _sum(patient, "mean", total), _sum(patient, "std", own)
        if means is None or widths is None or not _adds_up(total.values, means):
            continue
        return Surplus(own, float(np.median(own.values)), float(np.median(widths)))
    return None


def _sum(patient: Patient, what: str, like: Series) -> FloatArray | None:
    """The parts together, weighted if weights are known, at the steps of another series."""
    parts = patient.all(f"reward/component_{what}")
    weights = configured_weights(patient, patient.all("reward/component_mean"))
    if not parts or any(not np.array_equal(part.steps, like.steps) for part in parts):
        return None
    terms = [abs(weights.get(name_of(part), 1.0)) * part.values for part in parts]
    together: FloatArray = np.sum(terms, axis=0)
    return together if float(np.median(together)) > 0 else None


def _adds_up(total: FloatArray, parts: FloatArray) -> bool:
    """Whether the parts are the reward, except for what cancels out on average."""
    rest = total - parts
    chance = CHANCE * spread(rest) / sqrt(len(rest))
    return abs(float(np.median(rest))) <= max(REST * abs(float(np.median(total))), chance)
