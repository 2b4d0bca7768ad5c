"""What is measured while PPO trains: the outcome, the batch, the update; and when it is logged."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import NamedTuple

import numpy as np

from runvitals.api import Ema
from runvitals.lab.contract import Recorder, Sickness
from runvitals.lab.envs.base import Env, Step
from runvitals.lab.measures import spread
from runvitals.lab.nn import Array
from runvitals.lab.ppo_parts import Normalizer, PPOBatch, PPORollout
from runvitals.lab.ppo_settings import PPOConfig
from runvitals.lab.ppo_world import PolicyEvaluation
from runvitals.metrics import steps_per_second, updates_per_second

UNSEEN = (  # what is not logged by somebody who looks at the return alone
    "outcome/success_rate",
    "outcome/win_rate",
    "win_rate_ema",
    "outcome/termination_rate",
    "outcome/distance_to_goal",
    "outcome/collision_rate",
    "eval/success_rate",
    "reward/component_mean",
)


class Episode(NamedTuple):
    """How one episode ended."""

    total: float  # its return
    length: int
    succeeded: bool
    terminated: bool
    facts: dict[str, float]  # what the environment tells of its end, by metric name


class RecentEpisodes:
    """The last episodes: whether the task is being learned."""

    def __init__(self, config: PPOConfig) -> None:
        self._goal = config.success_return
        self._running = np.zeros(config.num_envs)
        self._steps = np.zeros(config.num_envs, np.int64)
        self._ended: deque[Episode] = deque(maxlen=config.window)
        self._latest: list[Episode] = []  # those of the latest rollout
        self._win_rate = Ema(half_life=config.window / 2)
        self.episodes = 0
        self.first_mean = math.nan
        self.best_mean = math.nan
        self.solved_at: int | None = None

    def begin(self) -> None:
        """A new rollout begins."""
        self._latest = []

    def add(self, taken: Step) -> None:
        """Take in one step of all environments."""
        self._running += taken.rewards
        self._steps += 1
        for i in np.flatnonzero(taken.terminated | taken.truncated):
            facts = {
                name: float(fact[i]) for name, fact in taken.extras.items() if counts_at_end(name)
            }
            episode = Episode(
                float(self._running[i]),
                int(self._steps[i]),
                bool(taken.succeeded[i]),
                bool(taken.terminated[i]),
                facts,
            )
            self._ended.append(episode)
            self._latest.append(episode)
            self._win_rate.update(float(episode.succeeded))
            self._running[i] = self._steps[i] = 0
            self.episodes += 1

    @property
    def returns(self) -> Array:
        """Of the last episodes."""
        return np.array([episode.total for episode in self._ended])

    @property
    def mean(self) -> float:
        """Mean return of the last episodes, NaN before the first has ended."""
        return float(self.returns.mean()) if self._ended else math.nan

    def note_if_solved(self, step: int) -> None:
        """Keep the first, the best, and the step from which the task counts as solved."""
        mean = self.mean
        self.first_mean = mean if math.isnan(self.first_mean) else self.first_mean
        self.best_mean = float(np.fmax(self.best_mean, mean))
        full = len(self._ended) == self._ended.maxlen
        if self.solved_at is None and full and mean >= self._goal:
            self.solved_at = step

    def metrics(self) -> dict[str, float]:
        """Nothing before the first episode has ended."""
        if not self._ended:
            return {}
        returns = self.returns
        lengths = np.array([episode.length for episode in self._ended])
        metrics = {
            **spread("outcome/return_", returns),
            "outcome/success_rate": float(np.mean([episode.succeeded for episode in self._ended])),
            **spread("outcome/episode_length_", lengths, "mean std"),
            "outcome/termination_rate": float(
                np.mean([episode.terminated for episode in self._ended])
            ),
            "outcome/episode_count": float(len(self._latest)),
            "win_rate_ema": self._win_rate.value,
        }
        if self._latest:
            latest = np.mean(
                [(episode.total, episode.succeeded) for episode in self._latest], axis=0
            )
            metrics["outcome/return_mean{window=rollout}"] = float(latest[0])
            metrics["outcome/win_rate"] = float(latest[1])
        for name in self._ended[-1].facts:
            metrics[name] = float(np.mean([episode.facts[name] for episode in self._ended]))
        return metrics


def counts_at_end(name: str) -> bool:
    """Whether what an environment tells under this name counts when an episode ends."""
    return name.startswith("outcome/")


def batch_metrics(rollout: PPORollout, batch: PPOBatch) -> dict[str, float]:
    """What was collected, and how well the critic had foreseen it, before the update."""
    errors = batch.returns - batch.values
    variance = float(batch.returns.var())
    metrics = {
        **spread("reward/", rollout.rewards),
        **rollout.extras,
        **spread("advantage/", batch.advantages),
        "returns/mean": float(batch.returns.mean()),
        "returns/std": math.sqrt(variance),
        "returns/var": variance,
        **spread("value/", batch.values, "mean std var"),
        "value/error": float(np.square(errors).mean()),
        "value/explained_variance": 1.0 - float(errors.var()) / variance
        if variance > 0
        else math.nan,
        "policy/logprob_mean": float(batch.log_probs.mean()),
        **spread("obs/", batch.observations, "mean std"),
    }
    if batch.actions.ndim > 1:
        metrics["policy/action_mean"] = float(batch.actions.mean())
        metrics["policy/action_min"] = float(batch.actions.min())
        metrics["policy/action_max"] = float(batch.actions.max())
    return metrics


def ratio_metrics(log_ratio: Array, ratio: Array) -> dict[str, float]:
    """How far an update moved the policy, over the whole batch."""
    return {
        "policy/approx_kl": float(np.mean(ratio - 1.0 - log_ratio)),
        "policy/kl_old": -float(log_ratio.mean()),
        **spread("policy/ratio_", ratio),
        "policy/ratio_abs_dev": float(np.abs(ratio - 1.0).mean()),
    }


class Iteration(NamedTuple):
    """One rollout and the update from it, as the logbook needs them."""

    step: int
    settings: PPOConfig
    learning_rate: float
    rollout: PPORollout
    batch: PPOBatch
    losses: dict[str, float]
    ratio: Array  # new to old policy after the update, one per step of the batch
    param_norm: float
    update_norm: float
    acting_seconds: float
    learning_seconds: float
    updates: int  # so far, over the whole run


class Logbook:
    """Which iterations are logged, what of them, and how long that takes."""

    def __init__(
        self, run: Recorder, env: Env, iterations: int, log_rows: int, updates_before: int
    ) -> None:
        self._run = run
        self._env = env
        self._last = iterations - 1
        self._every = math.ceil(iterations / log_rows)
        self._updates_before = updates_before  # in an earlier process
        self._started = time.perf_counter()
        self.seconds = 0.0

    def is_due(self, iteration: int) -> bool:
        """Whether this iteration is logged."""
        return iteration % self._every == 0 or iteration == self._last

    def looks_closer(self, iteration: int, eval_every: int) -> bool:
        """Whether it is also evaluated, with distributions and a sample."""
        return iteration % (self._every * eval_every) == 0 or iteration == self._last

    def write(
        self,
        now: Iteration,
        outcome: RecentEpisodes,
        normalizer: Normalizer,
        evaluation: PolicyEvaluation | None,
        sick: Sickness,
    ) -> None:
        """Log one iteration; with `evaluation`, the closer look too."""
        metrics = {
            **outcome.metrics(),
            **now.losses,
            "policy/clip_range": now.settings.clip_range,
            "policy/entropy_coef": now.settings.entropy_coef,
            "optim/learning_rate": now.learning_rate,
            **self._speeds(now),
            "optim/param_norm": now.param_norm,
            "optim/update_norm": now.update_norm,
            **normalizer.metrics(),
            **batch_metrics(now.rollout, now.batch),
            **({} if evaluation is None else evaluation.metrics),
        }
        if sick("coin-farming-unseen"):
            metrics = {n: value for n, value in metrics.items() if not n.startswith(UNSEEN)}

        run, step = self._run, now.step
        with run.timer("log") as logging:
            run.log(metrics, step)
            if actions := self._env.num_actions:
                counts = np.bincount(now.batch.actions, minlength=actions)
                run.log_actions(counts, step, name=self._env.name.partition("-")[0].lower())
            if evaluation is not None:
                run.log_histogram("advantage/distribution", now.batch.advantages, step)
                run.log_histogram("returns/distribution", now.batch.returns, step)
                run.log_histogram("policy/ratio_distribution", now.ratio, step)
                run.log_histogram("outcome/return_distribution", outcome.returns, step)
                run.log_samples(evaluation.episode, step)
                run.log_text("eval/episode", evaluation.story, step)
                run.progress(env_steps=step, episodes=outcome.episodes, updates=now.updates)
        self.seconds += logging.seconds

    def _speeds(self, now: Iteration) -> dict[str, float]:
        made = now.losses["optim/updates_per_iteration"]
        here = now.updates - self._updates_before
        return {
            "throughput/rollout_steps_per_s": steps_per_second(
                now.settings.batch, now.acting_seconds
            ),
            "throughput/updates_per_s{stage=update}": updates_per_second(
                made, now.learning_seconds
            ),
            "throughput/updates_per_s{window=run}": updates_per_second(
                here, time.perf_counter() - self._started
            ),
        }
