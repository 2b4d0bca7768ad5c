"""Judges that anyone could write, so that the figures of the others mean something.

Each is given the outcome of a run, in which more is better, or None if none was logged.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from runvitals.model import FloatArray

MIN_POINTS = 10


def fell(outcome: FloatArray | None) -> bool:
    """The last tenth is below the best by more than half the rise.

    >>> fell(np.array([0.0] * 10 + [1.0] * 10 + [0.2] * 10))
    True
    >>> fell(np.linspace(0.0, 1.0, 30))
    False
    """
    if outcome is None or len(outcome) < MIN_POINTS:
        return False
    first, last = _ends(outcome)
    best = _best(outcome)
    return best > first and best - last > 0.5 * (best - first)


def flat_or_falling(outcome: FloatArray | None) -> bool:
    """The last tenth is not above the first by more than the usual change from point to point.

    >>> flat_or_falling(np.array([0.0, 0.1] * 20))
    True
    >>> flat_or_falling(np.linspace(0.0, 1.0, 30))
    False
    """
    if outcome is None or len(outcome) < MIN_POINTS:
        return False
    first, last = _ends(outcome)
    return last - first <= float(np.median(np.abs(np.diff(outcome))))


def _ends(outcome: FloatArray) -> tuple[float, float]:
    tenth = max(1, len(outcome) // 10)
    return float(np.mean(outcome[:tenth])), float(np.mean(outcome[-tenth:]))


def _best(outcome: FloatArray) -> float:
    """Of the means over a tenth of the run."""
    tenth = max(1, len(outcome) // 10)
    sums = np.convolve(outcome, np.ones(tenth), mode="valid")
    return float(sums.max()) / tenth


BASELINES: dict[str, Callable[[FloatArray | None], bool]] = {
    "outcome fell by half its rise": fell,
    "outcome flat or falling": flat_or_falling,
    "always alarms": lambda _: True,
    "never alarms": lambda _: False,
}
