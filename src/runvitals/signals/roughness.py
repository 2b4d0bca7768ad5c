"""How far a series can wander, by how rough it is.

Slow wandering shows in bends over a far distance, and so does every step in the curve. Near by, steps
bend only a few points; so what neighbours say holds where far bends cannot be trusted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model.row import FloatArray

TRIMMED = 0.4  # of the bends, the largest: steps in the curve, not noise
# mean of |z| below its 60% quantile, for a normal z (by integration)
TRIMMED_MEAN = 0.3966
# How much farther than neighbours say a series may wander: what the estimate of their likeness misses.
# Measured on flat series: with 1.2 windows of 100 episodes fall no more often than with 1.5.
ASTRAY = 1.2
FAR, NEAR = 4, 2  # points apart, of bends that are compared with those of neighbours
OF_BEND = 6.0  # variance of a second difference of noise: 1 + 4 + 1 times its own
ROAMING = 0.5  # likeness of neighbours beyond which a series may have no level of its own
ALIKE = np.linspace(0.0, 0.999, 200)  # correlations of neighbours that are told apart


class Wander(NamedTuple):
    """A series that wanders: how far one point strays, and how alike neighbours are."""

    size: float
    alike: float  # correlation of neighbours
    points: int

    def most(self, width: int) -> float:
        """How far it takes the mean of this many points, at most."""
        alike = self.alike
        apart = self.size * math.sqrt(min(1.0, (1.0 + alike) / (1.0 - alike) / width))
        if alike > ROAMING:  # then it goes as far as steps add up in half of its time
            step = self.size * math.sqrt(2.0 * (1.0 - alike))
            apart = min(apart, step * math.sqrt(self.points) / 2)
        return ASTRAY * apart


def wander_of(values: FloatArray) -> Wander | None:
    """What neighbours say of slow wandering; None if too few points would outlast a step in the curve.

    Bends grow with their distance by as much as neighbours are alike. Of a first-order process with
    correlation r they have the variance 2 s^2 (1 - r^d) (3 - r^d) at distance d.
    """
    n = len(values)
    if outlasts(n - 2 * FAR, steps=2, reach=2 * FAR + 1):
        distance, grows = FAR, GROWS_FAR
    elif outlasts(n - 2 * NEAR, steps=1, reach=2 * NEAR + 1):
        distance, grows = NEAR, GROWS_NEAR
    else:
        return None
    near, off = bend(values, 1), bend(values, distance)
    if not near > 0:
        return None
    alike = float(np.interp((off / near) ** 2, grows, ALIKE))
    return Wander(near * math.sqrt(OF_BEND / _variance(alike, 1)), alike, n)


def bend(means: FloatArray, distance: int) -> float:
    """How far a mean lies off the line between two others, as the noise of each that would do it."""
    bends = np.abs(means[2 * distance :] - 2.0 * means[distance:-distance] + means[: -2 * distance])
    keep = max(1, math.ceil((1.0 - TRIMMED) * len(bends)))
    bends.partition(keep - 1)
    return float(np.add.reduce(bends[:keep])) / keep / TRIMMED_MEAN / math.sqrt(OF_BEND)


def outlasts(bends: int, *, steps: int, reach: int) -> bool:
    """Whether trimming takes away all that this many steps in the curve bend."""
    return steps * reach <= TRIMMED * bends


def _variance(alike: float, distance: int) -> float:
    """Of the bends of a first-order process of unit variance."""
    rest = 1.0 - alike**distance
    return 2.0 * rest * (2.0 + rest)


GROWS_NEAR, GROWS_FAR = (
    np.array([_variance(alike, distance) / _variance(alike, 1) for alike in ALIKE.tolist()])
    for distance in (NEAR, FAR)
)
