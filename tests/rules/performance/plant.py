"""Runs with clocks, labels and ranks, for tests of rules about the plant and the record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from runvitals.model import Binding, Run
from runvitals.model.row import FloatArray
from runvitals.testing import make_run

N = 100


def noisy(level: float, n: int = N, seed: int = 0, size: float = 0.1) -> FloatArray:
    """A positive series around a level that wanders a little."""
    rng = np.random.default_rng(seed)
    walk = rng.standard_t(4, n + 50)
    for i in range(1, len(walk)):
        walk[i] += 0.6 * walk[i - 1]
    return level * np.exp(size * walk[50:] / walk.std())


def shifted(before: float, after: float, n: int = N, at: float = 0.4, seed: int = 0) -> FloatArray:
    """A series that changes its level."""
    first = int(at * n)
    return np.concatenate([noisy(before, first, seed), noisy(after, n - first, seed + 1)])


def labelled(series: Mapping[str, tuple[str, dict[str, str], Any]], **about: Any) -> Run:
    """A run of names with their metric, labels and values."""
    run = make_run({name: values for name, (_, _, values) in series.items()}, **about)
    run.bind({name: Binding(metric, labels) for name, (metric, labels, _) in series.items()})
    return run
