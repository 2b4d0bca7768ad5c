"""What the lab's environments have in common: many copies of one task, stepped together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

NOTHING: Mapping[str, NDArray[Any]] = {}


class Step(NamedTuple):
    """What one step brought, an entry per environment.

    `observations` already belong to a new episode where one ended; `final_observations` are those
    that the step led to. Both flags may be set when an episode ends by itself at the last step: then
    that counts, since there is nothing left to bootstrap from.
    """

    observations: NDArray[np.float32]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]  # the task itself ended the episode
    truncated: NDArray[np.bool_]  # the step limit was reached
    final_observations: NDArray[np.float32]
    succeeded: NDArray[np.bool_]  # an episode ended with this step, and its goal was reached
    extras: Mapping[str, NDArray[Any]] = NOTHING  # further facts of the task, by metric name


class Env(Protocol):
    """`num_envs` copies of a task; an episode that ends is followed by a new one at once."""

    name: str
    observation_size: int
    num_actions: int  # 0: actions are vectors of real numbers from -1 to 1
    action_size: int  # length of such a vector; 0 with discrete actions
    max_steps: int
    num_envs: int

    def reset(self) -> NDArray[np.float32]:
        """Start a new episode everywhere; gives the first observations."""

    def step(self, actions: NDArray[Any]) -> Step:
        """One step in each."""
