"""A series against its own early level, and when it will reach a limit."""

from __future__ import annotations

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.signals.robust import finite, median

WARM_UP_POINTS, MIN_POINTS, MAX_POINTS = 5, 6, 100  # left out; in the early level (judgement)
WARM_UP, EARLY = 20, 0.15  # a twentieth of the points at most; and the share of them (judgement)


def reference_points(count: int) -> slice:
    """Which points make up the early level of a series: after the first few, 15% of them."""
    first = min(WARM_UP_POINTS, count // WARM_UP)
    return slice(first, first + int(np.clip(EARLY * count, MIN_POINTS, MAX_POINTS)))


def reference(values: FloatArray) -> float:
    """The early level of a series, which later points do not move; NaN of nothing."""
    values = finite(values)
    early = values[reference_points(len(values))]
    return median(early)
