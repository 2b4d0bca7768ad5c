"""Small statistics that several trainers of the lab log."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[Any]  # of any kind


def spread(prefix: str, values: Numbers, stats: str = "mean std min max") -> dict[str, float]:
    """Some statistics of an array, each as `prefix` and its name; NaN where it is empty.

    >>> spread("reward/", np.array([1.0, 3.0]), "mean max")
    {'reward/mean': 2.0, 'reward/max': 3.0}
    """
    if not values.size:
        return {f"{prefix}{stat}": float("nan") for stat in stats.split()}
    return {f"{prefix}{stat}": float(getattr(np, stat)(values)) for stat in stats.split()}


def mean_over(values: Numbers, mask: NDArray[np.bool_]) -> float:
    """Mean where the mask is true; NaN where it is nowhere."""
    return float(values[mask].mean()) if mask.any() else float("nan")


class Means:
    """Means over the steps since the last row of metrics."""

    def __init__(self) -> None:
        self._seen: dict[str, list[float]] = {}

    def add(self, found: dict[str, float]) -> None:
        """Take a step in."""
        for name, value in found.items():
            self._seen.setdefault(name, []).append(value)

    def take(self) -> dict[str, float]:
        """The means, each over the steps that had the number; a new row begins."""
        means = {name: float(np.mean(values)) for name, values in self._seen.items()}
        self._seen = {}
        return means
