"""Two series of one run: do they part ways, and which of them moves first?"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.model.series import Series
from runvitals.signals.flat import is_flat
from runvitals.signals.robust import MAD_TO_STD, autocorrelation_time, median, monotone
from runvitals.signals.trend import trend

MIN_POINTS = 12
DIGITS = 12  # of a correlation; the rest is rounding
MIN_RANKS = 3  # points, whose order is more than one pair's
OVERLAP = 3  # a third of the points at most is how far two series are shifted
ERROR_TAKES = 3.0  # points: Fisher's z of n pairs has the variance 1 / (n - 3)
MAX_CORRELATION = 0.9999  # above it Fisher's z is next to infinite
WILD = 4.0  # spreads, beyond which a point counts no more


def aligned(one: Series, other: Series) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Steps and values of two series at the steps of the sparser one; the other's latest value counts.

    Steps before both have a value are left out, and values that are not finite.
    """
    steps, mine, theirs = aligned_all(one, other)
    return steps, mine, theirs


def aligned_all(*series: Series) -> tuple[FloatArray, ...]:
    """The same for any number of series: the steps, and the values of each in the order given."""
    finite = [one.finite() for one in series]
    if not all(map(len, finite)):
        return (np.empty(0),) * (1 + len(finite))
    steps = min(finite, key=len).steps
    latest = [np.searchsorted(one.steps, steps, side="right") - 1 for one in finite]
    keep = np.all([at >= 0 for at in latest], axis=0)
    values = (one.values[at[keep]] for one, at in zip(finite, latest, strict=True))
    return steps[keep].astype(np.float64), *values


def ratio(one: Series, other: Series) -> Series:
    """One series divided by another, where that is positive, under the name of the first."""
    steps, mine, theirs = aligned(one, other)
    keep = theirs > 0
    at = steps[keep].astype(np.int64)
    times = np.full(len(at), math.nan)
    return Series(one.name, at, mine[keep] / theirs[keep], times, one.metric, one.labels)


def correlation(one: FloatArray, other: FloatArray) -> float:
    """Pearson's; 0 if one of them never varies. Scaled first: squares of tiny numbers would be 0.

    >>> correlation(np.array([1e-300, 2e-300, 3e-300]), np.array([1.0, 2.0, 3.0]))
    1.0
    """
    wide, tall = float(np.ptp(one)), float(np.ptp(other))
    if not wide > 0 or not tall > 0:
        return 0.0
    near, far = (one - one.min()) / wide, (other - other.min()) / tall
    return round(float(np.corrcoef(near, far)[0, 1]), DIGITS)


def rank_correlation(one: FloatArray, other: FloatArray) -> float:
    """Spearman's correlation of two arrays of one length; 0 if either never varies."""
    if len(one) < MIN_RANKS:
        return 0.0
    ranks = [_ranks(np.asarray(values, np.float64)) for values in (one, other)]
    a, b = (rank - rank.mean() for rank in ranks)
    power = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / power if power > 0 else 0.0


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks with ties shared."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = counts.cumsum()
    shared = ends - (counts - 1) / 2.0
    result: FloatArray = shared[inverse]
    return result


def parts_from(one: Series, other: Series, *, within: float, effect: float = 1.0) -> bool:
    """Whether one series rises while the other stands still (inside `within`) or falls."""
    _, mine, theirs = aligned(one, other)
    if len(mine) < MIN_POINTS or not trend(mine, effect=effect).up:
        return False
    return trend(theirs, effect=effect).down or is_flat(theirs, within)


class Lag(NamedTuple):
    """Which series is ahead (`points` > 0: the first), how strongly, and how likely by chance."""

    points: int
    correlation: float
    p: float


def lead_lag(one: FloatArray, other: FloatArray, *, most: int = 20) -> Lag:
    """The shift at which two series of one length agree best, each around its own curve.

    False alarms: at most 8% of independent pairs get a `p` below 0.05.
    """
    n = len(one)
    if n < MIN_POINTS:
        return Lag(0, 0.0, 1.0)
    a, b = (_normal(values - monotone(values)) for values in (np.asarray(one), np.asarray(other)))
    most = min(most, n // OVERLAP)
    shifts = range(-most, most + 1)
    found = [_overlap(a, b, shift) for shift in shifts]
    best = int(np.argmax(np.abs(found)))
    tau = max(autocorrelation_time(a), autocorrelation_time(b))
    independent = max(ERROR_TAKES + 1, (n - abs(shifts[best])) / tau)
    z = math.atanh(min(abs(found[best]), MAX_CORRELATION)) * math.sqrt(independent - ERROR_TAKES)
    tries = max(1.0, len(found) / tau)
    chance = min(1.0, tries * math.erfc(z / math.sqrt(2.0)))
    return Lag(shifts[best], found[best], chance)


def _overlap(a: FloatArray, b: FloatArray, shift: int) -> float:
    """Correlation of a with b `shift` points later."""
    x, y = (a[: len(a) - shift], b[shift:]) if shift >= 0 else (a[-shift:], b[: len(b) + shift])
    power = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / power if power > 0 else 0.0


def _normal(values: FloatArray) -> FloatArray:
    middle = values - median(values)
    bound = WILD * median(np.abs(middle)) * MAD_TO_STD
    return np.clip(middle, -bound, bound) if bound > 0 else middle
