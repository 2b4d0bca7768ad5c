"""An environment as a trainer meets it: the place where a wrapper goes wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import LATE, Sickness
from runvitals.lab.envs.base import Env, Step


class Wrapped:
    """An environment whose rewards and observations a fault may falsify."""

    def __init__(self, env: Env, sick: Sickness) -> None:
        self._env = env
        self._sick = sick
        self.name = env.name
        self.observation_size = env.observation_size
        self.num_actions = env.num_actions
        self.action_size = env.action_size
        self.max_steps = env.max_steps
        self.num_envs = env.num_envs

    def reset(self) -> NDArray[np.float32]:
        """Start a new episode everywhere; gives the first observations."""
        return self._shown(self._env.reset())

    def step(self, actions: NDArray[Any]) -> Step:
        """One step in each."""
        step = self._env.step(actions)
        rewards = step.rewards
        if self._sick("reward-sign"):
            rewards = -rewards
        if dose := self._sick("reward-x1000"):
            rewards = rewards * np.float32(dose)
        if self._sick("reward-constant"):
            rewards = np.zeros_like(rewards)
        return step._replace(
            rewards=rewards,
            observations=self._shown(step.observations),
            final_observations=self._shown(step.final_observations),
        )

    def _shown(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.zeros_like(observations) if self._sick("observations-zero") else observations


class Reversible(Wrapped):
    """The same, with actions that may come to mean their opposite."""

    def step(self, actions: NDArray[Any]) -> Step:
        """One step in each."""
        if self._sick("dynamics-change") and self._sick.progress >= LATE:
            actions = self.num_actions - 1 - actions
        return super().step(actions)
