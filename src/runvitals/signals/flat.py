"""Does a series stand still? That is a claim of its own, not a trend test that found nothing."""

from __future__ import annotations

import math

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.signals.robust import (
    MAD_TO_STD,
    MEAN_TO_STD,
    autocorrelation_time,
    finite,
    median,
    noise,
)

MIN_POINTS = 8
PARTS = 4


def is_flat(values: FloatArray, within: float) -> bool:
    """Whether the level of the series stays inside a band `2 * within` wide, noise allowed for.

    The medians of its quarters must differ by no more than `within`, and their own uncertainty must be
    small enough to tell. A series too noisy to tell is not called flat.
    """
    values = finite(values)
    if len(values) < MIN_POINTS:
        return False
    medians, error = _quarters(values)
    return float(np.ptp(medians)) + error <= within or (
        float(np.ptp(medians)) <= within and 2.0 * error <= within
    )


def _quarters(values: FloatArray) -> tuple[FloatArray, float]:
    """Medians of the quarters, and how far chance alone moves one (two standard errors)."""
    parts = np.array_split(values, PARTS)
    medians = np.array([median(part) for part in parts])
    within = np.concatenate([part - middle for part, middle in zip(parts, medians, strict=True)])
    independent = len(values) / PARTS / autocorrelation_time(values)
    spread = max(noise(values), median(np.abs(within)) * MAD_TO_STD)
    # a median of normal values strays by root of pi / 2 more than their mean
    return medians, 2.0 * MEAN_TO_STD * spread / math.sqrt(max(1.0, independent))
