"""The lab's environments: what they have in common, and how one is made by its name.

An environment is many copies of one task, stepped together; its file is imported when it is asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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


class Episodic(ABC):
    """What all tasks share: `num_envs` copies, each with the length of its episode so far.

    A task moves its copies, calls `_end_step`, and says how they start again and what they show.
    """

    max_steps: int

    def __init__(self, num_envs: int, rng: np.random.Generator) -> None:
        self.num_envs = num_envs
        self._rng = rng
        self.lengths: NDArray[np.int64] = np.zeros(num_envs, np.int64)

    def reset(self) -> NDArray[np.float32]:
        """Start a new episode everywhere; gives the first observations."""
        self._restart(np.ones(self.num_envs, np.bool_))
        return self._observations()

    def _end_step(
        self,
        rewards: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        succeeded: NDArray[np.bool_],
        extras: Mapping[str, NDArray[Any]] = NOTHING,
    ) -> Step:
        """Start ended episodes again; of `succeeded` only those that ended count."""
        truncated = self.lengths >= self.max_steps
        final = now = self._observations()
        done = terminated | truncated
        if done.any():
            self._restart(done)
            now = self._observations()
        return Step(now, rewards, terminated, truncated, final, done & succeeded, extras)

    def _restart(self, which: NDArray[np.bool_]) -> None:
        self.lengths[which] = 0

    @abstractmethod
    def _observations(self) -> NDArray[np.float32]: ...


class Mechanical(Episodic):
    """Tasks whose state is an array with a row per angle, position or speed."""

    action_size = 0
    state_size: int
    start_range: float | NDArray[np.float64]  # of each row, around 0, when an episode begins

    def __init__(self, num_envs: int, rng: np.random.Generator) -> None:
        super().__init__(num_envs, rng)
        self.state: NDArray[np.float64] = np.zeros((self.state_size, num_envs))

    def _restart(self, which: NDArray[np.bool_]) -> None:
        shape = self.state_size, int(which.sum())
        self.state[:, which] = self._rng.uniform(-self.start_range, self.start_range, shape)
        super()._restart(which)


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
    """Raise an error that lists the choices, unless the lab has this environment."""
    if name not in FILES:
        raise ConfigError(f"no environment {name!r} in the lab", hint=f"one of: {', '.join(FILES)}")
