"""Proximal policy optimisation (Schulman et al., 2017) in NumPy, recorded from head to foot.

One file, to be read from top to bottom: the settings, the training loop, then the pieces it uses;
`ppo_faults.py` lists what can go wrong. It learns CartPole in some seconds on one core, and the same
seed gives the same numbers, bit for bit, on the same machine.

    with rv.init(project="lab", config=asdict(config)) as run:
        result = train(config, run)
"""

from __future__ import annotations

import copy
import math
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.api import Ema
from runvitals.lab.contract import (
    HEALTHY,
    LATE,
    Recorder,
    Sickness,
    Task,
    Trained,
    Trainer,
    Variant,
)
from runvitals.lab.envs.base import Env, Step
from runvitals.lab.envs.cartpole import CartPole
from runvitals.lab.envs.grid import CoinGrid
from runvitals.lab.envs.making import check_env, make_env
from runvitals.lab.nn import (
    MLP,
    Adam,
    AdamState,
    Array,
    Categorical,
    Gaussian,
    Integers,
    RunningNorm,
    clip_norm,
    norm,
)
from runvitals.lab.ppo_faults import FAULTS, GLITCH_AT, JUMP_AT
from runvitals.metrics import steps_per_second, updates_per_second
from runvitals.model import ConfigError

Mask = NDArray[np.bool_] | None  # which actions are allowed, a row per environment; None: all


@dataclass(frozen=True)
class PPOConfig:
    """All that decides how a run goes. Steps are environment steps, over all environments."""

    env: str = CartPole.name
    env_options: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    total_steps: int = 200_000
    num_envs: int = 16
    rollout_steps: int = 128  # per environment, between two updates
    epochs: int = 10
    minibatches: int = 32  # of 64 steps: small enough that BLAS keeps to one thread
    learning_rate: float = 2e-4
    anneal_learning_rate: bool = True  # in a straight line down to 0
    adam_eps: float = 1e-5
    gamma: float = 0.99
    gae_lambda: float = 0.95
    normalize_observations: bool = False  # by running mean and spread
    normalize_rewards: bool = False  # by the running spread of the discounted return
    normalize_advantages: bool = True
    reward_noise: float = 0.0  # spread of what is added to each reward
    clip_range: float = 0.2
    value_clip_range: float | None = None  # None: the plain squared error
    entropy_coef: float = 0.001
    value_coef: float = 0.5
    max_grad_norm: float = 0.5
    target_kl: float | None = 0.02  # an update stops when the KL passes 1.5 times this
    hidden: tuple[int, ...] = (64, 64)
    start_std: float = 0.6  # of the actions, where they are real numbers
    success_return: float = 475.0  # a mean return from which on the task counts as solved
    window: int = 100  # episodes behind the outcome metrics
    log_rows: int = 250  # at most; with more iterations than that, some are not logged
    eval_every: int = 8  # logged rows between two evaluations
    eval_episodes: int = 16
    score_episodes: int = 50  # behind the final score

    @property
    def batch(self) -> int:
        """Environment steps between two updates."""
        return self.num_envs * self.rollout_steps

    def __post_init__(self) -> None:
        check_env(self.env)
        if self.batch % self.minibatches:
            raise ConfigError(
                f"{self.batch} steps do not split into {self.minibatches} minibatches of one size",
                hint="num_envs * rollout_steps must be a multiple of minibatches",
            )
        if self.total_steps < self.batch:
            raise ConfigError(
                f"total_steps={self.total_steps} is less than one rollout of {self.batch}"
            )


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


# the training loop


@dataclass(frozen=True)
class TrainResult(Trained):
    """How a training went. Returns are means over the last `window` episodes."""

    episodes: int
    updates: int
    first_return: float  # after the first rollout
    final_return: float
    best_return: float
    solved_at: int | None  # the first step with a full window above `success_return`
    logging_seconds: float  # what the loop spent in calls of the recorder

    @property
    def env_steps(self) -> int:
        """Environment steps taken."""
        return self.steps


class Checkpoint(NamedTuple):
    """All that a run needs to go on as if it had not been stopped."""

    iteration: int
    updates: int
    params: list[Array]
    optimizer: AdamState
    normalizer: Normalizer
    plant: Plant


@dataclass
class Plant:
    """Where the environments, the episodes and the dice stand."""

    env: Env
    observations: NDArray[np.float32]
    outcome: Outcome
    action_rng: np.random.Generator
    batch_rng: np.random.Generator
    eval_rng: np.random.Generator
    fault_rng: np.random.Generator


@np.errstate(over="ignore", invalid="ignore")  # a sick policy may well go through the roof
def train(
    config: PPOConfig,
    run: Recorder,
    sick: Sickness = HEALTHY,
    *,
    stop_at: float = 1.0,
    resume: Checkpoint | None = None,
) -> TrainResult:
    """Train a policy and log everything through `run`; its step is the environment step.

    It can be stopped after a share of the run and resumed from the checkpoint of its result.
    """
    started = time.perf_counter()
    sick.at(0.0)
    shape = sick.settings(config)  # what cannot change once it runs: sizes and counts
    iterations = shape.total_steps // shape.batch
    seeds = np.random.SeedSequence(config.seed).spawn(7)
    weights_rng, env_rng, *dice = map(np.random.default_rng, seeds[:6])

    env = make_env(shape.env, shape.num_envs, env_rng, **shape.env_options)
    policy = Policy(env, shape, weights_rng)
    critic = MLP([env.observation_size, *shape.hidden, 1], weights_rng, output_gain=1.0)
    params = [*policy.params, critic.params]
    optimizer = Adam(params, eps=shape.adam_eps)
    normalizer = Normalizer(env, shape)
    plant = Plant(env, np.zeros(0, np.float32), Outcome(shape), *dice)
    first, updates = 0, 0
    if resume is not None:
        first, updates = resume.iteration, resume.updates
        sick.at(first / iterations)
        plant = copy.deepcopy(resume.plant)
        for mine, kept in zip(params, resume.params, strict=True):
            mine[:] = kept
        if lost := sick("resume-bare"):
            normalizer.forget(resume.normalizer, keep_count=lost > 1.0)
        else:
            optimizer.load(resume.optimizer)
            normalizer = copy.deepcopy(resume.normalizer)
    world = World(plant.env, config, sick, plant.fault_rng)
    if resume is None:
        plant.observations = world.reset()
    outcome, updates_before = plant.outcome, updates

    logging_seconds = 0.0
    total_steps = iterations * shape.batch
    log_every = math.ceil(iterations / shape.log_rows)
    last = round(stop_at * iterations)
    run.progress(total_steps=total_steps, env_steps=first * shape.batch)

    for iteration in range(first, last):
        step = (iteration + 1) * shape.batch
        sick.at(iteration / iterations)
        now = sick.settings(config)
        left = 1.0 - iteration / iterations
        learning_rate = now.learning_rate * (left if now.anneal_learning_rate else 1.0)
        if (factor := sick("lr-jump")) and sick.progress >= JUMP_AT:
            learning_rate *= factor

        with run.timer("rollout") as acting:
            rollout = collect(world, policy, normalizer, plant, now)

        with run.timer("advantage"):
            seen = normalizer.observations(_flat(rollout.observations))
            rewards = normalizer.rewards(rollout, now.gamma)
            if sick("reward-scale") or sick("advantages-raw"):
                rewards = rollout.rewards  # the scale is wrong because nothing sets it right
            if share := sick("rewards-shuffled"):
                rewards = _shuffled(rewards.ravel(), share, plant.fault_rng).reshape(rewards.shape)
            terminated = rollout.terminated
            if share := sick("terminal-mask-missing"):
                terminated = terminated & (plant.fault_rng.random(terminated.shape) >= share)
            values = critic(seen)[:, 0].reshape(rewards.shape)
            advantages, returns = gae(
                rewards,
                values,
                critic(normalizer.observations(plant.observations))[:, 0],
                terminated=terminated,
                truncated=rollout.truncated,
                final_values=_final_values(critic, normalizer, rollout),
                gamma=now.gamma,
                lam=now.gae_lambda,
                forwards=bool(sick("returns-not-reversed")),
            )
            if sick("advantage-sign"):
                advantages = -advantages
            returns = returns + np.float32(sick("returns-shifted"))

        with run.timer("update") as learning:
            batch = Batch(
                seen,
                rollout.actions.reshape(-1, *rollout.actions.shape[2:]),
                rollout.log_probs.ravel(),
                values.ravel(),
                advantages.ravel(),
                returns.ravel(),
                None if rollout.masks is None else rollout.masks.reshape(-1, env.num_actions),
            )
            if share := sick("targets-shuffled"):
                order = _shuffled(np.arange(shape.batch), share, plant.fault_rng)
                batch = batch._replace(
                    advantages=batch.advantages[order], returns=batch.returns[order]
                )
            before = [mine.copy() for mine in params]
            losses, ratio = update(
                policy, critic, optimizer, batch, now, learning_rate, plant.batch_rng, sick
            )
        normalizer.update(rollout)
        updates += int(losses["optim/updates_per_iteration"])
        run.count(env_steps=shape.batch, updates=losses["optim/updates_per_iteration"])
        run.count(episodes=rollout.episodes)
        outcome.note_if_solved(step)

        at_the_end = iteration == iterations - 1
        if iteration % log_every and not at_the_end:
            continue
        metrics = {
            **outcome.metrics(),
            **losses,
            "policy/clip_range": now.clip_range,
            "policy/entropy_coef": now.entropy_coef,
            "optim/learning_rate": learning_rate,
            "throughput/rollout_steps_per_s": steps_per_second(shape.batch, acting.seconds),
            "throughput/updates_per_s{stage=update}": updates_per_second(
                losses["optim/updates_per_iteration"], learning.seconds
            ),
            "throughput/updates_per_s{window=run}": updates_per_second(
                updates - updates_before, time.perf_counter() - started
            ),
            "optim/param_norm": norm(params),
            "optim/update_norm": norm([m - b for m, b in zip(params, before, strict=True)]),
            **normalizer.metrics(),
            **_batch_metrics(rollout, batch),
        }
        look_closer = at_the_end or iteration % (log_every * now.eval_every) == 0
        if look_closer:
            with run.timer("eval"):
                evaluation = evaluate(policy, normalizer, config, plant.eval_rng, sick)
            metrics |= evaluation.metrics
        if sick("coin-farming-unseen"):
            metrics = {n: value for n, value in metrics.items() if not n.startswith(UNSEEN)}

        with run.timer("log") as logging:
            run.log(metrics, step)
            if env.num_actions:
                counts = np.bincount(batch.actions, minlength=env.num_actions)
                run.log_actions(counts, step, name=env.name.partition("-")[0].lower())
            if look_closer:
                run.log_histogram("advantage/distribution", batch.advantages, step)
                run.log_histogram("returns/distribution", batch.returns, step)
                run.log_histogram("policy/ratio_distribution", ratio, step)
                run.log_histogram("outcome/return_distribution", outcome.returns, step)
                run.log_samples(evaluation.episode, step)
                run.log_text("eval/episode", evaluation.story, step)
                run.progress(env_steps=step, episodes=outcome.episodes, updates=updates)
        logging_seconds += logging.seconds

    checkpoint = Checkpoint(
        last,
        updates,
        [mine.copy() for mine in params],
        optimizer.state(),
        copy.deepcopy(normalizer),
        copy.deepcopy(plant),
    )
    result = TrainResult(
        score=score(policy, normalizer, config, np.random.default_rng(seeds[6])),
        steps=last * shape.batch,
        episodes=outcome.episodes,
        updates=updates,
        first_return=outcome.first_mean,
        final_return=outcome.mean,
        best_return=outcome.best_mean,
        solved_at=outcome.solved_at,
        seconds=time.perf_counter() - started,
        logging_seconds=logging_seconds,
        checkpoint=checkpoint if last < iterations else None,
    )
    run.summary["solved_at"] = result.solved_at
    run.summary["final_return"] = result.final_return
    run.summary["logging_seconds"] = result.logging_seconds
    return result


# the world as the trainer meets it


class World:
    """The environments, and around them the wrappers in which things go wrong."""

    def __init__(
        self, env: Env, config: PPOConfig, sick: Sickness, rng: np.random.Generator
    ) -> None:
        self.env = env
        self._limit = env.max_steps
        self._noise = config.reward_noise
        self.sick = sick
        self.struck = False  # by the infinite observation
        self._rng = rng

    def reset(self) -> NDArray[np.float32]:
        """New episodes everywhere; gives what the policy sees of them."""
        first = self.env.reset()
        return self._observations(first, first)

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


class Normalizer:
    """Running statistics of observations and returns, where the settings want them."""

    def __init__(self, env: Env, config: PPOConfig) -> None:
        self.seen = RunningNorm(env.observation_size) if config.normalize_observations else None
        self.earned = RunningNorm(1) if config.normalize_rewards else None
        self._running = np.zeros(config.num_envs)

    def observations(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """As the networks see them."""
        return observations if self.seen is None else self.seen(observations).astype(np.float32)

    def rewards(self, rollout: Rollout, gamma: float) -> NDArray[np.float32]:
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

    def update(self, rollout: Rollout) -> None:
        """Take in the observations; after the update, so that all of it saw the same numbers."""
        if self.seen is not None:
            self.seen.update(_flat(rollout.observations))

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


# rollouts


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


class Rollout(NamedTuple):
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


def collect(
    world: World, policy: Policy, normalizer: Normalizer, plant: Plant, config: PPOConfig
) -> Rollout:
    """Let the policy act from `plant.observations` on, and leave there where it got to.

    The critic is not asked here: its values do not change until the update, so that one large batch
    afterwards does what a call per step would.
    """
    env, sick, outcome = world.env, world.sick, plant.outcome
    shape = (config.rollout_steps, env.num_envs)
    rollout = Rollout(
        observations=np.empty((*shape, env.observation_size), np.float32),
        actions=(
            np.empty(shape, np.int64)
            if policy.discrete
            else np.empty((*shape, env.action_size), np.float32)
        ),
        log_probs=np.empty(shape, np.float32),
        rewards=np.empty(shape, np.float32),
        terminated=np.empty(shape, np.bool_),
        truncated=np.empty(shape, np.bool_),
        final_observations=np.empty((*shape, env.observation_size), np.float32),
        masks=np.ones((*shape, env.num_actions), np.bool_) if sick("mask-one-action") else None,
        extras={},
        episodes=0,
    )
    before = outcome.episodes
    outcome.begin()
    totals: dict[str, float] = {}
    if sick("inf-observation") and sick.progress >= GLITCH_AT and not world.struck:
        world.struck = True
        plant.observations[0, 0] = np.inf
    for t in range(config.rollout_steps):
        mask = world.mask()
        output = policy.net(normalizer.observations(plant.observations))
        choice = policy.choice(output, mask)
        actions: NDArray[Any] = choice.sample(plant.action_rng)
        if sharper := sick("log-probs-sharper"):
            choice = policy.choice(output, mask, sharper)
        taken = world.step(actions, plant.observations)
        rollout.observations[t] = plant.observations
        rollout.actions[t] = actions
        rollout.log_probs[t] = choice.log_prob(actions)
        rollout.rewards[t] = taken.rewards
        rollout.terminated[t] = taken.terminated
        rollout.truncated[t] = taken.truncated
        rollout.final_observations[t] = taken.final_observations
        if rollout.masks is not None and mask is not None:
            rollout.masks[t] = mask
        for name, facts in taken.extras.items():
            if not _at_end(name):
                totals[name] = totals.get(name, 0.0) + float(facts.mean())
        outcome.add(taken)
        plant.observations = taken.observations
    extras = {name: total / config.rollout_steps for name, total in totals.items()}
    return rollout._replace(extras=extras, episodes=outcome.episodes - before)


def _at_end(name: str) -> bool:
    """Whether what an environment tells under this name counts when an episode ends."""
    return name.startswith("outcome/")


class Episode(NamedTuple):
    """How one episode ended."""

    total: float  # its return
    length: int
    succeeded: bool
    terminated: bool
    facts: dict[str, float]  # what the environment tells of its end, by metric name


class Outcome:
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
            facts = {name: float(fact[i]) for name, fact in taken.extras.items() if _at_end(name)}
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
            "outcome/return_mean": float(returns.mean()),
            "outcome/return_std": float(returns.std()),
            "outcome/return_min": float(returns.min()),
            "outcome/return_max": float(returns.max()),
            "outcome/success_rate": float(np.mean([episode.succeeded for episode in self._ended])),
            "outcome/episode_length_mean": float(lengths.mean()),
            "outcome/episode_length_std": float(lengths.std()),
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


# advantages


def gae(
    rewards: Array,
    values: Array,
    last_values: Array,
    *,
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    final_values: Array,
    gamma: float,
    lam: float,
    forwards: bool = False,
) -> tuple[Array, Array]:
    """Generalised advantage estimates (Schulman et al., 2016) and the critic's targets, time first.

    A fall ends everything: nothing is worth anything after it. The step limit does not: the episode
    would have gone on, and the value of where it was cut off stands for the rest. `forwards` sums up
    what came before each step instead of what comes after it, which is wrong.
    """
    next_values = np.concatenate([values[1:], last_values[None]])
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


def _final_values(critic: MLP, normalizer: Normalizer, rollout: Rollout) -> Array:
    """The critic's value of where each cut episode ended; 0 where none was cut."""
    values = np.zeros(rollout.rewards.shape, np.float32)
    if rollout.truncated.any():
        ends = normalizer.observations(rollout.final_observations[rollout.truncated])
        values[rollout.truncated] = critic(ends)[:, 0]
    return values


def _shuffled(rows: NDArray[Any], share: float, rng: np.random.Generator) -> NDArray[Any]:
    """The rows, a share of them in each other's places."""
    mixed = rows.copy()
    moved = np.flatnonzero(rng.random(len(rows)) < share)
    mixed[moved] = rows[rng.permutation(moved)]
    return mixed


# the update


class Batch(NamedTuple):
    """A rollout made flat, with what the learner needs to know of each step."""

    observations: NDArray[np.float32]  # as the networks see them
    actions: NDArray[Any]
    log_probs: Array
    values: Array
    advantages: Array
    returns: Array
    masks: Mask = None


def update(
    policy: Policy,
    critic: MLP,
    optimizer: Adam,
    batch: Batch,
    config: PPOConfig,
    learning_rate: float,
    rng: np.random.Generator,
    sick: Sickness = HEALTHY,
) -> tuple[dict[str, float], Array]:
    """Some epochs over one batch; gives the metrics and the final ratio new to old policy per step.

    Losses, entropy, gradient norms and clip fractions are means over the minibatches. KL and ratio
    are measured once, at the end, over the whole batch; the first minibatch, which has to have a
    ratio of 1, apart from that.
    """
    seen: dict[str, list[float]] = {}
    updates = 0
    first_dev = 0.0
    for rows in _minibatches(config, rng):
        # policy: the clipped surrogate, and a bonus for staying random
        layers = policy.net.forward(batch.observations[rows])
        choice = policy.choice(layers[-1], None if batch.masks is None else batch.masks[rows])
        actions = batch.actions[rows]
        log_ratio = choice.log_prob(actions) - batch.log_probs[rows]
        ratio = np.exp(log_ratio)
        if updates == 0:
            first_dev = float(np.abs(ratio - 1.0).mean())
        approx_kl = float(np.mean(ratio - 1.0 - log_ratio))
        if config.target_kl is not None and updates and approx_kl > 1.5 * config.target_kl:
            break
        advantages = batch.advantages[rows]
        if config.normalize_advantages:
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        plain = ratio * advantages
        clipped = np.clip(ratio, 1.0 - config.clip_range, 1.0 + config.clip_range) * advantages
        policy_loss = -float(np.minimum(plain, clipped).mean())
        entropy = float(choice.entropy().mean())
        # the gradient of the smaller of the two: nothing flows where the clip holds
        pull = -plain * (plain <= clipped) / np.float32(len(rows))
        policy.backward(layers, choice, actions, pull, config.entropy_coef / len(rows))

        # critic: squared error against the return targets
        value_layers = critic.forward(batch.observations[rows])
        values = value_layers[-1][:, 0]
        errors = values - batch.returns[rows]
        value_loss = 0.5 * float(np.square(errors).mean())
        if config.value_clip_range is not None:
            old = batch.values[rows]
            bounded = np.clip(values, old - config.value_clip_range, old + config.value_clip_range)
            bounded_errors = bounded - batch.returns[rows]
            value_loss = 0.5 * float(np.maximum(errors**2, bounded_errors**2).mean())
            held = np.abs(bounded_errors) > np.abs(errors)  # the clip decides, and is flat
            errors = errors * ~held
            seen.setdefault("value/clip_fraction", []).append(float(held.mean()))
        critic.backward(value_layers, (config.value_coef / len(rows)) * errors[:, None])

        policy_norm, value_norm = norm(policy.grads), norm([critic.grads])
        grads = [*policy.grads, critic.grads]
        grad_norm = clip_norm(grads, config.max_grad_norm)
        if not sick("optimizer-step-missing"):
            optimizer.step(grads, learning_rate)
        updates += 1

        for name, value in (
            ("policy/loss", policy_loss),
            ("value/loss", value_loss),
            (
                "optim/loss",
                policy_loss + config.value_coef * value_loss - config.entropy_coef * entropy,
            ),
            ("policy/entropy", entropy),
            ("policy/clip_fraction", float((np.abs(ratio - 1.0) > config.clip_range).mean())),
            ("policy/grad_norm", policy_norm),
            ("value/grad_norm", value_norm),
            ("optim/grad_norm", grad_norm),
            ("optim/grad_clip_fraction", float(grad_norm > config.max_grad_norm)),
        ):
            seen.setdefault(name, []).append(value)

    log_ratio = policy(batch.observations, batch.masks).log_prob(batch.actions) - batch.log_probs
    ratio = np.exp(log_ratio)
    metrics = {name: float(np.mean(values)) for name, values in seen.items()}
    metrics |= {
        "policy/approx_kl": float(np.mean(ratio - 1.0 - log_ratio)),
        "policy/kl_old": -float(log_ratio.mean()),
        "policy/ratio_mean": float(ratio.mean()),
        "policy/ratio_std": float(ratio.std()),
        "policy/ratio_min": float(ratio.min()),
        "policy/ratio_max": float(ratio.max()),
        "policy/ratio_abs_dev": float(np.abs(ratio - 1.0).mean()),
        "policy/ratio_abs_dev{minibatch=first}": first_dev,
        "optim/updates_per_iteration": float(updates),
    }
    if not policy.discrete:
        metrics["policy/action_std"] = float(np.exp(policy.log_std).mean())
    return metrics, ratio


def _minibatches(config: PPOConfig, rng: np.random.Generator) -> list[Integers]:
    """The rows of each minibatch, all epochs after one another; every epoch in a new order."""
    orders = [rng.permutation(config.batch) for _ in range(config.epochs)]
    return [rows for order in orders for rows in np.split(order, config.minibatches)]


def _batch_metrics(rollout: Rollout, batch: Batch) -> dict[str, float]:
    """What was collected, and how well the critic had foreseen it, before the update."""
    errors = batch.returns - batch.values
    spread = float(batch.returns.var())
    metrics = {
        "reward/mean": float(rollout.rewards.mean()),
        "reward/std": float(rollout.rewards.std()),
        "reward/min": float(rollout.rewards.min()),
        "reward/max": float(rollout.rewards.max()),
        **rollout.extras,
        "advantage/mean": float(batch.advantages.mean()),
        "advantage/std": float(batch.advantages.std()),
        "advantage/min": float(batch.advantages.min()),
        "advantage/max": float(batch.advantages.max()),
        "returns/mean": float(batch.returns.mean()),
        "returns/std": math.sqrt(spread),
        "returns/var": spread,
        "value/mean": float(batch.values.mean()),
        "value/std": float(batch.values.std()),
        "value/var": float(batch.values.var()),
        "value/error": float(np.square(errors).mean()),
        "value/explained_variance": 1.0 - float(errors.var()) / spread if spread > 0 else math.nan,
        "policy/logprob_mean": float(batch.log_probs.mean()),
        "obs/mean": float(batch.observations.mean()),
        "obs/std": float(batch.observations.std()),
    }
    if batch.actions.ndim > 1:
        metrics["policy/action_mean"] = float(batch.actions.mean())
        metrics["policy/action_min"] = float(batch.actions.min())
        metrics["policy/action_max"] = float(batch.actions.max())
    return metrics


def _flat(observations: NDArray[np.float32]) -> NDArray[np.float32]:
    return observations.reshape(-1, observations.shape[-1])


# evaluation


class Evaluation(NamedTuple):
    """What the policy does in new episodes."""

    metrics: dict[str, float]
    episode: dict[str, Any]  # the first of them
    story: str


def score(
    policy: Policy, normalizer: Normalizer, config: PPOConfig, rng: np.random.Generator
) -> float:
    """How well the task itself has been learned, of which no fault has changed anything.

    The policy acts as it was trained to, at random; the score is the mean return, or the success
    rate where there is a goal to be found.
    """
    plain = make_env(config.env, config.score_episodes, rng)
    world = World(plain, PPOConfig(env=config.env), HEALTHY, rng)
    found = play(policy, normalizer, world, rng).metrics
    return found["eval/success_rate" if isinstance(plain, CoinGrid) else "eval/return_mean"]


def evaluate(
    policy: Policy,
    normalizer: Normalizer,
    config: PPOConfig,
    rng: np.random.Generator,
    sick: Sickness = HEALTHY,
) -> Evaluation:
    """Play `eval_episodes` episodes greedily, through the same wrappers as in training."""
    env = make_env(config.env, config.eval_episodes, rng, **config.env_options)
    return play(policy, normalizer, World(env, config, sick, rng))


def play(
    policy: Policy, normalizer: Normalizer, world: World, dice: np.random.Generator | None = None
) -> Evaluation:
    """One episode in each environment: at random with `dice`, else by the favourite action."""
    env = world.env
    observations = world.reset()
    alive = np.ones(env.num_envs, np.bool_)
    succeeded = np.zeros(env.num_envs, np.bool_)
    returns = np.zeros(env.num_envs)
    lengths = np.zeros(env.num_envs, np.int64)
    trace: list[Any] = []  # actions of the first environment
    ending = "time limit"
    while alive.any():
        choice = policy(normalizer.observations(observations), world.mask())
        actions = choice.mode() if dice is None else choice.sample(dice)
        taken = world.step(actions, observations)
        returns += taken.rewards * alive
        lengths += alive
        succeeded |= taken.succeeded & alive
        if alive[0]:
            trace.append(actions[0])
            if taken.terminated[0]:
                ending = "success" if taken.succeeded[0] else "failure"
        alive &= ~(taken.terminated | taken.truncated)
        observations = taken.observations

    episode: dict[str, Any] = {
        "return": float(returns[0]),
        "length": int(lengths[0]),
        "ending": ending,
    }
    if policy.discrete:
        shares = np.bincount(trace, minlength=env.num_actions) / len(trace)
        episode["action_shares"] = [round(float(share), 3) for share in shares]
        acted = "actions " + " ".join(f"{share:.0%}" for share in shares)
    else:
        episode["action_mean"] = round(float(np.mean(trace)), 3)
        acted = f"mean action {np.mean(trace):.2f}"
    story = f"{lengths[0]} steps, then {ending}; return {returns[0]:.1f}, {acted}"
    metrics = {
        "eval/return_mean": float(returns.mean()),
        "eval/return_std": float(returns.std()),
        "eval/return_min": float(returns.min()),
        "eval/success_rate": float(succeeded.mean()),
        "eval/episode_length_mean": float(lengths.mean()),
    }
    return Evaluation(metrics, episode, story)


# the trainer

TASKS = (
    Task(
        "cartpole",
        "balance a pole on a cart",
        "mean return of 50 episodes, at most 500",
        target=400.0,
        settings={
            "env": "CartPole-v1",
            "total_steps": 102_400,
            "num_envs": 8,
            "minibatches": 16,
            "epochs": 6,
            "learning_rate": 1e-3,
            "eval_every": 5,
        },
    ),
    Task(
        "acrobot",
        "swing a two-link arm up to a line",
        "mean return of 50 episodes, minus the steps it took",
        target=-120.0,
        settings={
            "env": "Acrobot-v1",
            "total_steps": 102_400,
            "num_envs": 16,
            "rollout_steps": 64,
            "minibatches": 16,
            "epochs": 4,
            "learning_rate": 1e-3,
            "normalize_observations": True,
            "success_return": -100.0,
            "eval_every": 5,
        },
    ),
    Task(
        "pendulum",
        "swing a pendulum up and hold it there",
        "mean return of 50 episodes, at most 0",
        target=-300.0,
        settings={
            "env": "Pendulum-v1",
            "total_steps": 102_400,
            "num_envs": 16,
            "rollout_steps": 64,
            "minibatches": 16,
            "epochs": 8,
            "learning_rate": 2e-3,
            "gamma": 0.95,
            "normalize_observations": True,
            "normalize_rewards": True,
            "target_kl": None,
            "entropy_coef": 0.0,
            "success_return": -250.0,
            "window": 48,
            "eval_every": 5,
        },
    ),
    Task(
        "coin-grid",
        "find the way through a small maze",
        "success rate of 50 episodes",
        target=0.9,
        settings={
            "env": "CoinGrid-v0",
            "total_steps": 40_960,
            "num_envs": 16,
            "rollout_steps": 32,
            "minibatches": 8,
            "epochs": 4,
            "learning_rate": 5e-4,
            "anneal_learning_rate": False,
            "entropy_coef": 0.01,
            "success_return": 0.85,
            "eval_every": 5,
        },
    ),
)
VARIANTS = (
    Variant(
        "solved-early",
        "goes on long after the task is solved",
        {"total_steps": 163_840},
        tasks=("cartpole", "coin-grid"),
    ),
    Variant(
        "slow-learner",
        "learns with small steps, and is not done at the end",
        {"learning_rate": 1e-4, "total_steps": 61_440},
        learns=False,
        tasks=("cartpole",),
    ),
    Variant(
        "annealed-to-zero",
        "the learning rate goes down to 0",
        {"anneal_learning_rate": True},
        tasks=("coin-grid",),
    ),
    Variant(
        "no-annealing",
        "the learning rate stays what it is",
        {"anneal_learning_rate": False},
        tasks=("cartpole",),
    ),
    Variant(
        "sparse-noisy-reward",
        "no reward but at the goal, and noise on top of it",
        {"env_options": {"step_cost": 0.0}, "reward_noise": 0.1},
        tasks=("coin-grid",),
    ),
    Variant("resumed", "stopped in the middle and resumed, with all its state", resume_at=0.5),
    Variant(
        "short-run",
        "a first try that is over before anything is learned",
        {"total_steps": 14_336, "log_rows": 14},
        learns=False,
    ),
    Variant(
        "metrics-missing",
        "nothing is logged of the critic and the optimiser",
        hide=("value/*", "returns/*", "optim/*", "advantage/*", "policy/ratio*", "policy/*norm"),
    ),
    Variant("few-logs", "only some iterations are logged", {"log_rows": 25, "eval_every": 3}),
    Variant(
        "large-batch",
        "four times as many steps between two updates",
        {"num_envs": 32, "total_steps": 163_840},
        tasks=("cartpole",),
    ),
    Variant(
        "many-envs",
        "many environments and short rollouts",
        {"num_envs": 64, "rollout_steps": 16},
        tasks=("cartpole", "pendulum", "coin-grid"),
    ),
    Variant(
        "kl-stop-off",
        "nothing stops an update early",
        {"target_kl": None},
        tasks=("cartpole", "coin-grid"),
    ),
    Variant(
        "kl-stop-tight",
        "updates are often stopped early",
        {"target_kl": 0.005},
        tasks=("cartpole", "coin-grid"),
    ),
    Variant("few-epochs", "two passes over each batch", {"epochs": 2}, tasks=("coin-grid",)),
    Variant(
        "high-entropy",
        "is kept random on purpose",
        {"entropy_coef": 0.02},
        tasks=("cartpole", "coin-grid"),
    ),
    Variant(
        "lambda-one",
        "plain returns, hence noisy advantages",
        {"gae_lambda": 1.0},
        tasks=("cartpole", "coin-grid"),
    ),
    Variant("small-network", "one small layer", {"hidden": (16,)}, tasks=("cartpole", "coin-grid")),
    Variant(
        "normalized",
        "observations and rewards are normalised",
        {"normalize_observations": True, "normalize_rewards": True},
        tasks=("cartpole",),
    ),
)
GLOSSARY = {  # other names for what is logged here
    "outcome/return_mean": "avg_reward",
    "outcome/return_mean{window=rollout}": "avg_return",
    "outcome/win_rate": "win_rate",
    "outcome/success_rate": "success_rate",
    "outcome/episode_length_mean": "episode_length",
    "policy/loss": "policy_loss",
    "value/loss": "value_loss",
    "policy/entropy": "entropy",
    "policy/approx_kl": "approx_kl",
    "policy/clip_fraction": "clip_fraction",
    "value/explained_variance": "explained_variance",
    "throughput/rollout_steps_per_s": "steps_per_second",
    "throughput/updates_per_s{stage=update}": "updates_per_second",
    "throughput/updates_per_s{window=run}": "updates/sec",
    "optim/learning_rate": "current_lr",
    "policy/clip_range": "clip_epsilon",
    "outcome/distance_to_goal": "distance_to_goal",
    "outcome/collision_rate": "collision_rate",
}

PPO = Trainer(
    name="ppo",
    title="PPO on classic control",
    algorithm="PPO",
    config=PPOConfig,
    train=train,
    tasks=TASKS,
    faults=FAULTS,
    variants=VARIANTS,
    resumable=True,
    dialects={"glossary": GLOSSARY},
)
