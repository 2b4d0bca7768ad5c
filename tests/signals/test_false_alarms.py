"""What detectors say about series in which nothing happens: as seldom something as they promise.

Series wander (lag-1 correlation up to 0.9) and have heavy tails (t with 3 degrees of freedom).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from runvitals.model.row import FloatArray
from runvitals.signals.change import level_shift
from runvitals.signals.gap import gap
from runvitals.signals.spikes import spikes

SERIES = 300


def wandering(length: int, lag_1: float, seed: int, count: int = SERIES) -> FloatArray:
    """Series of mean 0 and about unit variance, one per row."""
    rng = np.random.default_rng(seed)
    values = rng.standard_t(3, (count, length + 100))
    for i in range(1, values.shape[1]):
        values[:, i] += lag_1 * values[:, i - 1]
    values = values[:, 100:]
    return values / values.std(axis=1, keepdims=True)


def positive(values: FloatArray) -> FloatArray:
    return np.exp(0.35 * values)


DETECTORS: dict[str, Callable[[FloatArray], bool]] = {
    "level_shift": lambda x: level_shift(x) is not None,
    "spikes_10": lambda x: len(spikes(positive(x), ratio=10)) > 0,
    "gap": lambda x: gap(x).sure,
}
# at most this share of series of 40 and of 200 points, for lag-1 correlations up to 0.8, and at 0.9
PROMISED = {
    "level_shift": ((0.06, 0.01), (0.06, 0.01)),
    "spikes_10": ((0.15, 0.15), (0.15, 0.15)),
    "gap": ((0.05, 0.05), (0.1, 0.1)),
}


@pytest.mark.parametrize("lag_1", [0.0, 0.5, 0.8, 0.9])
@pytest.mark.parametrize("length", [40, 200])
@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_keeps_its_promise(name: str, length: int, lag_1: float) -> None:
    series = wandering(length, lag_1, seed=1)

    alarms = np.mean([DETECTORS[name](row) for row in series])

    assert alarms <= PROMISED[name][int(lag_1 > 0.8)][int(length == 200)]
