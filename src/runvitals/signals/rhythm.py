"""Does a series swing: from point to point, or with a period?"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.signals.robust import finite, monotone, spread

MIN_POINTS = 24
MIN_ALTERNATING = 8  # points, for a correlation of neighbours (judgement)
BACK_AND_FORTH = -0.6  # lag-1 correlation: 1% of series of noise come so low (by simulation)
MAX_ALIKE = 0.95  # lag-1 correlation; beyond it the lowest frequencies are held for rhythms
WILD = 4.0  # spreads, beyond which a point counts no more


def alternation(values: FloatArray) -> float:
    """The lag-1 correlation around the series' own curve; near -1 it jumps back and forth."""
    values = finite(values)
    if len(values) < MIN_ALTERNATING:
        return 0.0
    rest = _rest(values)
    power = float(rest @ rest)
    return float(rest[1:] @ rest[:-1]) / power if power > 0 else 0.0


def oscillates(values: FloatArray) -> bool:
    """Whether a series jumps back and forth more than noise does: an alternation below -0.6.

    False alarms: at most 1%.
    """
    values = finite(values)
    return len(values) >= MIN_POINTS and alternation(values) < BACK_AND_FORTH


class Period(NamedTuple):
    """A rhythm: its length in points, its share of the power, and how likely noise gives as much."""

    points: float
    share: float
    p: float


def period(values: FloatArray, *, p: float = 0.01) -> Period | None:
    """The strongest rhythm of a series, if noise as wandering as the series would hardly give it.

    Fisher's test on the periodogram, divided by that of an AR(1) process with the series' own lag-1
    correlation.

    False alarms: at most 3% at the usual `p`.
    """
    values = finite(values)
    n = len(values)
    if n < MIN_POINTS:
        return None
    rest = _rest(values)
    total = float(rest @ rest)
    if total <= 0:
        return None
    power = np.square(np.abs(np.fft.rfft(rest - rest.mean())))[1 : (n - 1) // 2 + 1]
    at = 2.0 * math.pi * np.arange(1, len(power) + 1) / n
    lag_1 = min(max(float(rest[1:] @ rest[:-1]) / total, 0.0), MAX_ALIKE)
    whitened = power * (1.0 + lag_1**2 - 2.0 * lag_1 * np.cos(at))
    peak = int(np.argmax(whitened))
    share = float(whitened[peak] / whitened.sum())
    m = len(whitened)
    chance = min(1.0, m * (1.0 - share) ** (m - 1))
    if chance >= p or peak < 2:  # fewer than three swings are not a rhythm
        return None
    return Period(n / (peak + 1), float(power[peak] / power.sum()), chance)


def _rest(values: FloatArray) -> FloatArray:
    rest = values - monotone(values)
    bound = WILD * spread(rest)
    return np.clip(rest, -bound, bound) if bound > 0 else rest
