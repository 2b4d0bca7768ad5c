"""The lab's environments: what they have in common, and how one is made by its name.

An environment is many copies of one task, stepped together; its file is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from runvitals.model import ConfigError

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


FILES = {  # environment: its module, and the name of its class
    "CartPole-v1": ("cartpole", "CartPole"),
    "Acrobot-v1": ("acrobot", "Acrobot"),
    "Pendulum-v1": ("pendulum", "Pendulum"),
    "CoinGrid-v0": ("grid", "CoinGrid"),
}


def make_env(name: str, num_envs: int, rng: np.random.Generator, **options: Any) -> Env:
    """`num_envs` copies of the named environment; `options` are its own.

    >>> make_env("CartPole-v1", 2, np.random.default_rng(0)).reset().shape
    (2, 4)
    """
    check_env(name)
    file, variable = FILES[name]
    kind = getattr(import_module(f"runvitals.lab.envs.{file}"), variable)
    return cast(Env, kind(num_envs, rng, **options))


def check_env(name: str) -> None:
    """An error that lists the choices, if there is no environment of this name."""
    if name not in FILES:
        raise ConfigError(f"no environment {name!r} in the lab", hint=f"one of: {', '.join(FILES)}")
