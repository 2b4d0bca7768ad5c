"""Shares of few things: a row that counts one or two responses is 0, a half or 1."""

from __future__ import annotations

import numpy as np

from runvitals.model.row import FloatArray

MIN_VALUES = 3  # a series with so few different values counts one or two things a row
OF_TWO = {0.0, 0.5, 1.0}  # the shares that one or two things can be
WIDTH = 10  # rows that give a share of ten things or more
ROUNDING = 1e-3  # a mean of 16-bit numbers may exceed 1 by so much


def is_share(values: FloatArray) -> bool:
    """Whether all values lie between 0 and 1."""
    return bool(values.min() >= 0.0 and values.max() <= 1.0 + ROUNDING)


def as_rate(values: FloatArray) -> FloatArray:
    """A series of 0, 1 and perhaps halves as the mean of ten rows around each; others as they are.

    >>> as_rate(np.array([0.0, 1.0] * 10))[5:8].round(1).tolist()
    [0.5, 0.5, 0.5]
    """
    if len(values) < WIDTH or set(np.unique(values)[: MIN_VALUES + 1]) - OF_TWO:
        return values
    if np.ptp(values) == 0:
        return values
    sums = np.convolve(values, np.ones(WIDTH), "same")
    counts = np.convolve(np.ones(len(values)), np.ones(WIDTH), "same")
    rates: FloatArray = sums / counts
    return rates
