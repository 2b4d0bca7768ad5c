"""Whole episodes: what became of those in training, and playing some to see how a policy does."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.envs.base import Step
from runvitals.lab.envs.world import World
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
    facts: dict[str, float]  # what the environment tells of its end, by metric name


class Episodes:
    """Returns and lengths of the last episodes: whether the task is being learned."""

    def __init__(self, num_envs: int, *, window: int, gamma: float) -> None:
        self._gamma = gamma
        self._totals: Floats = np.zeros(num_envs)
        self._discounted: Floats = np.zeros(num_envs)
        self._discounts: Floats = np.ones(num_envs)
        self._lengths: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._win_rate = Ema(half_life=window / 2)
        self.last: deque[EndedEpisode] = deque(maxlen=window)
        self.latest: list[EndedEpisode] = []  # since the last look at the metrics
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
                {name: float(fact[i]) for name, fact in step.extras.items() if at_end(name)},
            )
            self.last.append(ended)
            self.latest.append(ended)
            self._win_rate.update(float(ended.succeeded))
            self._totals[i] = self._discounted[i] = self._lengths[i] = 0
            self._discounts[i] = 1.0
            self.count += 1

    @property
    def returns(self) -> Floats:
        """Of the last episodes."""
        return np.array([episode.total for episode in self.last])

    @property
    def mean(self) -> float:
        """Mean return of the last episodes, NaN before the first has ended."""
        return float(self.returns.mean()) if self.last else math.nan

    def metrics(self) -> dict[str, float]:
        """Means over the last episodes; nothing before the first has ended."""
        if not self.last:
            return {}
        latest, self.latest = self.latest, []
        discounted, lengths, terminated, succeeded = map(
            np.array, list(zip(*self.last, strict=True))[1:5]
        )
        return {
            **spread("outcome/return_", self.returns),
            "outcome/return_discounted_mean": float(discounted.mean()),
            "outcome/success_rate": float(succeeded.mean()),
            "win_rate_ema": self._win_rate.value,
            "outcome/episode_length_mean": float(lengths.mean()),
            "outcome/termination_rate": float(terminated.mean()),
            "outcome/episode_count": float(len(latest)),
        }


class GoalEpisodes(Episodes):
    """The last episodes: whether the task is being learned, and since when it is solved."""

    def __init__(self, num_envs: int, *, window: int, gamma: float, goal: float) -> None:
        super().__init__(num_envs, window=window, gamma=gamma)
        self._goal = goal
        self.solved_at: int | None = None

    def note_if_solved(self, step: int) -> None:
        """Keep the step from which the task counts as solved."""
        full = len(self.last) == self.last.maxlen
        if self.solved_at is None and full and self.mean >= self._goal:
            self.solved_at = step

    def metrics(self) -> dict[str, float]:
        """Also those of the latest rollout alone, and what the environment told of each end."""
        latest, metrics = self.latest, super().metrics()
        if not metrics:
            return {}
        del metrics["outcome/return_discounted_mean"]
        lengths = np.array([episode.length for episode in self.last])
        metrics["outcome/episode_length_std"] = float(lengths.std())
        if latest:
            means = np.mean([(episode.total, episode.succeeded) for episode in latest], axis=0)
            metrics["outcome/return_mean{window=rollout}"] = float(means[0])
            metrics["outcome/win_rate"] = float(means[1])
        for name in self.last[-1].facts:
            metrics[name] = float(np.mean([episode.facts[name] for episode in self.last]))
        return metrics


def at_end(name: str) -> bool:
    """Whether what an environment tells under this name counts when an episode ends."""
    return name.startswith("outcome/")


class Played(NamedTuple):
    """One episode of each environment."""

    starts: NDArray[np.float32]  # first observations
    totals: Floats  # undiscounted returns
    discounted: Floats
    lengths: NDArray[np.int64]
    succeeded: NDArray[np.bool_]
    ending: str  # of the first environment
    actions: list[Any]  # of the first environment

    def metrics(self, stats: str = "mean std min max") -> dict[str, float]:
        """How the policy does, under the names of an evaluation."""
        return {
            **spread("eval/return_", self.totals, stats),
            "eval/episode_length_mean": float(self.lengths.mean()),
            "eval/success_rate": float(self.succeeded.mean()),
        }

    def first(self) -> dict[str, Any]:
        """The first of the episodes, as a sample to look at."""
        return {
            "return": float(self.totals[0]),
            "length": int(self.lengths[0]),
            "succeeded": bool(self.succeeded[0]),
        }


def play(
    world: World, act: Callable[[NDArray[np.float32]], NDArray[Any]], *, gamma: float = 1.0
) -> Played:
    """Play one episode in each environment; `act` gives the actions for a batch of observations."""
    count = world.env.num_envs
    starts = observations = world.reset()
    alive = np.ones(count, np.bool_)
    succeeded = np.zeros(count, np.bool_)
    totals, discounted = np.zeros(count), np.zeros(count)
    lengths = np.zeros(count, np.int64)
    discount = 1.0
    ending, trace = "time limit", []
    while alive.any():
        actions = act(observations)
        step = world.step(actions)
        rewards = step.rewards * alive
        totals += rewards
        discounted += discount * rewards
        discount *= gamma
        lengths += alive
        succeeded |= step.succeeded & alive
        if alive[0]:
            trace.append(actions[0])
            if step.terminated[0]:
                ending = "success" if step.succeeded[0] else "failure"
        alive &= ~(step.terminated | step.truncated)
        observations = step.observations
    return Played(starts, totals, discounted, lengths, succeeded, ending, trace)
