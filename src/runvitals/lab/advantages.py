"""Advantages of whole rollouts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.nn import Array


def gae(
    rewards: Array,
    values: Array,
    last_values: Array,
    *,
    terminated: NDArray[np.bool_] | None = None,
    truncated: NDArray[np.bool_] | None = None,
    final_values: Array | None = None,
    gamma: float,
    lam: float,
    forwards: bool = False,
) -> tuple[Array, Array]:
    """Generalised advantage estimates (Schulman et al., 2016) and the critic's targets, time first.

    A fall ends everything: nothing is worth anything after it. The step limit does not: the episode
    would have gone on, and the value of where it was cut off stands for the rest. `forwards` sums up
    what came before each step instead of what comes after it, which is wrong. Without flags nothing
    ever ends.
    """
    next_values = np.concatenate([values[1:], last_values[None]])
    goes_on = np.ones_like(values)
    if terminated is not None and truncated is not None and final_values is not None:
        next_values = np.where(truncated, final_values, next_values)
        next_values = np.where(terminated, 0.0, next_values).astype(values.dtype)
        goes_on = 1.0 - (terminated | truncated).astype(values.dtype)
    errors = rewards + gamma * next_values - values
    advantages = np.zeros_like(values)
    running = np.zeros_like(last_values)
    steps = range(len(rewards))
    for t in steps if forwards else reversed(steps):
        running = errors[t] + gamma * lam * goes_on[t] * running
        advantages[t] = running
    return advantages, advantages + values
