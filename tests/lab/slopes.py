"""Central differences: the oracle for every gradient that the lab writes by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runvitals.lab.nn import Array


def slope_at(of: Callable[[], float], params: Array, i: Any, step: float = 1e-6) -> float:
    """How `of` changes with one entry of `params`, which is the same afterwards."""
    kept = params[i]
    params[i] = kept + step
    above = of()
    params[i] = kept - step
    below = of()
    params[i] = kept
    return float(above - below) / (2 * step)


def slopes(of: Callable[[], float], params: Array) -> Array:
    """The same for every entry."""
    found = np.zeros_like(params)
    for i in np.ndindex(params.shape):
        found[i] = slope_at(of, params, i)
    return found
