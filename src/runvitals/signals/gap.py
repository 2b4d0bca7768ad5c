"""Is one series clearly below another at the same time? A few pairs of points have to be enough."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.signals.robust import autocorrelation_time, finite

MIN_PAIRS = 3
# Student's t that chance exceeds once in 200 times, by degrees of freedom (tables; one-sided)
DEGREES = (2, 3, 4, 5, 7, 10, 20, 60)
QUANTILES = (9.92, 5.84, 4.60, 4.03, 3.50, 3.17, 2.85, 2.66)


class MeanGap(NamedTuple):
    """The mean of differences, and its standard error."""

    size: float
    error: float  # of the mean, one standard deviation
    pairs: int

    @property
    def sure(self) -> bool:
        """True if the mean is above 0 at a significance of 0.5%."""
        degrees = self.pairs - 1
        if self.pairs < MIN_PAIRS:
            return False
        return self.size > float(np.interp(degrees, DEGREES, QUANTILES)) * self.error


def gap(differences: FloatArray) -> MeanGap:
    """The mean of differences between pairs, with Student's error; fewer count if they wander.

    False alarms of `sure`: at most 2% of series without a gap, up to a lag-1 correlation of 0.5, and
    10% at 0.9.
    """
    differences = finite(differences)
    n = len(differences)
    if n < 2:
        return MeanGap(float(differences.sum()), math.inf, n)
    independent = max(2.0, n / autocorrelation_time(differences))
    error = float(differences.std(ddof=1)) / math.sqrt(independent)
    return MeanGap(float(differences.mean()), error, n)
