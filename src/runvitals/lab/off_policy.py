"""What trainers that learn from a replay buffer share: their settings, the buffer, the loop."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import Recorder, Sickness, Trained
from runvitals.lab.envs.base import Env, Step, check_env, make_env
from runvitals.lab.envs.episodes import Episodes, play
from runvitals.lab.envs.world import World, healthy
from runvitals.lab.measures import spread
from runvitals.lab.nn import Array, generators
from runvitals.model import ConfigError

Transitions = TypeVar("Transitions", bound=tuple[NDArray[Any], ...])
Settings = TypeVar("Settings", bound="OffPolicyConfig")


@dataclass(frozen=True)
class OffPolicyConfig:
    """The settings of every such trainer. Steps are environment steps, over all environments."""

    env: str = "CartPole-v1"
    seed: int = 0
    total_steps: int = 80_000
    num_envs: int = 8
    buffer_size: int = 100_000  # steps that are kept
    learning_starts: int = 1_000  # steps that are collected before the first update
    updates_per_step: int = 1  # updates after each step of all environments
    batch_size: int = 64
    learning_rate: float = 2e-3
    gamma: float = 0.99
    max_grad_norm: float = 10.0
    hidden: tuple[int, ...] = (64, 64)
    window: int = 50  # episodes behind the outcome metrics
    rows: int = 125  # of metrics that are logged
    eval_every: int = 5  # rows between two evaluations
    eval_episodes: int = 16
    score_episodes: int = 64  # played at the end

    def __post_init__(self) -> None:
        check_env(self.env)
        if self.total_steps < self.rows * self.num_envs:
            raise ConfigError(
                f"total_steps={self.total_steps} is less than one step of {self.num_envs} "
                f"environments for each of {self.rows} rows"
            )


class Replay(Generic[Transitions]):
    """The last `capacity` steps; `nothing` is a batch without rows, which says what a step holds."""

    def __init__(self, capacity: int, nothing: Transitions) -> None:
        self.capacity = capacity
        self.size = 0
        self._made = cast(Callable[[Any], Transitions], type(nothing)._make)  # type: ignore[attr-defined]
        self._columns = [np.zeros((capacity, *part.shape[1:]), part.dtype) for part in nothing]
        self._at = 0

    def add(self, steps: Transitions) -> None:
        """Keep one step of each environment, in the place of the oldest ones."""
        rows = (self._at + np.arange(len(steps[0]))) % self.capacity
        for column, part in zip(self._columns, steps, strict=True):
            column[rows] = part
        self._at = (self._at + len(rows)) % self.capacity
        self.size = min(self.size + len(rows), self.capacity)

    def sample(self, count: int, rng: np.random.Generator) -> Transitions:
        """Steps drawn at random, with repetition."""
        return self._rows(rng.integers(0, self.size, count))

    def latest(self, count: int) -> Transitions:
        """The last steps, the newest first."""
        return self._rows((self._at - 1 - np.arange(min(count, self.size))) % self.capacity)

    @property
    def kept(self) -> Transitions:
        """All steps that are kept, in no particular order."""
        return self._made(column[: self.size] for column in self._columns)

    def _rows(self, rows: NDArray[np.int64]) -> Transitions:
        return self._made(column[rows] for column in self._columns)


class OffPolicy(ABC, Generic[Settings]):
    """A learner with its networks and its buffer, as the loop below needs it."""

    buffer: Replay[Any]

    def begin(self, now: Settings, progress: float, step: int) -> None:
        """Note the settings that hold now, the share of the run done, and the step at its end."""
        self.now = now
        self.progress = progress
        self.step = step

    @abstractmethod
    def act(self, observations: NDArray[np.float32]) -> NDArray[Any]:
        """The actions to try next."""

    @abstractmethod
    def keep(
        self, observations: NDArray[np.float32], actions: NDArray[Any], taken: Step
    ) -> dict[str, float]:
        """Remember a step, where `taken.final_observations` came next; gives metrics of it."""

    @abstractmethod
    def update(self) -> dict[str, float]:
        """One update on one batch; gives the metrics."""

    @abstractmethod
    def favourite(self, observations: NDArray[np.float32]) -> NDArray[Any]:
        """The best actions known."""

    @abstractmethod
    def foreseen(self, observations: NDArray[np.float32]) -> Array:
        """The return that is expected from here when the best known actions are taken."""

    @abstractmethod
    def metrics(self, replay: dict[str, float]) -> dict[str, float]:
        """The state of the learner, with the metrics of the buffer among them."""

    @abstractmethod
    def log_closer(self, run: Recorder, step: int) -> None:
        """Log what is only looked at now and then."""


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a sick run may overflow
def train_off_policy(
    config: Settings,
    run: Recorder,
    sick: Sickness,
    make: Callable[[Env, Settings, Sickness, list[np.random.Generator]], OffPolicy[Settings]],
) -> Trained:
    """Collect steps, learn from the buffer, log rows; the step is the environment step.

    `make` gets generators for weights, actions and batches.
    """
    weights_rng, env_rng, action_rng, batch_rng, eval_rng, score_rng, fault_rng = generators(
        config.seed, 7
    )
    env = make_env(config.env, config.num_envs, env_rng)
    world = World(env, sick, fault_rng)
    learner = make(env, config, sick, [weights_rng, action_rng, batch_rng])
    episodes = Episodes(config.num_envs, window=config.window, gamma=config.gamma)
    started = time.perf_counter()
    per_row = config.total_steps // (config.num_envs * config.rows)
    iterations = per_row * config.rows
    run.progress(total_steps=iterations * config.num_envs, env_steps=0)
    observations = world.reset()
    updates = 0
    seen: defaultdict[str, list[float]] = defaultdict(list)

    for iteration in range(iterations):
        sick.at(iteration / iterations)
        now = sick.settings(config)
        step = (iteration + 1) * config.num_envs
        learner.begin(now, iteration / iterations, step)

        with run.timer("rollout"):
            actions = learner.act(observations)
            taken = world.step(actions)
            after = taken.final_observations
            if dose := sick("stale-next-states"):
                stale = action_rng.random(config.num_envs) < dose
                after = np.where(stale[:, None], observations, after)
            told = learner.keep(observations, actions, taken._replace(final_observations=after))
            episodes.add(taken)
            observations = taken.observations
            rewards = taken.rewards
            told = {"reward/mean": float(rewards.mean()), "reward/std": float(rewards.std())} | told
            for name, value in told.items():
                seen[name].append(value)
        run.count(env_steps=config.num_envs)

        if step >= now.learning_starts:
            with run.timer("update"):
                for _ in range(now.updates_per_step):
                    for name, value in learner.update().items():
                        seen[name].append(value)
            updates += now.updates_per_step
            run.count(updates=now.updates_per_step)

        if (iteration + 1) % per_row:
            continue
        row = (iteration + 1) // per_row
        buffer, made = learner.buffer, len(seen.get("value/loss", ()))
        replay = {
            "replay/size": float(buffer.size),
            "replay/fill_fraction": buffer.size / buffer.capacity,
            "replay/ratio": made * now.batch_size / (per_row * config.num_envs),
        }
        metrics = {
            **episodes.metrics(),
            **{name: float(np.mean(values)) for name, values in seen.items()},
            **({"value/q_max": max(seen["value/q_max"])} if seen["value/q_max"] else {}),
            **spread("obs/", buffer.kept.observations, "mean std"),
            **learner.metrics(replay),
            "optim/updates_per_iteration": float(made),
        }
        run.count(episodes=metrics.get("outcome/episode_count", 0.0))
        look_closer = row % config.eval_every == 1 or row == config.rows
        if look_closer:
            with run.timer("eval"):
                arena = World(make_env(config.env, config.eval_episodes, eval_rng), sick, fault_rng)
                played = play(arena, learner.favourite, gamma=now.gamma)
                foreseen = learner.foreseen(played.starts)
            metrics |= played.metrics()
            metrics["value/overestimation"] = float((foreseen - played.discounted).mean())

        with run.timer("log"):
            run.log(metrics, step)
            if look_closer:
                learner.log_closer(run, step)
                run.log_histogram("outcome/return_distribution", episodes.returns, step)
                run.log_samples(played.first(), step)
                run.progress(env_steps=step, episodes=episodes.count, updates=updates)
        seen.clear()

    arena = healthy(make_env(config.env, config.score_episodes, score_rng))
    exam = play(arena, learner.favourite)
    run.summary["final_return"] = episodes.mean
    score = float(exam.totals.mean())
    return Trained(score, iterations * config.num_envs, time.perf_counter() - started)
