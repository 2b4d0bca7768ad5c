"""A series against its own early level, and when it will reach a limit."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.signals.robust import finite, median, running_median

WARM_UP_POINTS, MIN_POINTS, MAX_POINTS = 5, 20, 100  # left out; in the early level (judgement)
WARM_UP, EARLY = 5, 0.15  # a fifth of the points at most; and the share of them (judgement)
MIN_TO_FIT = 6  # points, to tell a straight line from a bent one (judgement)


def reference_points(count: int) -> slice:
    """Which points make up the early level of a series: after the first few, 15% or 20 of them."""
    first = min(WARM_UP_POINTS, count // WARM_UP)
    return slice(first, first + int(np.clip(EARLY * count, MIN_POINTS, MAX_POINTS)))


def reference(values: FloatArray) -> float:
    """The early level of a series, which later points do not move; NaN of nothing."""
    values = finite(values)
    early = values[reference_points(len(values))]
    return median(early)


def ratio_to_reference(values: FloatArray, *, smooth: int = 10) -> FloatArray:
    """The running median as a multiple of the early level; NaN where that is 0."""
    values = np.asarray(values, np.float64)
    base = reference(values)
    if not math.isfinite(base) or base == 0:
        return np.full(len(values), np.nan)
    return running_median(values, smooth) / base


class Crossing(NamedTuple):
    """When a series is expected to reach a limit, and which curve says so."""

    step: float
    curve: str  # "linear" or "exponential"


def expected_crossing(steps: FloatArray, values: FloatArray, limit: float) -> Crossing | None:
    """Where the last half of a series is heading; None if it does not head for the limit.

    Of a straight and an exponential curve the one that fits better. Evidence to show, not a reason to
    raise an alarm.
    """
    steps, values = np.asarray(steps, np.float64), np.asarray(values, np.float64)
    keep = np.isfinite(values)
    steps, values = steps[keep][len(steps) // 2 :], values[keep][len(values) // 2 :]
    if len(values) < MIN_TO_FIT:
        return None
    found: list[tuple[float, Crossing]] = []
    candidates = [("linear", values, limit)]
    if limit > 0 and values.min() > 0:
        candidates.append(("exponential", np.log(values), math.log(limit)))
    for curve, y, goal in candidates:
        slope, height = np.polyfit(steps - steps[-1], y, 1)
        fitted = height + slope * (steps - steps[-1])
        shown = np.exp(fitted) if curve == "exponential" else fitted
        away = goal - height
        if slope != 0 and away / slope > 0:
            error = float(np.abs(values - shown).sum())
            found.append((error, Crossing(float(steps[-1] + away / slope), curve)))
    return min(found)[1] if found else None
