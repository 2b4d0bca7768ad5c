"""Stretches in which a series has one and the same value."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model.row import FloatArray


class Frozen(NamedTuple):
    """Indices of the first and last point of a stretch, and how many points it has."""

    first: int
    last: int
    points: int


def frozen(values: FloatArray, *, least: int = 10) -> list[Frozen]:
    """Where a series has exactly the same value `least` times in a row or more; NaN is not a value."""
    values = np.asarray(values, np.float64)
    if not len(values):
        return []
    edges = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1], [True]]))
    runs = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    return [
        Frozen(first, end - 1, end - first)
        for first, end in runs
        if end - first >= least and math.isfinite(values[first])
    ]
