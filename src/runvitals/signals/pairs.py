"""Two series of one run: do they part ways, and which of them moves first?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from runvitals.model.row import FloatArray, IntArray
from runvitals.model.series import Series

DIGITS = 12  # of a correlation; the rest is rounding
MIN_RANKS = 3  # points, whose order is more than one pair's


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


def at_common_steps(series: Sequence[Series]) -> tuple[IntArray, FloatArray]:
    """The steps that all of these series have, and their values there: a row for each series."""
    common = series[0].steps
    for one in series[1:]:
        if not np.array_equal(common, one.steps):
            common = np.intersect1d(common, one.steps)
    return common, np.array([one.values[np.searchsorted(one.steps, common)] for one in series])


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
    """Ranks; ties share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = counts.cumsum()
    shared = ends - (counts - 1) / 2.0
    result: FloatArray = shared[inverse]
    return result
