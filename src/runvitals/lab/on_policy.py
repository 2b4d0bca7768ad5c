"""What trainers on fresh rollouts share: the policy, rollouts, advantages, clipped losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import Recorder
from runvitals.lab.envs.base import Env
from runvitals.lab.envs.episodes import Episodes, at_end
from runvitals.lab.envs.world import Mask, World
from runvitals.lab.measures import spread
from runvitals.lab.nn import MLP, Array, Categorical, Gaussian, Integers, RunningNorm

Choice = Categorical | Gaussian


class Policy:
    """A network whose output says how the actions are drawn: by logits, or by means with a spread."""

    def __init__(
        self,
        env: Env,
        hidden: Sequence[int],
        rng: np.random.Generator,
        *,
        start_std: float = 1.0,
        dtype: Any = np.float32,
    ) -> None:
        sizes = [env.observation_size, *hidden, env.num_actions or env.action_size]
        self.net = MLP(sizes, rng, output_gain=0.01, dtype=dtype)
        self.discrete = env.num_actions > 0
        self.log_std: Array = np.full(env.action_size, math.log(start_std), dtype)
        self.log_std_grad: Array = np.zeros_like(self.log_std)

    @property
    def params(self) -> list[Array]:
        """All that is learned."""
        return [self.net.params] if self.discrete else [self.net.params, self.log_std]

    @property
    def grads(self) -> list[Array]:
        """In the order of `params`."""
        return [self.net.grads] if self.discrete else [self.net.grads, self.log_std_grad]

    def __call__(self, observations: Array, mask: Mask = None) -> Choice:
        """How the actions are drawn, a row per observation."""
        return self.choice(self.net(observations), mask)

    def choice(self, output: Array, mask: Mask = None, sharper: float = 1.0) -> Choice:
        """The distribution that an output of the network stands for."""
        if not self.discrete:
            return Gaussian(output, self.log_std - math.log(sharper))
        if mask is not None:
            output = np.where(mask, output, np.float32(-1e9))
        return Categorical(output * sharper if sharper != 1.0 else output)

    def backward(
        self, layers: list[Array], choice: Choice, actions: NDArray[Any], pull: Array, bonus: float
    ) -> None:
        """Set `grads` to those of `sum(pull * log_prob) - bonus * sum(entropy)`."""
        if isinstance(choice, Categorical):
            grad: Array = choice.log_prob_grad(actions, pull) - choice.entropy_grad(bonus)
        else:
            grad, spread = choice.log_prob_grad(actions, pull)
            _, bonus_spread = choice.entropy_grad(bonus)
            self.log_std_grad[:] = spread - bonus_spread
        self.net.backward(layers, grad)


# rollouts


class PolicyRollout(NamedTuple):
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


class RolloutBatch(NamedTuple):
    """A rollout made flat, with what the learner needs to know of each step."""

    observations: NDArray[np.float32]  # as the networks see them
    actions: NDArray[Any]
    log_probs: Array
    rewards: Array
    values: Array
    advantages: Array
    returns: Array
    masks: Mask = None


def collect(
    world: World,
    choose: Callable[[NDArray[np.float32], Mask], tuple[Choice, Choice]],
    steps: int,
    rng: np.random.Generator,
    episodes: Episodes,
) -> PolicyRollout:
    """Let a policy act from `world.shown` on.

    `choose` gives the distribution that actions are drawn from and the one whose log-probabilities
    are kept. The critic is not asked here: its values do not change until the update, so that one
    large batch afterwards does what a call per step would.
    """
    met: list[tuple[Any, ...]] = []
    masks: list[Any] = []
    totals: dict[str, float] = {}
    world.glitch()
    for _ in range(steps):
        seen, mask = world.shown, world.mask()
        acting, kept = choose(seen, mask)
        actions: NDArray[Any] = acting.sample(rng)
        taken = world.step(actions)
        ended = taken.terminated, taken.truncated, taken.final_observations
        met.append((seen, actions, kept.log_prob(actions), taken.rewards, *ended))
        if mask is not None:
            masks.append(mask)
        for name, facts in taken.extras.items():
            if not at_end(name):
                totals[name] = totals.get(name, 0.0) + float(facts.mean())
        episodes.add(taken)
    means = {name: total / steps for name, total in totals.items()}
    columns = (np.stack(column) for column in zip(*met, strict=True))
    return PolicyRollout._make((*columns, np.stack(masks) if masks else None, means))


def flat(rows: NDArray[Any]) -> NDArray[Any]:
    """Time and environment as one axis."""
    return rows.reshape(-1, *rows.shape[2:])


def final_values(value_of: Callable[[NDArray[np.float32]], Array], rollout: PolicyRollout) -> Array:
    """The critic's value of where each cut episode ended; 0 where none was cut."""
    values = np.zeros(rollout.rewards.shape, np.float32)
    if rollout.truncated.any():
        values[rollout.truncated] = value_of(rollout.final_observations[rollout.truncated])
    return values


# advantages


def gae(
    rewards: Array,
    values: Array,
    last_values: Array,
    *,
    terminated: NDArray[np.bool_] | None = None,
    truncated: NDArray[np.bool_] | None = None,
    final_values: Array | None = None,
    gamma: float,
    lam: float,
    forwards: bool = False,
) -> tuple[Array, Array]:
    """Generalised advantage estimates (Schulman et al., 2016) and the critic's targets, time first.

    A fall ends everything: nothing is worth anything after it. The step limit does not: the episode
    would have gone on, and the value of where it was cut off stands for the rest. `forwards` sums up
    what came before each step instead of what comes after it, which is wrong. Without flags nothing
    ever ends.
    """
    next_values = np.concatenate([values[1:], last_values[None]])
    goes_on = np.ones_like(values)
    if terminated is not None and truncated is not None and final_values is not None:
        next_values = np.where(truncated, final_values, next_values)
        next_values = np.where(terminated, 0.0, next_values).astype(values.dtype)
        goes_on = 1.0 - (terminated | truncated).astype(values.dtype)
    errors = rewards + gamma * next_values - values
    advantages = np.zeros_like(values)
    running = np.zeros_like(last_values)
    steps = range(len(rewards))
    for t in steps if forwards else reversed(steps):
        running = errors[t] + gamma * lam * goes_on[t] * running
        advantages[t] = running
    return advantages, advantages + values


class Normalizer:
    """Running statistics of observations and returns, where they are wanted."""

    def __init__(self, env: Env, observations: bool, rewards: bool) -> None:
        self.seen = RunningNorm(env.observation_size) if observations else None
        self.earned = RunningNorm(1) if rewards else None
        self._running = np.zeros(env.num_envs)

    def observations(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """As the networks see them."""
        return observations if self.seen is None else self.seen(observations).astype(np.float32)

    def rewards(self, rollout: PolicyRollout, gamma: float) -> NDArray[np.float32]:
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
        return rollout.rewards * np.float32(1.0 / math.sqrt(float(self.earned.var[0]) + 1e-8))

    def update(self, rollout: PolicyRollout) -> None:
        """Take in the observations; after the update, so that all of it saw the same numbers."""
        if self.seen is not None:
            self.seen.update(flat(rollout.observations))

    def forget(self, *, keep_count: bool) -> None:
        """Begin anew, or, with the old count, as if mean 0 and spread 1 had always held."""
        self._running[:] = 0.0
        for norm in (self.seen, self.earned):
            if norm is not None:
                norm.mean, norm.var = np.zeros_like(norm.mean), np.ones_like(norm.var)
                norm.count = norm.count if keep_count else 0

    def metrics(self) -> dict[str, float]:
        """What it divides by."""
        if self.earned is None:
            return {}
        return {"reward/running_std": math.sqrt(float(self.earned.var[0]))}


# losses


def minibatches(
    rows: int, epochs: int, parts: int | Sequence[int], rng: np.random.Generator
) -> list[Integers]:
    """The rows of each minibatch, all epochs after one another; every epoch in a new order."""
    orders = [rng.permutation(rows) for _ in range(epochs)]
    return [part for order in orders for part in np.array_split(order, parts)]


def clipped_surrogate(ratio: Array, advantages: Array, clip_range: float) -> tuple[float, Array]:
    """PPO's policy loss, and its gradient at the log-probabilities: nothing where the clip holds."""
    plain = ratio * advantages
    clipped = np.clip(ratio, 1.0 - clip_range, 1.0 + clip_range) * advantages
    pull = -plain * (plain <= clipped) / np.float32(len(ratio))
    return -float(np.minimum(plain, clipped).mean()), pull


def value_errors(
    values: Array, old: Array, returns: Array, clip_range: float | None
) -> tuple[float, Array, float]:
    """The critic's loss, its errors where they count, and the share in which the clip decides."""
    errors = values - returns
    if clip_range is None:
        return 0.5 * float(np.square(errors).mean()), errors, 0.0
    bounded = np.clip(values, old - clip_range, old + clip_range) - returns
    held = np.abs(bounded) > np.abs(errors)  # the clip decides, and is flat
    loss = 0.5 * float(np.maximum(np.square(errors), np.square(bounded)).mean())
    return loss, errors * ~held, float(held.mean())


# what is measured


def log_actions(run: Recorder, env: Env, actions: Integers, step: int) -> None:
    """How often each action was taken, under the name of the environment."""
    counts = np.bincount(actions, minlength=env.num_actions)
    run.log_actions(counts, step, name=env.name.partition("-")[0].lower())


def batch_metrics(batch: RolloutBatch) -> dict[str, float]:
    """What was collected, and how well the critic had foreseen it, before the update."""
    errors = batch.returns - batch.values
    variance = float(batch.returns.var())
    explained = 1.0 - float(errors.var()) / variance if variance > 0 else math.nan
    return {
        **spread("reward/", batch.rewards),
        **spread("obs/", batch.observations, "mean std"),
        **spread("advantage/", batch.advantages),
        "returns/mean": float(batch.returns.mean()),
        "returns/var": variance,
        **spread("value/", batch.values, "mean std"),
        "value/error": float(np.square(errors).mean()),
        "value/explained_variance": explained,
        "policy/logprob_mean": float(batch.log_probs.mean()),
    }
