"""The shape of a histogram: where its middle is, how lopsided it is, how much its tails hold.

All functions take bin edges (one more than counts, rising) and counts. They depend little on how
values were binned: two histograms of the same values, in 30 even bins or in TensorBoard's 1,500 that
grow by a tenth each, give nearly the same numbers. NaN where nothing varies.
"""

from __future__ import annotations

import math

import numpy as np

from runvitals.model.row import FloatArray

SKEW, KURTOSIS, OF_A_GAUSSIAN = 3, 4, 3.0  # moments, and the fourth of a Gaussian
MIDDLE = 1 / 2  # the median, as a quantile
FARTHEST = 0.05  # of the values: what a tail is
TAIL_OF_A_GAUSSIAN = 0.147  # of all distances from the median, held by its farthest 5%


def mean(edges: FloatArray, counts: FloatArray) -> float:
    """The mean of the values, each counted as the middle of its bin.

    >>> mean(np.array([-0.5, 0.5, 1.5]), np.array([30.0, 10.0]))
    0.25
    """
    total = float(counts.sum())
    return float(counts @ _middles(edges) / total) if total > 0 else math.nan


def quantile(edges: FloatArray, counts: FloatArray, share: float) -> float:
    """The value below which this share of all lies; within a bin values are spread evenly.

    >>> quantile(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0]), 0.5)
    1.3333333333333333
    """
    below = np.concatenate([[0.0], np.cumsum(counts)])
    if not below[-1] > 0:
        return math.nan
    wanted = share * below[-1]
    bin_ = int(np.clip(np.searchsorted(below, wanted, side="left") - 1, 0, len(counts) - 1))
    part = (wanted - below[bin_]) / counts[bin_] if counts[bin_] > 0 else 0.0
    return float(edges[bin_] + part * (edges[bin_ + 1] - edges[bin_]))


def spread(edges: FloatArray, counts: FloatArray) -> float:
    """The standard deviation of the values, each counted as the middle of its bin."""
    away = _middles(edges) - mean(edges, counts)
    return math.sqrt(float(counts @ np.square(away)) / float(counts.sum()))


def skew(edges: FloatArray, counts: FloatArray) -> float:
    """How lopsided it is: 0 is balanced, above 1 a long tail upwards, below -1 one downwards.

    The third standardised moment. Of n values from a Gaussian it strays by sqrt(6 / n): by 0.15 with
    256 values. A single far outlier makes it large, however coarse the bins are that it leaves for
    the others.

    >>> round(skew(np.array([0.0, 1.0, 2.0, 3.0]), np.array([2.0, 0.0, 1.0])), 3)
    0.707
    """
    return _moment(edges, counts, SKEW)


def excess_kurtosis(edges: FloatArray, counts: FloatArray) -> float:
    """The weight of the tails: 0 of a Gaussian, 3 of a Laplace, 10 and more where a few values rule.

    The fourth standardised moment less 3. Of n values from a Gaussian it strays by sqrt(24 / n): by
    0.3 with 256 values. It shows tails that reach so far that nearly all else is in one bin, where
    `tail_share` sees nothing.
    """
    return _moment(edges, counts, KURTOSIS) - OF_A_GAUSSIAN


def tail_share(edges: FloatArray, counts: FloatArray, farthest: float = FARTHEST) -> float:
    """What the farthest values hold of all distances from the median, 0 to 1.

    With the farthest 5%: 0.15 of a Gaussian, 0.10 of an even spread, 0.2 of a Laplace, 0.4 and more
    where a few values rule. Too small where the bins are wider than the bulk (`excess_kurtosis` is
    not), and near 1 for values that are nearly all equal, such as a reward that is seldom given
    (`mode_share`).
    """
    away = np.abs(_middles(edges) - quantile(edges, counts, MIDDLE))
    total = float(counts @ away)
    if not total > 0:
        return math.nan
    order = np.argsort(-away)
    left = farthest * float(counts.sum())
    before = np.cumsum(counts[order]) - counts[order]
    taken = np.clip(left - before, 0.0, counts[order])
    return float(taken @ away[order]) / total


def _moment(edges: FloatArray, counts: FloatArray, power: int) -> float:
    width = spread(edges, counts)
    if not width > 0:
        return math.nan
    away = (_middles(edges) - mean(edges, counts)) / width
    return float(counts @ away**power / counts.sum())


def _middles(edges: FloatArray) -> FloatArray:
    return edges[:-1] + (edges[1:] - edges[:-1]) / 2
