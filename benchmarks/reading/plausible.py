"""Numbers as a run would log them under a metric, made up from its unit.

A name is read in the light of its numbers. Lists of names have none, so they get these.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from runvitals.catalog import metric as metric_of

ROWS = 60
Numbers = NDArray[np.float64]

_TYPICAL = {  # middle and spread of what has this unit
    "ratio": (0.4, 0.1),
    "reward": (3.0, 4.0),
    "score": (3.0, 2.0),
    "s": (4.0, 0.6),
    "ms/token": (0.04, 0.01),
    "nat": (0.7, 0.2),
    "nat/sequence": (40.0, 6.0),
    "token": (300.0, 30.0),
    "step": (180.0, 20.0),
    "GB": (30.0, 2.0),
    "norm": (0.8, 0.2),
    "coefficient": (0.04, 0.004),
    "rate": (2e-4, 5e-5),
    "percent": (60.0, 8.0),
    "token/s": (5_000.0, 300.0),
    "step/s": (900.0, 50.0),
    "sample/s": (12.0, 1.0),
    "loss": (0.8, 0.2),
    "logit": (-1.5, 0.2),
    "action": (0.6, 0.1),
    "elo": (1_200.0, 10.0),
}
_OTHER = (20.0, 2.0)
_COUNTS = ("progress/", "time/elapsed_s")  # what only grows, but for what is told per iteration
_FRACTIONS = ("progress/fraction", "progress/time_fraction")
_FIXED = ("_coef", "clip_range", "total_steps", "_weight", "gpu_memory_total_gb")


@cache
def numbers_of(metric: str) -> Numbers:
    """Made-up values of a metric in its canonical unit, the same each time."""
    rng = np.random.default_rng(sum(map(ord, metric)))
    noise = rng.normal(size=ROWS)
    grown = np.linspace(1 / ROWS, 1.0, ROWS)
    if metric in _FRACTIONS:
        return grown
    if metric == "progress/epoch":
        return 3 * grown
    if metric.startswith(_COUNTS) and not metric.endswith(("per_iteration", "total_steps")):
        return np.round(10_000 * grown)
    known = metric_of(metric)
    unit = known.unit if known is not None else ""
    middle, spread = _TYPICAL.get(unit, _OTHER)
    if metric.endswith(_FIXED):
        return np.full(ROWS, middle)
    if metric.endswith("learning_rate"):
        return middle * (1 - 0.9 * grown)
    values = middle + spread * noise
    if unit in {"reward", "score"} and not metric.endswith(("std", "var")):
        return values + 2 * spread * grown
    if metric.endswith("perplexity"):
        return 1 + 20 * np.exp(-grown) + 0.1 * np.abs(noise)
    if unit == "ratio":
        return np.clip(values, 0.0, 1.0)
    return np.abs(values) if unit not in {"logit", "loss"} or "loss" in metric else values


def as_logged(metric: str, scale: float, transform: str) -> Numbers | None:
    """The same in the unit and sign of a tool; None where that cannot be turned around."""
    return None if transform or not scale else numbers_of(metric) / scale
