"""Curves that runs show, healthy and sick, for tests of rules about outcome, critic and gradients."""

from __future__ import annotations

from math import inf, nan

import numpy as np

from runvitals.model import Run
from runvitals.model.row import FloatArray
from runvitals.testing import make_run

N = 80


def wandering(n: int = N, seed: int = 0, lag_1: float = 0.6) -> FloatArray:
    """Heavy-tailed noise of about unit variance that wanders."""
    rng = np.random.default_rng(seed)
    values = rng.standard_t(4, n + 100)
    for i in range(1, len(values)):
        values[i] += lag_1 * values[i - 1]
    return values[100:] / values.std()


def window_mean(levels: FloatArray, per_point: int = 10, seed: int = 0) -> FloatArray:
    """The mean of the last 100 episodes, as many tools log it; episodes vary by half their level."""
    rng = np.random.default_rng(seed)
    levels = np.repeat(levels, per_point)
    episodes = levels * (0.5 + rng.exponential(0.5, len(levels)))
    ends = range(per_point, len(levels) + 1, per_point)
    return np.array([episodes[max(0, end - 100) : end].mean() for end in ends])


def around(level: float, n: int = N, seed: int = 0) -> FloatArray:
    """A positive series around a level, such as a norm."""
    return level * np.exp(0.3 * wandering(n, seed))


def stuck(n: int = N, seed: int = 1) -> FloatArray:
    """A return of which nothing comes."""
    return 20.0 + np.random.default_rng(seed).normal(size=n)


def learning(n: int = N, seed: int = 2) -> FloatArray:
    """A return that rises to the end."""
    return 20.0 + 400.0 * np.linspace(0, 1, n) + 15.0 * wandering(n, seed)


def solved(n: int = N, seed: int = 3) -> FloatArray:
    """A return that rose early and holds."""
    return 20.0 + 460.0 * (1 - np.exp(-np.linspace(0, 12, n))) + 5.0 * wandering(n, seed)


def collapsing(n: int = N, seed: int = 4) -> FloatArray:
    """A return that rises to 400 and falls to 10 at 60 %."""
    t = np.linspace(0, 1, n)
    return np.where(t < 0.6, 20.0 + 640.0 * t, 10.0) + 3.0 * wandering(n, seed)


def worsening(n: int = N, seed: int = 5) -> FloatArray:
    """A return that falls from the start."""
    return 9.0 + 14.0 * np.exp(-np.linspace(0, 4, n)) + 0.3 * wandering(n, seed)


ODD = {
    "one point": [1.0],
    "two points": [1.0, 2.0],
    "all nan": [nan] * 50,
    "all inf": [inf] * 50,
    "half nan": [1.0, nan] * 40,
    "constant": [3.0] * 80,
    "zeros": [0.0] * 80,
    "huge": [1e300, -1e300] * 40,
    "tiny": [1e-300] * 80,
}


def odd_runs(*metrics: str, algorithm: str = "PPO") -> list[Run]:
    """Runs in which all these metrics, or all but one that is usual, have odd values."""
    config = {"learning_rate": "often", "max_grad_norm": -1, "gamma": 1.0, "env_id": 7}
    runs = []
    for values in ODD.values():
        runs.append(make_run(dict.fromkeys(metrics, values), algorithm=algorithm, config=config))
        for usual in metrics:
            series = dict.fromkeys(metrics, values) | {usual: stuck()}
            runs.append(make_run(series, algorithm=algorithm, config={"gamma": "x"}))
            runs.append(make_run(series, algorithm=algorithm, status="running", total_steps=90))
    falling = {metric: dict(zip(range(80, 0, -1), stuck(), strict=True)) for metric in metrics}
    return [*runs, make_run(falling, algorithm=algorithm)]
