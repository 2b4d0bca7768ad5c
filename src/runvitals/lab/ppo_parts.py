"""What PPO works on: the policy, the normaliser, a rollout and the batch made of it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.envs.base import Env
from runvitals.lab.nn import MLP, Array, Categorical, Gaussian, RunningNorm
from runvitals.lab.ppo_settings import PPOConfig

Mask = NDArray[np.bool_] | None  # which actions are allowed, a row per environment; None: all


class Policy:
    """A network whose output says how the actions are drawn: by logits, or by means with a spread."""

    def __init__(
        self, env: Env, config: PPOConfig, rng: np.random.Generator, dtype: Any = np.float32
    ) -> None:
        width = env.num_actions or env.action_size
        sizes = [env.observation_size, *config.hidden, width]
        self.net = MLP(sizes, rng, output_gain=0.01, dtype=dtype)
        self.discrete = env.num_actions > 0
        self.log_std: Array = np.full(env.action_size, math.log(config.start_std), dtype)
        self.log_std_grad: Array = np.zeros_like(self.log_std)

    @property
    def params(self) -> list[Array]:
        """All that is learned."""
        return [self.net.params] if self.discrete else [self.net.params, self.log_std]

    @property
    def grads(self) -> list[Array]:
        """In the order of `params`."""
        return [self.net.grads] if self.discrete else [self.net.grads, self.log_std_grad]

    def __call__(self, observations: Array, mask: Mask = None) -> Categorical | Gaussian:
        """How the actions are drawn, a row per observation."""
        return self.choice(self.net(observations), mask)

    def choice(
        self, output: Array, mask: Mask = None, sharper: float = 1.0
    ) -> Categorical | Gaussian:
        """The distribution that an output of the network stands for."""
        if not self.discrete:
            return Gaussian(output, self.log_std - math.log(sharper))
        if mask is not None:
            output = np.where(mask, output, np.float32(-1e9))
        return Categorical(output * sharper if sharper != 1.0 else output)

    def backward(
        self,
        layers: list[Array],
        choice: Categorical | Gaussian,
        actions: NDArray[Any],
        pull: Array,
        bonus: float,
    ) -> None:
        """Set `grads` to those of `sum(pull * log_prob) - bonus * sum(entropy)`."""
        if isinstance(choice, Categorical):
            grad: Array = choice.log_prob_grad(actions, pull) - choice.entropy_grad(bonus)
        else:
            grad, spread = choice.log_prob_grad(actions, pull)
            _, bonus_spread = choice.entropy_grad(bonus)
            self.log_std_grad[:] = spread - bonus_spread
        self.net.backward(layers, grad)


class PPORollout(NamedTuple):
    """What the policy met, time first, one column per environment."""

    observations: NDArray[np.float32]
    actions: NDArray[Any]
    log_probs: Array
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: NDArray[np.float32]  # where each step led, before any reset
    masks: Mask
    extras: dict[str, float]  # means over the rollout of what the environment tells of each step
    episodes: int  # that ended


class PPOBatch(NamedTuple):
    """A rollout made flat, with what the learner needs to know of each step."""

    observations: NDArray[np.float32]  # as the networks see them
    actions: NDArray[Any]
    log_probs: Array
    values: Array
    advantages: Array
    returns: Array
    masks: Mask = None


class Normalizer:
    """Running statistics of observations and returns, where the settings want them."""

    def __init__(self, env: Env, config: PPOConfig) -> None:
        self.seen = RunningNorm(env.observation_size) if config.normalize_observations else None
        self.earned = RunningNorm(1) if config.normalize_rewards else None
        self._running = np.zeros(config.num_envs)

    def observations(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """As the networks see them."""
        return observations if self.seen is None else self.seen(observations).astype(np.float32)

    def rewards(self, rollout: PPORollout, gamma: float) -> NDArray[np.float32]:
        """Divided by the spread of the discounted return so far, this rollout included."""
        if self.earned is None:
            return rollout.rewards
        sums = np.empty(rollout.rewards.shape)
        ended = rollout.terminated | rollout.truncated
        for t, rewards in enumerate(rollout.rewards):
            self._running = gamma * self._running + rewards
            sums[t] = self._running
            self._running = self._running * ~ended[t]
        self.earned.update(sums.reshape(-1, 1))
        scale = np.float32(1.0 / math.sqrt(float(self.earned.var[0]) + 1e-8))
        return rollout.rewards * scale

    def update(self, rollout: PPORollout) -> None:
        """Take in the observations; after the update, so that all of it saw the same numbers."""
        if self.seen is not None:
            self.seen.update(flat(rollout.observations))

    def forget(self, kept: Normalizer, *, keep_count: bool) -> None:
        """Begin anew, or, with the old count, as if mean 0 and spread 1 had always held."""
        for mine, theirs in ((self.seen, kept.seen), (self.earned, kept.earned)):
            if mine is not None and theirs is not None and keep_count:
                mine.count = theirs.count

    def metrics(self) -> dict[str, float]:
        """What it divides by."""
        if self.earned is None:
            return {}
        return {"reward/running_std": math.sqrt(float(self.earned.var[0]))}


def flat(observations: NDArray[np.float32]) -> NDArray[np.float32]:
    """One row per observation, whatever the environment and time."""
    return observations.reshape(-1, observations.shape[-1])
