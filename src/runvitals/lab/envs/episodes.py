"""Whole episodes: what became of those in training, and playing some to see how a policy does."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.envs.base import Env, Step
from runvitals.lab.measures import spread
from runvitals.metrics import Ema

Floats = NDArray[np.float64]


class EndedEpisode(NamedTuple):
    """An episode that is over."""

    total: float  # undiscounted return
    discounted: float
    length: int
    terminated: bool
    succeeded: bool


class Episodes:
    """Returns and lengths of the last episodes: whether the task is being learned."""

    def __init__(self, num_envs: int, *, window: int, gamma: float) -> None:
        self._gamma = gamma
        self._totals: Floats = np.zeros(num_envs)
        self._discounted: Floats = np.zeros(num_envs)
        self._discounts: Floats = np.ones(num_envs)
        self._lengths: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._last: deque[EndedEpisode] = deque(maxlen=window)
        self._win_rate = Ema(half_life=window / 2)
        self._counted = 0
        self.count = 0

    def add(self, step: Step) -> None:
        """Take in one step of all environments."""
        self._totals += step.rewards
        self._discounted += self._discounts * step.rewards
        self._discounts *= self._gamma
        self._lengths += 1
        for i in np.flatnonzero(step.terminated | step.truncated):
            ended = EndedEpisode(
                float(self._totals[i]),
                float(self._discounted[i]),
                int(self._lengths[i]),
                bool(step.terminated[i]),
                bool(step.succeeded[i]),
            )
            self._last.append(ended)
            self._win_rate.update(float(ended.succeeded))
            self._totals[i] = self._discounted[i] = self._lengths[i] = 0
            self._discounts[i] = 1.0
            self.count += 1

    @property
    def returns(self) -> Floats:
        """Of the last episodes."""
        return np.array([episode.total for episode in self._last])

    @property
    def mean(self) -> float:
        """Mean return of the last episodes, NaN before the first has ended."""
        return float(self.returns.mean()) if self._last else math.nan

    def metrics(self) -> dict[str, float]:
        """Means over the last episodes; nothing before the first has ended."""
        if not self._last:
            return {}
        totals, discounted, lengths, terminated, succeeded = map(
            np.array, zip(*self._last, strict=True)
        )
        since, self._counted = self.count - self._counted, self.count
        return {
            **spread("outcome/return_", totals),
            "outcome/return_discounted_mean": float(discounted.mean()),
            "outcome/success_rate": float(succeeded.mean()),
            "win_rate_ema": self._win_rate.value,
            "outcome/episode_length_mean": float(lengths.mean()),
            "outcome/termination_rate": float(terminated.mean()),
            "outcome/episode_count": float(since),
        }


class Played(NamedTuple):
    """One episode of each environment."""

    starts: NDArray[np.float32]  # first observations
    totals: Floats  # undiscounted returns
    discounted: Floats
    lengths: NDArray[np.int64]
    succeeded: NDArray[np.bool_]

    def metrics(self) -> dict[str, float]:
        """How the policy does, under the names of an evaluation."""
        return {
            **spread("eval/return_", self.totals),
            "eval/episode_length_mean": float(self.lengths.mean()),
            "eval/success_rate": float(self.succeeded.mean()),
        }

    def first(self) -> dict[str, float | int | bool]:
        """The first of the episodes, as a sample to look at."""
        return {
            "return": float(self.totals[0]),
            "length": int(self.lengths[0]),
            "succeeded": bool(self.succeeded[0]),
        }


def play(
    env: Env, act: Callable[[NDArray[np.float32]], NDArray[Any]], *, gamma: float = 1.0
) -> Played:
    """Play one episode in each environment; `act` gives the actions for a batch of observations."""
    starts = observations = env.reset()
    alive = np.ones(env.num_envs, np.bool_)
    succeeded = np.zeros(env.num_envs, np.bool_)
    totals, discounted = np.zeros(env.num_envs), np.zeros(env.num_envs)
    lengths = np.zeros(env.num_envs, np.int64)
    discount = 1.0
    while alive.any():
        step = env.step(act(observations))
        rewards = step.rewards * alive
        totals += rewards
        discounted += discount * rewards
        discount *= gamma
        lengths += alive
        succeeded |= step.succeeded & alive
        alive &= ~(step.terminated | step.truncated)
        observations = step.observations
    return Played(starts, totals, discounted, lengths, succeeded)
