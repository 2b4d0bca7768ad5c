"""The environments as PPO meets them, and the wrappers around them in which things go wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import LATE, Sickness
from runvitals.lab.envs.base import Env, Step
from runvitals.lab.envs.grid import CoinGrid
from runvitals.lab.nn import Array
from runvitals.lab.ppo_faults import GLITCH_AT
from runvitals.lab.ppo_parts import Mask


class World:
    """The environments, and around them the wrappers in which things go wrong."""

    def __init__(
        self, env: Env, sick: Sickness, rng: np.random.Generator, reward_noise: float = 0.0
    ) -> None:
        self.env = env
        self._limit = env.max_steps
        self._noise = reward_noise
        self.sick = sick
        self._struck = False  # by the infinite observation
        self._rng = rng

    def reset(self) -> NDArray[np.float32]:
        """New episodes everywhere; gives what the policy sees of them."""
        first = self.env.reset()
        return self._observations(first, first)

    def glitch(self, observations: NDArray[np.float32]) -> None:
        """Once in a run, and not at its start, one number comes out infinite."""
        if self.sick("inf-observation") and self.sick.progress >= GLITCH_AT and not self._struck:
            self._struck = True
            observations[0, 0] = np.inf

    def mask(self) -> Mask:
        """Which actions are allowed now; None: all of them."""
        if not (share := self.sick("mask-one-action")):
            return None
        allowed = np.ones((self.env.num_envs, self.env.num_actions), np.bool_)
        allowed[self._rng.random(len(allowed)) < share, 1:] = False
        return allowed

    def step(self, actions: NDArray[Any], before: NDArray[np.float32]) -> Step:
        """One step in each environment; `before` is what the policy saw."""
        sick, env, rng = self.sick, self.env, self._rng
        if share := sick("episode-cap"):
            env.max_steps = max(5, round(share * self._limit))
        coin = sick("coin-farming") or sick("coin-farming-unseen")
        if coin and isinstance(env, CoinGrid):
            env.coin = coin
        if (share := sick("dynamics-flip")) and sick.progress >= LATE:
            other = env.num_actions - 1 - actions if env.num_actions else -actions
            chosen = rng.random(len(actions)) < share
            actions = np.where(chosen.reshape(-1, *[1] * (actions.ndim - 1)), other, actions)
        taken = env.step(actions)
        return taken._replace(
            rewards=self._rewards(taken.rewards),
            observations=self._observations(taken.observations, before, taken),
            final_observations=self._observations(taken.final_observations, before),
        )

    def _rewards(self, rewards: Array) -> NDArray[np.float32]:
        sick = self.sick
        if self._noise:
            rewards = rewards + self._noise * self._rng.standard_normal(len(rewards))
        if factor := sick("reward-scale") or sick("advantages-raw"):
            rewards = factor * rewards
        if sick("reward-sign"):
            rewards = -rewards
        if sick("reward-constant"):
            rewards = np.zeros_like(rewards)
        if times := sick("reward-noise"):
            noise = self._rng.standard_normal(len(rewards))
            rewards = rewards + times * np.abs(rewards).mean() * noise
        return rewards.astype(np.float32)

    def _observations(
        self,
        observations: NDArray[np.float32],
        before: NDArray[np.float32],
        taken: Step | None = None,
    ) -> NDArray[np.float32]:
        sick = self.sick
        if share := sick("observations-zero"):
            lost = self._rng.random(len(observations)) < share
            observations = np.where(lost[:, None], np.float32(0.0), observations)
        if share := sick("observations-frozen"):
            stuck = self._rng.random(len(observations)) < share
            if taken is not None:  # a new episode begins with an observation of its own
                stuck &= ~(taken.terminated | taken.truncated)
            observations = np.where(stuck[:, None], before, observations)
        if factor := sick("observations-scale"):
            observations = np.float32(factor) * observations
        return observations
