"""Points that stick out by far, and are gone again."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from runvitals.model.row import FloatArray, IntArray
from runvitals.signals.robust import MAD_TO_STD

WINDOW = 50
MIN_BEFORE = 10


def spikes(
    values: FloatArray, *, ratio: float = 3.0, z: float = 8.0, window: int = WINDOW
) -> IntArray:
    """Where a positive series jumps to `ratio` times its recent median, and `z` spreads above it.

    Both are needed: the first makes a spike worth the name, the second makes it no matter of chance.
    Recent are the `window` points before; the first ten points are never called spikes.

    False alarms: with `ratio=10` in at most 15% of 200-point series with very heavy tails (t with 3
    degrees of freedom, log-scale spread 0.35), with the usual 3 in most of them: such series do have
    spikes. One spike is an event, and no reason for an alarm.
    """
    values = np.asarray(values, np.float64)
    median, spread = _before(values, window)
    with np.errstate(invalid="ignore"):
        found = (values > ratio * median) & (values - median > z * spread) & (median >= 0)
    return np.flatnonzero(found)


def outliers(values: FloatArray, *, z: float = 12.0, window: int = WINDOW) -> IntArray:
    """Where a series of any sign lies `z` spreads from its recent median, on either side.

    False alarms: in a quarter of 200-point series with very heavy tails; one is only an event.
    """
    values = np.asarray(values, np.float64)
    median, spread = _before(values, window)
    with np.errstate(invalid="ignore"):
        return np.flatnonzero(np.abs(values - median) > z * spread)


def lasts(values: FloatArray, index: int, *, points: int = 5) -> bool:
    """Whether the series stays where it jumped to: a shift of its level, and not a spike."""
    values = np.asarray(values, np.float64)
    before, after = values[max(0, index - WINDOW) : index], values[index + 1 : index + 1 + points]
    if len(before) < MIN_BEFORE or len(after) < points:
        return False
    half = (np.nanmedian(before) + values[index]) / 2
    return bool(
        np.nanmedian(after) >= half if values[index] >= half else np.nanmedian(after) <= half
    )


def _before(values: FloatArray, window: int) -> tuple[FloatArray, FloatArray]:
    """Median and spread of the points before each point; NaN where there are too few."""
    padded = np.concatenate([np.full(window, np.nan), values])
    padded[~np.isfinite(padded)] = np.nan
    windows = sliding_window_view(padded, window)[: len(values)]
    enough = np.isfinite(windows).sum(axis=1) >= MIN_BEFORE
    median = np.full(len(values), np.nan)
    spread = np.full(len(values), np.nan)
    median[enough] = np.nanmedian(windows[enough], axis=1)
    distance = np.abs(windows[enough] - median[enough, None])
    spread[enough] = MAD_TO_STD * np.nanmedian(distance, axis=1)
    return median, spread
