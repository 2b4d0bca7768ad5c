"""Deep Q-learning (Mnih et al., 2015) in NumPy, with double Q-learning, recorded from head to foot.

To be read from top to bottom: the settings, what can go wrong, the learner, its update. The loop and
the replay buffer are in `off_policy.py`. It learns CartPole in a few seconds on one core.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.envs.base import Env, Step
from runvitals.lab.measures import spread
from runvitals.lab.nn import MLP, Adam, Array, Integers, clip_norm, norm
from runvitals.lab.off_policy import OffPolicy, OffPolicyConfig, Replay, train_off_policy
from runvitals.lab.pages import faults, tasks, variants


@dataclass(frozen=True)
class DQNConfig(OffPolicyConfig):
    """What DQN adds to the settings of off-policy trainers."""

    anneal_learning_rate: bool = True  # in a straight line down to 0
    n_step: int = 8  # rewards that are seen before the value of the rest is asked for
    double: bool = True  # the network chooses the next action, the target network values it
    target_update_interval: int = 25  # updates between two copies to the target network
    huber_delta: float = 10.0  # errors beyond it count linearly; in units of reward
    exploration_initial_eps: float = 1.0
    exploration_final_eps: float = 0.05
    exploration_fraction: float = 0.3  # of the run, in which epsilon falls in a straight line


# what can be learned, and what can go wrong


TASKS = tasks(
    "mean return without exploration",
    """
cartpole (450): balance a pole on a cart
coin-grid (0.8): find the way through a maze
  sets: env="CoinGrid-v0", total_steps=40_000
""",
)
FAULTS = faults(
    """
epsilon-stays-1 (Q01): every action is random to the end
  expect: ENT005; accept: REW005; doses: mild 0.7, clear 1.0; sets: exploration_final_eps = dose
epsilon-starts-0 (Q01): no random actions at all
  expect: ENT005; accept: REW005, POL005; doses: 0.0
  sets: exploration_initial_eps = dose, exploration_final_eps = dose
epsilon-decays-in-1-percent (Q01): random actions end before anything has been learned
  expect: ENT005; accept: REW005, POL005; doses: 0.03, 0.01, 0.001
  sets: exploration_fraction = dose; late: no
target-every-step (Q02): the target network is copied at every update
  expect: VAL006, DATA007; accept: REW008, REW005, VAL001; doses: 1.0
  sets: target_update_interval = int(dose)
target-never (Q02): the target network stays as it was
  expect: VAL006, DATA007; accept: REW008, REW005; doses: 1000000000.0
  sets: target_update_interval = int(dose)
terminal-mask-missing (Q03): a terminal state is valued as if the episode continued
  expect: VAL006; accept: VAL004, REW005
learning-starts-late (Q04): the first update comes when 90% of the run is over
  expect: DATA007; accept: REW005; doses: 0.6, 0.9, 0.99; late: no
stale-next-states (Q05): the replay buffer keeps the state before the step as the one after it
  expect: VAL006, REW005; accept: VAL004; doses: 0.1, 0.5, 1.0  # the share of the steps
buffer-tiny (Q09): the replay buffer holds little more than one batch
  expect: REW005; accept: VAL006, REW003, DATA007; doses: 1000, 200, 64
  sets: buffer_size = int(dose), learning_starts = int(dose); late: no
lr-x100 (P01): learning rate 100 times too high
  expect: VAL001, VAL006; accept: REW003, REW005, DATA007, GRAD001, POL005; doses: 10, 100, 1000
  sets: learning_rate *= dose
lr-zero (P02): learning rate of 0
  expect: POL002; accept: DATA007, REW005; doses: 0.0; sets: learning_rate = dose
reward-x1000 (P08): rewards a thousand times as large, and not normalised
  expect: REW012; accept: VAL001, VAL004, VAL006, GRAD002; doses: 10, 1000, 100000
reward-sign (P10): the reward has the wrong sign
  expect: REW011; accept: REW001, REW003, REW005
observations-zero (P15): every observation is 0
  expect: REW005, POL005; accept: VAL003, ENT004
gamma-0 (P18): a discount of 0: only the next reward counts
  expect: DATA007; accept: REW005, REW011; doses: 0.0; sets: gamma = dose
optimizer-step-missing (P25): the optimiser is never asked to step
  expect: POL002; accept: REW005
reward-constant (P26): every reward is 0
  expect: REW004; accept: GRAD003, REW005
""",
    changes={
        "learning-starts-late": lambda config, dose: {
            "learning_starts": int(dose * config.total_steps)
        }
    },
)

VARIANTS = variants("""
solved-early: continues long after it has solved the task
  sets: total_steps=160_000, exploration_fraction=0.15; tasks: cartpole
slow-learner: a small learning rate: still getting better at the end
  sets: learning_rate=5e-5; learns: no; tasks: cartpole
short-run: a dozen rows, then the budget is spent
  sets: total_steps=9_600, rows=12; learns: no; tasks: cartpole
no-annealing: the learning rate stays as it is
  sets: anneal_learning_rate=False
small-buffer: only the last third of the run is kept
  sets: buffer_size=25_000
single-q: plain Q-learning, which values a little too high
  sets: double=False
metrics-missing: nothing is logged about the values
  hides: value/*
few-logs: 30 rows
  sets: rows=30, eval_every=1
""")


# the training


def train(config: DQNConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Train a Q-network and log everything through `run`; its step is the environment step."""
    return train_off_policy(config, run, sick, QLearner)


class QLearner(OffPolicy[DQNConfig]):
    """A network of values and its slower copy, which says what the future is worth."""

    def __init__(
        self, env: Env, config: DQNConfig, sick: Sickness, rngs: list[np.random.Generator]
    ) -> None:
        weights_rng, self._action_rng, self._batch_rng = rngs
        sizes = [env.observation_size, *config.hidden, env.num_actions]
        self.network, self.target = MLP(sizes, weights_rng), MLP(sizes, weights_rng)
        self.target.params[:] = self.network.params
        self.optimizer = Adam([self.network.params])
        seen = np.zeros((0, env.observation_size), np.float32)
        number = np.zeros(0, np.float32)
        self.buffer = Replay(
            sick.settings(config).buffer_size,
            DQNBatch(seen, np.zeros(0, np.int64), number, seen, number),
        )
        self._env = env
        self._sick = sick
        self._ahead = Lookahead(config.n_step)
        self._updates = self._target_updates = 0
        self._actions_taken = np.zeros(env.num_actions, np.int64)

    @property
    def learning_rate(self) -> float:
        """What the schedule says now."""
        left = 1.0 - self.progress
        return self.now.learning_rate * (left if self.now.anneal_learning_rate else 1.0)

    def act(self, observations: NDArray[np.float32]) -> Integers:
        """The favourite action, or with the chance epsilon any."""
        count, epsilon = len(observations), exploration(self.now, self.progress)
        random = self._action_rng.integers(0, self._env.num_actions, count)
        greedy = self.favourite(observations)
        return np.where(self._action_rng.random(count) < epsilon, random, greedy)

    def keep(
        self, observations: NDArray[np.float32], actions: NDArray[Any], taken: Step
    ) -> dict[str, float]:
        """Look some steps ahead before a step goes into the buffer."""
        terminated, ended = taken.terminated, taken.terminated | taken.truncated
        if self._sick("terminal-mask-missing"):
            terminated = np.zeros_like(terminated)
        met = Met(observations, actions, taken.rewards, taken.final_observations, terminated, ended)
        self._ahead.add(met)
        if self._ahead.full:
            self.buffer.add(self._ahead.oldest(self.now.gamma))
        self._actions_taken += np.bincount(actions, minlength=self._env.num_actions)
        return {}

    def update(self) -> dict[str, float]:
        """One update, and now and then a copy to the target network."""
        now, rate = self.now, self.learning_rate
        batch = self.buffer.sample(now.batch_size, self._batch_rng)
        losses = update(self.network, self.target, self.optimizer, batch, now, rate, self._sick)
        self._updates += 1
        if self._updates % now.target_update_interval == 0:
            self.target.params[:] = self.network.params
            self._target_updates += 1
        return losses

    def favourite(self, observations: NDArray[np.float32]) -> Integers:
        """Always the action of the highest value."""
        return self.network(observations).argmax(axis=1)

    def foreseen(self, observations: NDArray[np.float32]) -> Array:
        """The highest value."""
        return self.network(observations).max(axis=1)

    def metrics(self, replay: dict[str, float]) -> dict[str, float]:
        """How it explores, what it has, how fast it learns."""
        return {
            "explore/epsilon": exploration(self.now, self.progress),
            **replay,
            "value/target_updates": float(self._target_updates),
            "optim/learning_rate": self.learning_rate,
            "optim/param_norm": norm([self.network.params]),
        }

    def log_closer(self, run: Recorder, step: int) -> None:
        """The actions since the last look, and the values of what was seen last."""
        run.log_actions(self._actions_taken, step, name=self._env.name.partition("-")[0].lower())
        values = self.network(self.buffer.latest(256).observations)
        run.log_histogram("value/q_distribution", values, step)
        self._actions_taken[:] = 0


def exploration(config: DQNConfig, progress: float) -> float:
    """The share of actions that are random at this point of the run, from 0 to 1.

    >>> [round(exploration(DQNConfig(exploration_fraction=0.5), x), 3) for x in (0, 0.25, 0.9)]
    [1.0, 0.525, 0.05]
    """
    first, last = config.exploration_initial_eps, config.exploration_final_eps
    return first + (last - first) * min(1.0, progress / config.exploration_fraction)


# looking ahead


class Met(NamedTuple):
    """What one step of all environments brought."""

    observations: NDArray[np.float32]
    actions: Integers
    rewards: NDArray[np.float32]
    next_observations: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    ended: NDArray[np.bool_]  # terminated or cut off


class DQNBatch(NamedTuple):
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

    def oldest(self, gamma: float) -> DQNBatch:
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
        return DQNBatch(first.observations, first.actions, rewards, next_observations, discounts)


# the update


def update(
    network: MLP,
    target: MLP,
    optimizer: Adam,
    batch: DQNBatch,
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
        **spread("value/q_", values, "max min std"),
        "value/q_target_mean": float(targets.mean()),
        "optim/grad_norm": grad_norm,
        "optim/grad_clip_fraction": float(grad_norm > config.max_grad_norm),
        "optim/update_norm": norm([network.params - before]),
    }


DQN = Trainer("dqn", "deep Q-learning", "DQN", DQNConfig, train, TASKS, FAULTS, VARIANTS)
