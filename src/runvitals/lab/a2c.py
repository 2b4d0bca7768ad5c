"""Advantage actor-critic (Mnih et al., 2016; the synchronous form), recorded from head to foot.

To be read from top to bottom: the settings, what can go wrong, the training loop, the update. Each
update takes a few steps in every environment, uses them once and throws them away. Policy and rollouts
are those of `on_policy.py`. It learns CartPole in a few seconds on one core.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.envs.base import check_env, make_env
from runvitals.lab.envs.episodes import Episodes, play
from runvitals.lab.envs.world import Mask, World, healthy
from runvitals.lab.measures import Means
from runvitals.lab.nn import MLP, Adam, Array, Categorical, clip_norm, generators, norm
from runvitals.lab.on_policy import (
    Choice,
    PolicyRollout,
    RolloutBatch,
    batch_metrics,
    collect,
    final_values,
    flat,
    log_actions,
)
from runvitals.lab.pages import faults, tasks, variants
from runvitals.model import ConfigError


@dataclass(frozen=True)
class A2CConfig:
    """All that decides how a run goes. Steps are environment steps, over all environments."""

    env: str = "CartPole-v1"
    seed: int = 0
    total_steps: int = 300_000
    num_envs: int = 16
    rollout_steps: int = 8  # per environment, between two updates
    learning_rate: float = 1e-3  # of the policy
    value_learning_rate: float = 5e-3  # of the critic, which has to keep ahead of the policy
    anneal_learning_rate: bool = True  # both, in a straight line down to 0
    adam_eps: float = 1e-5
    gamma: float = 0.99
    normalize_advantages: bool = False
    entropy_coef: float = 0.001
    value_coef: float = 0.1
    max_grad_norm: float | None = 4.0  # None: gradients are not clipped
    hidden: tuple[int, ...] = (32, 32)
    window: int = 100  # episodes behind the outcome metrics
    log_every: int = 20  # updates between two rows of metrics
    eval_every: int = 8  # rows between two evaluations
    eval_episodes: int = 16
    score_episodes: int = 64  # played at the end

    @property
    def batch(self) -> int:
        """Environment steps between two updates."""
        return self.num_envs * self.rollout_steps

    def __post_init__(self) -> None:
        check_env(self.env)
        if self.total_steps < self.batch * self.log_every:
            raise ConfigError(
                f"total_steps={self.total_steps} is less than the {self.batch * self.log_every} "
                "behind one row of metrics"
            )


# what can be learned, and what can go wrong

TASKS = tasks(
    "mean return of the policy",
    """
cartpole (450): balance a pole on a cart
acrobot (-110): swing two links up
  sets: env="Acrobot-v1", total_steps=400_000, num_envs=32, learning_rate=2e-3,
    value_learning_rate=1e-2, normalize_advantages=True, entropy_coef=0.02, max_grad_norm=2.0,
    log_every=13
coin-grid (0.8): find the way through a maze
  sets: env="CoinGrid-v0", total_steps=120_000, log_every=8
""",
)
FAULTS = faults("""
unclipped-lr-0.02 (A01): no gradient clipping, and a learning rate of 0.02
  expect: GRAD001, REW003; accept: KL002, KL001, ENT001, POL005, REW005; doses: 0.005, 0.02, 0.1
  sets: max_grad_norm = None, learning_rate = dose, value_learning_rate = dose
lr-x100 (P01): learning rate 100 times too high
  expect: KL001, KL002; accept: ENT001, REW003, DATA007, POL005; doses: 10, 100, 1000
  sets: learning_rate *= dose, value_learning_rate *= dose
lr-zero (P02): learning rate of 0
  expect: POL002; accept: KL003, DATA007, ENT004; doses: 0.0
  sets: learning_rate = dose, value_learning_rate = dose
entropy-bonus-high (P06): the entropy bonus drowns the reward
  expect: ENT004; accept: REW005, CLIP002, ENT003; doses: 0.5, 2.0, 20.0; sets: entropy_coef = dose
entropy-bonus-negative (P07): the entropy bonus has the wrong sign
  expect: ENT001, DATA007; accept: POL005, REW005; doses: -0.03, -0.1, -1.0
  sets: entropy_coef = dose
reward-x1000 (P08): rewards a thousand times as large, and not normalised
  expect: REW012; accept: VAL001, VAL004, GRAD002; doses: 10, 1000, 100000
advantage-sign (P09): the advantage has the wrong sign
  expect: REW011; accept: REW003, ENT001, POL005
reward-sign (P10): the reward has the wrong sign
  expect: REW011; accept: REW001, REW003, REW005
terminal-mask-missing (P12): returns go on across the end of an episode
  expect: VAL004; accept: VAL001, VAL006, REW005, VAL003
observations-zero (P15): every observation is 0
  expect: VAL003, ENT004; accept: REW005, POL005
gamma-0 (P18): a discount of 0: only the next reward counts
  expect: DATA007; accept: REW005, REW011; doses: 0.0; sets: gamma = dose
value-coef-0 (P19): the critic's loss has no weight
  expect: VAL002, VAL003; accept: DATA007, VAL004; doses: 0.0; sets: value_coef = dose
grad-norm-tiny (P23): gradients are clipped to almost nothing
  expect: GRAD002; accept: KL003, ENT004, REW005; doses: 0.0001, 1e-05, 1e-07
  sets: max_grad_norm = dose
optimizer-step-missing (P25): the optimiser is never asked to step
  expect: POL002; accept: KL003, ENT004
reward-constant (P26): every reward is 0
  expect: REW004; accept: ADV001, ENT004, GRAD003
dynamics-change (P31): from 40% of the run on, actions act the other way round
  expect: REW003; accept: VAL001, LEN006; late: no
""")

VARIANTS = variants("""
solved-early: continues long after it has solved the task
  sets: total_steps=600_000, log_every=40; tasks: cartpole
slow-learner: small learning rates: still getting better at the end
  sets: learning_rate=1e-4, value_learning_rate=1e-3; learns: no; tasks: cartpole
no-annealing: the learning rates stay as they are
  sets: anneal_learning_rate=False, learning_rate=5e-4, value_learning_rate=2e-3; tasks: cartpole
short-run: a dozen rows, then the budget is spent
  sets: total_steps=36_000; learns: no; tasks: cartpole
metrics-missing: nothing is logged about the critic
  hides: value/*, returns/*
few-logs: a quarter of the rows
  sets: log_every=80, eval_every=2
normalized-advantages: the advantages of each batch are made to have a mean of 0
  sets: normalize_advantages=True; tasks: cartpole, coin-grid
large-batch: 32 environments instead of 16, and twice the steps
  sets: num_envs=32, total_steps=600_000, learning_rate=2e-3, value_learning_rate=1e-2; tasks:
    cartpole
""")


# the training


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a sick run may overflow
def train(config: A2CConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Train a policy and log everything through `run`; its step is the environment step."""
    weights_rng, env_rng, action_rng, eval_rng, score_rng, fault_rng = generators(config.seed, 6)
    env = make_env(config.env, config.num_envs, env_rng)
    world = World(env, sick, fault_rng)
    inside = [env.observation_size, *config.hidden]
    policy = MLP([*inside, env.num_actions], weights_rng, output_gain=0.01)
    critic = MLP([*inside, 1], weights_rng, output_gain=1.0)
    optimizers = (Adam([net.params], eps=config.adam_eps) for net in (policy, critic))
    learner = ActorCritic(policy, critic, *optimizers)

    def choose(seen: NDArray[np.float32], _: Mask) -> tuple[Choice, Choice]:
        choice = Categorical(policy(seen))
        return choice, choice

    episodes = Episodes(config.num_envs, window=config.window, gamma=config.gamma)
    started = time.perf_counter()
    rows = config.total_steps // (config.batch * config.log_every)
    updates = rows * config.log_every
    run.progress(total_steps=updates * config.batch, env_steps=0)
    world.reset()
    batches: list[RolloutBatch] = []
    means = Means()

    for iteration in range(updates):
        sick.at(iteration / updates)
        now = sick.settings(config)
        left = 1.0 - iteration / updates
        share = left if now.anneal_learning_rate else 1.0

        with run.timer("rollout"):
            rollout = collect(world, choose, now.rollout_steps, action_rng, episodes)
        with run.timer("advantage"):
            batch = learn_from(rollout, world.shown, critic, now, sick)
        with run.timer("update"):
            means.add(update(learner, batch, now, share, sick))
        batches.append(batch)
        run.count(env_steps=config.batch, updates=1)

        if (iteration + 1) % config.log_every:
            continue
        step = (iteration + 1) * config.batch
        row = (iteration + 1) // config.log_every
        parts = list(zip(*batches, strict=True))[:-1]  # there are no masks
        batch = RolloutBatch(*map(np.concatenate, parts))
        metrics = {
            **episodes.metrics(),
            **means.take(),
            **batch_metrics(batch),
            "returns/std": float(batch.returns.std()),
            "policy/entropy_coef": now.entropy_coef,
            "policy/learning_rate": now.learning_rate * share,
            "value/learning_rate": now.value_learning_rate * share,
            "optim/param_norm": norm([policy.params, critic.params]),
            "optim/updates_per_iteration": float(config.log_every),
        }
        run.count(episodes=metrics.get("outcome/episode_count", 0.0))
        look_closer = row % config.eval_every == 1 or row == rows
        if look_closer:
            with run.timer("eval"):
                arena = World(make_env(config.env, config.eval_episodes, eval_rng), sick, fault_rng)
                played = play(arena, lambda seen: Categorical(policy(seen)).mode())
            metrics |= played.metrics()

        with run.timer("log"):
            run.log(metrics, step)
            if look_closer:
                log_actions(run, env, batch.actions, step)
                run.log_histogram("advantage/distribution", batch.advantages, step)
                run.log_histogram("returns/distribution", batch.returns, step)
                run.log_histogram("outcome/return_distribution", episodes.returns, step)
                run.log_samples(played.first(), step)
                run.progress(env_steps=step, episodes=episodes.count, updates=iteration + 1)
        batches = []

    arena = healthy(make_env(config.env, config.score_episodes, score_rng))
    exam = play(arena, lambda seen: Categorical(policy(seen)).sample(score_rng))
    run.summary["final_return"] = episodes.mean
    score = float(exam.totals.mean())
    return Trained(score, updates * config.batch, time.perf_counter() - started)


# advantages


def learn_from(
    rollout: PolicyRollout,
    last_observations: NDArray[np.float32],
    critic: MLP,
    config: A2CConfig,
    sick: Sickness,
) -> RolloutBatch:
    """The rollout with values, returns and advantages."""
    observations = flat(rollout.observations)
    values = critic(observations)[:, 0]
    terminated, truncated = rollout.terminated, rollout.truncated
    if sick("terminal-mask-missing"):
        terminated = truncated = np.zeros_like(terminated)
    returns = n_step_returns(
        rollout.rewards,
        critic(last_observations)[:, 0],
        terminated=terminated,
        truncated=truncated,
        final_values=final_values(lambda seen: critic(seen)[:, 0], rollout),
        gamma=config.gamma,
    ).ravel()
    advantages = returns - values
    if sick("advantage-sign"):
        advantages = -advantages
    return RolloutBatch(
        observations,
        rollout.actions.ravel(),
        rollout.log_probs.ravel(),
        rollout.rewards.ravel(),
        values,
        advantages,
        returns,
    )


def n_step_returns(
    rewards: Array,
    last_values: Array,
    *,
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    final_values: Array,
    gamma: float,
) -> Array:
    """Discounted rewards to the end of the rollout and the critic's value of the rest, time first.

    Nothing is worth anything after a terminal state. The step limit is not one: the episode would
    have gone on, and the value of where it was cut off stands for the rest.
    """
    returns = np.zeros_like(rewards)
    running = last_values
    for t in range(len(rewards) - 1, -1, -1):
        running = np.where(truncated[t], final_values[t], running)
        running = np.where(terminated[t], np.float32(0.0), running)
        running = rewards[t] + np.float32(gamma) * running
        returns[t] = running
    return returns


# the update


class ActorCritic(NamedTuple):
    """The networks, and what changes them."""

    policy: MLP
    critic: MLP
    policy_optimizer: Adam
    value_optimizer: Adam


def update(
    learner: ActorCritic,
    batch: RolloutBatch,
    config: A2CConfig,
    share: float,
    sick: Sickness = HEALTHY,
) -> dict[str, float]:
    """One step on one batch, with this share of the learning rates; gives the metrics.

    The KL is that from before the step to after it.
    """
    policy, critic = learner.policy, learner.critic
    rows = len(batch.actions)
    advantages = batch.advantages
    if config.normalize_advantages:
        advantages = (advantages - advantages.mean()) / (advantages.std() + np.float32(1e-8))

    layers = policy.forward(batch.observations)
    choice = Categorical(layers[-1])
    policy_loss = -float((advantages * choice.log_prob(batch.actions)).mean())
    entropy = float(choice.entropy().mean())
    policy.backward(
        layers,
        choice.log_prob_grad(batch.actions, -advantages / np.float32(rows))
        - choice.entropy_grad(config.entropy_coef / rows),
    )

    value_layers = critic.forward(batch.observations)
    errors = value_layers[-1][:, 0] - batch.returns
    value_loss = 0.5 * float(np.square(errors).mean())
    critic.backward(value_layers, np.float32(config.value_coef / rows) * errors[:, None])

    most = math.inf if config.max_grad_norm is None else config.max_grad_norm
    policy_norm = clip_norm([policy.grads], most)
    value_norm = clip_norm([critic.grads], most)
    before = policy.params.copy(), critic.params.copy()
    if not sick("optimizer-step-missing"):
        learner.policy_optimizer.step([policy.grads], share * config.learning_rate)
        learner.value_optimizer.step([critic.grads], share * config.value_learning_rate)

    after = Categorical(policy(batch.observations)).log_prob(batch.actions)
    log_ratio = after - batch.log_probs
    return {
        "policy/loss": policy_loss,
        "value/loss": value_loss,
        "optim/loss": policy_loss + config.value_coef * value_loss - config.entropy_coef * entropy,
        "policy/entropy": entropy,
        "policy/approx_kl": float(np.mean(np.exp(log_ratio) - 1.0 - log_ratio)),
        "policy/grad_norm": policy_norm,
        "value/grad_norm": value_norm,
        "optim/grad_norm": math.hypot(policy_norm, value_norm),
        "optim/grad_clip_fraction": (float(policy_norm > most) + float(value_norm > most)) / 2,
        "optim/update_norm": norm([policy.params - before[0], critic.params - before[1]]),
    }


A2C = Trainer("a2c", "advantage actor-critic", "A2C", A2CConfig, train, TASKS, FAULTS, VARIANTS)
