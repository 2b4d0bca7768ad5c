"""Deep Q-learning (Mnih et al., 2015) in NumPy, with double Q-learning, recorded from head to foot.

One file, to be read from top to bottom: the settings, what can go wrong, the training loop, then the
pieces it uses. It learns CartPole in a few seconds on one core.

    with rv.init(project="lab", config=asdict(config)) as run:
        result = train(config, run)
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import (
    HEALTHY,
    Recorder,
    Sickness,
    Task,
    Trained,
    Trainer,
    Variant,
)
from runvitals.lab.envs.base import Env, Step
from runvitals.lab.envs.episodes import Episodes, play
from runvitals.lab.envs.making import check_env, make_env
from runvitals.lab.fault_page import faults
from runvitals.lab.nn import MLP, Adam, Array, Integers, clip_norm, norm
from runvitals.model import ConfigError


@dataclass(frozen=True)
class DQNConfig:
    """All that decides how a run goes. Steps are environment steps, over all environments."""

    env: str = "CartPole-v1"
    seed: int = 0
    total_steps: int = 80_000
    num_envs: int = 8
    buffer_size: int = 100_000  # steps that are kept
    learning_starts: int = 1_000  # steps that are collected before the first update
    updates_per_step: int = 1  # updates after each step of all environments
    batch_size: int = 64
    learning_rate: float = 2e-3
    anneal_learning_rate: bool = True  # in a straight line down to 0
    gamma: float = 0.99
    n_step: int = 8  # rewards that are seen before the value of the rest is asked for
    double: bool = True  # the network chooses the next action, the target network values it
    target_update_interval: int = 25  # updates between two copies to the target network
    huber_delta: float = 10.0  # errors beyond it count linearly; in units of reward
    max_grad_norm: float = 10.0
    exploration_initial_eps: float = 1.0
    exploration_final_eps: float = 0.05
    exploration_fraction: float = 0.3  # of the run, in which epsilon falls in a straight line
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


# what can be learned, and what can go wrong


TASKS = (
    Task("cartpole", "balance a pole on a cart", "mean return without exploration", target=450.0),
    Task(
        "coin-grid",
        "find the way through a maze",
        "mean return without exploration",
        target=0.8,
        settings={"env": "CoinGrid-v0", "total_steps": 40_000},
    ),
)

FAULTS = faults(
    """
epsilon-stays-1 (Q01): every action is random to the end
  expect: ENT005; accept: REW005
  doses: mild 0.7, clear 1.0; sets: exploration_final_eps = dose

epsilon-starts-0 (Q01): no random actions at all
  expect: ENT005; accept: REW005, POL005
  doses: 0.0; sets: exploration_initial_eps = dose, exploration_final_eps = dose

epsilon-decays-in-1-percent (Q01): random actions end before anything has been learned
  expect: ENT005; accept: REW005, POL005
  doses: 0.03, 0.01, 0.001; sets: exploration_fraction = dose; late: no

target-every-step (Q02): the target network is copied at every update
  expect: VAL006, DATA007; accept: REW008, REW005, VAL001
  doses: 1.0; sets: target_update_interval = int(dose)

target-never (Q02): the target network stays as it was
  expect: VAL006, DATA007; accept: REW008, REW005
  doses: 1000000000.0; sets: target_update_interval = int(dose)

terminal-mask-missing (Q03): a terminal state is valued as if the episode continued
  expect: VAL006; accept: VAL004, REW005

learning-starts-late (Q04): the first update comes when 90% of the run is over
  expect: DATA007; accept: REW005
  doses: 0.6, 0.9, 0.99; late: no

stale-next-states (Q05): the replay buffer keeps the state before the step as the one after it
  expect: VAL006, REW005; accept: VAL004
  doses: 0.1, 0.5, 1.0  # the share of the steps

buffer-tiny (Q09): the replay buffer holds little more than one batch
  expect: REW005; accept: VAL006, REW003, DATA007
  doses: 1000, 200, 64; sets: buffer_size = int(dose), learning_starts = int(dose); late: no

lr-x100 (P01): learning rate 100 times too high
  expect: VAL001, VAL006; accept: REW003, REW005, DATA007, GRAD001, POL005
  doses: 10, 100, 1000; sets: learning_rate *= dose

lr-zero (P02): learning rate of 0
  expect: POL002; accept: DATA007, REW005
  doses: 0.0; sets: learning_rate = dose

reward-x1000 (P08): rewards a thousand times as large, and not normalised
  expect: REW012; accept: VAL001, VAL004, VAL006, GRAD002
  doses: 10, 1000, 100000

reward-sign (P10): the reward has the wrong sign
  expect: REW011; accept: REW001, REW003, REW005

observations-zero (P15): every observation is 0
  expect: REW005, POL005; accept: VAL003, ENT004

gamma-0 (P18): a discount of 0: only the next reward counts
  expect: DATA007; accept: REW005, REW011
  doses: 0.0; sets: gamma = dose

optimizer-step-missing (P25): the optimiser is never asked to step
  expect: POL002; accept: REW005

reward-constant (P26): every reward is 0
  expect: REW004; accept: GRAD003, REW005
""",
    changes={
        "learning-starts-late": lambda config, dose: {
            "learning_starts": int(dose * config.total_steps)
        },
    },
)

VARIANTS = (
    Variant(
        "solved-early",
        "continues long after it has solved the task",
        {"total_steps": 160_000, "exploration_fraction": 0.15},
        tasks=("cartpole",),
    ),
    Variant(
        "slow-learner",
        "a small learning rate: still getting better at the end",
        {"learning_rate": 5e-5},
        learns=False,
        tasks=("cartpole",),
    ),
    Variant(
        "short-run",
        "a dozen rows, then the budget is spent",
        {"total_steps": 9_600, "rows": 12},
        learns=False,
        tasks=("cartpole",),
    ),
    Variant("no-annealing", "the learning rate stays as it is", {"anneal_learning_rate": False}),
    Variant("small-buffer", "only the last third of the run is kept", {"buffer_size": 25_000}),
    Variant("single-q", "plain Q-learning, which values a little too high", {"double": False}),
    Variant("metrics-missing", "nothing is logged about the values", hide=("value/*",)),
    Variant("few-logs", "30 rows", {"rows": 30, "eval_every": 1}),
)


# the training


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a sick run may overflow
def train(config: DQNConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Train a Q-network and log everything through `run`; its step is the environment step."""
    seeds = np.random.SeedSequence(config.seed).spawn(6)
    weights_rng, env_rng, action_rng, batch_rng, eval_rng, score_rng = map(
        np.random.default_rng, seeds
    )

    env = Wrapped(make_env(config.env, config.num_envs, env_rng), sick)
    sizes = [env.observation_size, *config.hidden, env.num_actions]
    network, target = MLP(sizes, weights_rng), MLP(sizes, weights_rng)
    target.params[:] = network.params
    optimizer = Adam([network.params])
    buffer = Replay(sick.settings(config).buffer_size, env.observation_size)
    ahead = Lookahead(config.n_step)

    episodes = Episodes(config.num_envs, window=config.window, gamma=config.gamma)
    started = time.perf_counter()
    per_row = config.total_steps // (config.num_envs * config.rows)
    iterations = per_row * config.rows
    run.progress(total_steps=iterations * config.num_envs, env_steps=0)
    observations = env.reset()
    updates = target_updates = 0
    seen: defaultdict[str, list[float]] = defaultdict(list)
    actions_taken = np.zeros(env.num_actions, np.int64)

    for iteration in range(iterations):
        sick.at(iteration / iterations)
        now = sick.settings(config)
        left = 1.0 - iteration / iterations
        learning_rate = now.learning_rate * (left if now.anneal_learning_rate else 1.0)
        epsilon = exploration(now, iteration / iterations)

        with run.timer("rollout"):
            greedy = network(observations).argmax(axis=1)
            random = action_rng.integers(0, env.num_actions, config.num_envs)
            actions = np.where(action_rng.random(config.num_envs) < epsilon, random, greedy)
            taken = env.step(actions)
            after, terminated = taken.final_observations, taken.terminated
            if sick("terminal-mask-missing"):
                terminated = np.zeros_like(terminated)
            if dose := sick("stale-next-states"):
                stale = action_rng.random(config.num_envs) < dose
                after = np.where(stale[:, None], observations, after)
            ended = taken.terminated | taken.truncated
            ahead.add(Met(observations, actions, taken.rewards, after, terminated, ended))
            if ahead.full:
                buffer.add(ahead.oldest(now.gamma))
            episodes.add(taken)
            observations = taken.observations
            actions_taken += np.bincount(actions, minlength=env.num_actions)
            seen["reward/mean"].append(float(taken.rewards.mean()))
            seen["reward/std"].append(float(taken.rewards.std()))
        step = (iteration + 1) * config.num_envs
        run.count(env_steps=config.num_envs)

        if step >= now.learning_starts:
            with run.timer("update"):
                for _ in range(now.updates_per_step):
                    batch = buffer.sample(now.batch_size, batch_rng)
                    losses = update(network, target, optimizer, batch, now, learning_rate, sick)
                    updates += 1
                    if updates % now.target_update_interval == 0:
                        target.params[:] = network.params
                        target_updates += 1
                    for name, value in losses.items():
                        seen[name].append(value)
            run.count(updates=now.updates_per_step)

        if (iteration + 1) % per_row:
            continue
        row = (iteration + 1) // per_row
        metrics = {
            **episodes.metrics(),
            **{name: float(np.mean(values)) for name, values in seen.items()},
            **({"value/q_max": max(seen["value/q_max"])} if seen["value/q_max"] else {}),
            "obs/mean": float(buffer.observations[: buffer.size].mean()),
            "obs/std": float(buffer.observations[: buffer.size].std()),
            "explore/epsilon": epsilon,
            "replay/size": float(buffer.size),
            "replay/fill_fraction": buffer.size / buffer.capacity,
            "replay/ratio": len(seen["value/loss"]) * now.batch_size / (per_row * config.num_envs),
            "value/target_updates": float(target_updates),
            "optim/learning_rate": learning_rate,
            "optim/param_norm": norm([network.params]),
            "optim/updates_per_iteration": float(len(seen["value/loss"])),
        }
        run.count(episodes=metrics.get("outcome/episode_count", 0.0))
        look_closer = row % config.eval_every == 1 or row == config.rows
        if look_closer:
            with run.timer("eval"):
                arena = Wrapped(make_env(config.env, config.eval_episodes, eval_rng), sick)
                played = play(arena, favourite(network), gamma=now.gamma)
                foreseen = network(played.starts).max(axis=1)
            metrics |= played.metrics()
            metrics["value/overestimation"] = float((foreseen - played.discounted).mean())

        with run.timer("log"):
            run.log(metrics, step)
            if look_closer:
                run.log_actions(actions_taken, step, name=env.name.partition("-")[0].lower())
                run.log_histogram("value/q_distribution", network(buffer.latest(256)), step)
                run.log_histogram("outcome/return_distribution", episodes.returns, step)
                run.log_samples(played.first(), step)
                run.progress(env_steps=step, episodes=episodes.count, updates=updates)
                actions_taken[:] = 0
        seen.clear()

    exam = play(make_env(config.env, config.score_episodes, score_rng), favourite(network))
    run.summary["final_return"] = episodes.mean
    return Trained(
        score=float(exam.totals.mean()),
        steps=iterations * config.num_envs,
        seconds=time.perf_counter() - started,
    )


def exploration(config: DQNConfig, progress: float) -> float:
    """The share of actions that are random at this point of the run, from 0 to 1.

    >>> [round(exploration(DQNConfig(exploration_fraction=0.5), x), 3) for x in (0, 0.25, 0.9)]
    [1.0, 0.525, 0.05]
    """
    first, last = config.exploration_initial_eps, config.exploration_final_eps
    return first + (last - first) * min(1.0, progress / config.exploration_fraction)


def favourite(network: MLP) -> Callable[[NDArray[np.float32]], Integers]:
    """Always the action of the highest value."""
    return lambda observations: network(observations).argmax(axis=1)


# the environment


class Wrapped:
    """The environment as the trainer meets it: the place where such a wrapper goes wrong."""

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


# the replay buffer


class Met(NamedTuple):
    """What one step of all environments brought."""

    observations: NDArray[np.float32]
    actions: Integers
    rewards: NDArray[np.float32]
    next_observations: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    ended: NDArray[np.bool_]  # terminated or cut off


class Batch(NamedTuple):
    """Steps with what came of them; `discounts` are for the value of the next observations."""

    observations: NDArray[np.float32]
    actions: Integers
    rewards: NDArray[np.float32]  # discounted, of this step and of those that were looked ahead
    next_observations: NDArray[np.float32]
    discounts: NDArray[np.float32]  # 0 after a terminal state


class Lookahead:
    """The last `steps` steps, until it is known what came of the oldest of them."""

    def __init__(self, steps: int) -> None:
        self._met: deque[Met] = deque(maxlen=steps)

    def add(self, met: Met) -> None:
        """Take in one step of all environments."""
        self._met.append(met)

    @property
    def full(self) -> bool:
        """Whether the oldest step has been followed far enough."""
        return len(self._met) == self._met.maxlen

    def oldest(self, gamma: float) -> Batch:
        """The oldest step, with the rewards up to now or to the end of its episode."""
        first = self._met[0]
        rewards = np.zeros_like(first.rewards)
        discounts = np.ones_like(first.rewards)
        next_observations = first.next_observations
        goes_on = np.ones_like(first.ended)
        for met in self._met:
            rewards = rewards + np.where(goes_on, discounts * met.rewards, np.float32(0.0))
            left = np.where(met.terminated, 0.0, gamma).astype(np.float32)
            discounts = np.where(goes_on, discounts * left, discounts)
            next_observations = np.where(goes_on[:, None], met.next_observations, next_observations)
            goes_on = goes_on & ~met.ended
        return Batch(first.observations, first.actions, rewards, next_observations, discounts)


class Replay:
    """The last `capacity` steps."""

    def __init__(self, capacity: int, observation_size: int) -> None:
        self.capacity = capacity
        self.size = 0
        self.observations = np.zeros((capacity, observation_size), np.float32)
        self.actions = np.zeros(capacity, np.int64)
        self.rewards = np.zeros(capacity, np.float32)
        self.next_observations = np.zeros((capacity, observation_size), np.float32)
        self.discounts = np.zeros(capacity, np.float32)
        self._at = 0

    def add(self, steps: Batch) -> None:
        """Keep one step of each environment, in the place of the oldest ones."""
        rows = (self._at + np.arange(len(steps.actions))) % self.capacity
        self.observations[rows] = steps.observations
        self.actions[rows] = steps.actions
        self.rewards[rows] = steps.rewards
        self.next_observations[rows] = steps.next_observations
        self.discounts[rows] = steps.discounts
        self._at = (self._at + len(rows)) % self.capacity
        self.size = min(self.size + len(rows), self.capacity)

    def sample(self, count: int, rng: np.random.Generator) -> Batch:
        """Steps drawn at random, with repetition."""
        rows = rng.integers(0, self.size, count)
        return Batch(
            self.observations[rows],
            self.actions[rows],
            self.rewards[rows],
            self.next_observations[rows],
            self.discounts[rows],
        )

    def latest(self, count: int) -> NDArray[np.float32]:
        """The last observations."""
        rows = (self._at - 1 - np.arange(min(count, self.size))) % self.capacity
        return self.observations[rows]


# the update


def update(
    network: MLP,
    target: MLP,
    optimizer: Adam,
    batch: Batch,
    config: DQNConfig,
    learning_rate: float,
    sick: Sickness = HEALTHY,
) -> dict[str, float]:
    """One step on one batch; gives the metrics."""
    rows = np.arange(len(batch.actions))
    next_values = target(batch.next_observations)
    chooser = network(batch.next_observations) if config.double else next_values
    best = next_values[rows, chooser.argmax(axis=1)]
    targets = batch.rewards + batch.discounts * best

    layers = network.forward(batch.observations)
    values = layers[-1]
    errors = values[rows, batch.actions] - targets
    bounded = np.clip(errors, -config.huber_delta, config.huber_delta)
    loss = float((bounded * (errors - 0.5 * bounded)).mean())
    grad: Array = np.zeros_like(values)
    grad[rows, batch.actions] = bounded / np.float32(len(rows))
    network.backward(layers, grad)

    grad_norm = clip_norm([network.grads], config.max_grad_norm)
    before = network.params.copy()
    if not sick("optimizer-step-missing"):
        optimizer.step([network.grads], learning_rate)
    return {
        "value/loss": loss,
        "optim/loss": loss,
        "value/td_error": float(np.abs(errors).mean()),
        "value/q_mean": float(values.max(axis=1).mean()),
        "value/q_max": float(values.max()),
        "value/q_min": float(values.min()),
        "value/q_std": float(values.std()),
        "value/q_target_mean": float(targets.mean()),
        "optim/grad_norm": grad_norm,
        "optim/grad_clip_fraction": float(grad_norm > config.max_grad_norm),
        "optim/update_norm": norm([network.params - before]),
    }


DQN = Trainer(
    name="dqn",
    title="deep Q-learning",
    algorithm="DQN",
    config=DQNConfig,
    train=train,
    tasks=TASKS,
    faults=FAULTS,
    variants=VARIANTS,
)
