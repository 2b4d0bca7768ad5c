"""Curves that runs show, healthy and sick, for tests of rules about the policy."""

from __future__ import annotations

from math import inf, nan

import numpy as np

from runvitals.model.row import FloatArray

N = 80


def wandering(n: int = N, seed: int = 0, lag_1: float = 0.7) -> FloatArray:
    """Heavy-tailed noise of about unit variance that wanders."""
    rng = np.random.default_rng(seed)
    values = rng.standard_t(3, n + 100)
    for i in range(1, len(values)):
        values[i] += lag_1 * values[i - 1]
    return values[100:] / values.std()


def around(level: float, n: int = N, seed: int = 0) -> FloatArray:
    """A positive series around a level, such as a KL."""
    return level * np.exp(0.35 * wandering(n, seed))


def stuck(n: int = N, seed: int = 1) -> FloatArray:
    """An outcome of which nothing comes."""
    return 20.0 + np.random.default_rng(seed).normal(size=n)


def learning(n: int = N, seed: int = 1) -> FloatArray:
    """An outcome that rises to the end."""
    return np.linspace(20.0, 200.0, n) + 3.0 * np.random.default_rng(seed).normal(size=n)


def creeping(n: int = N, seed: int = 1) -> FloatArray:
    """An outcome that surely rises, by a fifth of its size: chance or drift would do."""
    return np.linspace(22.0, 27.0, n) + 0.3 * np.random.default_rng(seed).normal(size=n)


def solved(n: int = N, seed: int = 1) -> FloatArray:
    """An outcome that rises and then holds."""
    rise = 200.0 - 180.0 * np.exp(-np.arange(n) / (0.1 * n))
    return rise + 2.0 * np.random.default_rng(seed).normal(size=n)


def collapsing(n: int = N, seed: int = 1) -> FloatArray:
    """An outcome that rises and falls back to where it began."""
    half = n // 2
    way = np.concatenate([np.linspace(20.0, 200.0, half), np.linspace(200.0, 20.0, n - half)])
    return way + 3.0 * np.random.default_rng(seed).normal(size=n)


ODD: dict[str, list[float]] = {
    "one point": [0.5],
    "all nan": [nan] * 40,
    "all infinite": [inf] * 40,
    "gaps": [nan, 0.01] * 20,
    "constant": [0.01] * 40,
    "zeros": [0.0] * 3,
    "huge": [1e300, -1e300] * 3,
}
