"""Environments as a trainer meets them: inside the wrappers in which things go wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, LATE, Sickness
from runvitals.lab.envs.base import Env, Step
from runvitals.lab.envs.grid import CoinGrid

GLITCH_AT = 0.2  # when the infinite observation comes at the earliest

Mask = NDArray[np.bool_] | None  # which actions are allowed, a row per environment; None: all


class World:
    """Environments whose actions, rewards and observations a fault may falsify.

    Without a fault everything passes through as it is, and no random number is drawn from `rng`.
    """

    def __init__(
        self,
        env: Env,
        sick: Sickness,
        rng: np.random.Generator,
        *,
        reward_noise: float = 0.0,  # spread of what is added to each reward
        shown: NDArray[np.float32] | None = None,  # the latest observations, when a run goes on
    ) -> None:
        self.env = env
        self.sick = sick
        self._limit = env.max_steps
        self._noise = reward_noise
        self.shown = np.zeros(0, np.float32) if shown is None else shown
        self._struck = False  # by the infinite observation
        self._rng = rng

    def reset(self) -> NDArray[np.float32]:
        """New episodes everywhere; gives what the policy sees of them."""
        first = self.env.reset()
        self.shown = self._observations(first, first)
        return self.shown

    def glitch(self) -> None:
        """Once in a run, and not at its start, one number comes out infinite."""
        if self._dose("inf-observation") and self.sick.progress >= GLITCH_AT and not self._struck:
            self._struck = True
            self.shown[0, 0] = np.inf

    def mask(self) -> Mask:
        """Which actions are allowed now; None: all of them."""
        if not (share := self._dose("mask-one-action")):
            return None
        allowed = np.ones((self.env.num_envs, self.env.num_actions), np.bool_)
        allowed[self._rng.random(len(allowed)) < share, 1:] = False
        return allowed

    def step(self, actions: NDArray[Any]) -> Step:
        """One step in each environment."""
        env, rng, before = self.env, self._rng, self.shown
        if share := self._dose("episode-cap"):
            env.max_steps = max(5, round(share * self._limit))
        coin = self._dose("coin-farming", "coin-farming-unseen")
        if coin and isinstance(env, CoinGrid):
            env.coin = coin
        flipped = self._dose("dynamics-flip", "dynamics-change")
        if flipped and self.sick.progress >= LATE:
            other = env.num_actions - 1 - actions if env.num_actions else -actions
            chosen = rng.random(len(actions)) < flipped
            actions = np.where(chosen.reshape(-1, *[1] * (actions.ndim - 1)), other, actions)
        taken = env.step(actions)
        taken = taken._replace(
            rewards=self._rewards(taken.rewards),
            observations=self._observations(taken.observations, before, taken),
            final_observations=self._observations(taken.final_observations, before),
        )
        self.shown = taken.observations
        return taken

    def _rewards(self, rewards: NDArray[Any]) -> NDArray[np.float32]:
        if self._noise:
            rewards = rewards + self._noise * self._rng.standard_normal(len(rewards))
        if factor := self._dose("reward-scale", "reward-x1000", "advantages-raw"):
            rewards = factor * rewards
        if self._dose("reward-sign"):
            rewards = -rewards
        if self._dose("reward-constant"):
            rewards = np.zeros_like(rewards)
        if times := self._dose("reward-noise"):
            noise = self._rng.standard_normal(len(rewards))
            rewards = rewards + times * np.abs(rewards).mean() * noise
        return rewards.astype(np.float32)

    def _observations(
        self,
        observations: NDArray[np.float32],
        before: NDArray[np.float32],
        taken: Step | None = None,
    ) -> NDArray[np.float32]:
        if share := self._dose("observations-zero"):
            lost = self._rng.random(len(observations)) < share
            observations = np.where(lost[:, None], np.float32(0.0), observations)
        if share := self._dose("observations-frozen"):
            stuck = self._rng.random(len(observations)) < share
            if taken is not None:  # a new episode begins with an observation of its own
                stuck &= ~(taken.terminated | taken.truncated)
            observations = np.where(stuck[:, None], before, observations)
        if factor := self._dose("observations-scale"):
            observations = np.float32(factor) * observations
        return observations

    def _dose(self, *names: str) -> float:
        """The dose of the first of these faults that acts; a trainer need not declare them all."""
        fault = self.sick.fault
        return self.sick(fault.name) if fault is not None and fault.name in names else 0.0


def healthy(env: Env) -> World:
    """Environments in which nothing goes wrong."""
    return World(env, HEALTHY, np.random.default_rng())
