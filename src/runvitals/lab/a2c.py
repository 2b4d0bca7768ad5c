"""Advantage actor-critic (Mnih et al., 2016; the synchronous form), recorded from head to foot.

To be read from top to bottom: the training loop, then the pieces it uses; settings and faults are in
`a2c_settings.py`. Each update takes a few steps in every environment, uses them once and throws them
away. It learns CartPole in a few seconds on one core.

    with rv.init(project="lab", config=asdict(config)) as run:
        result = train(config, run)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.a2c_settings import FAULTS, TASKS, VARIANTS, A2CConfig
from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.envs.base import Env, make_env
from runvitals.lab.envs.episodes import Episodes, play
from runvitals.lab.envs.wrapped import Reversible
from runvitals.lab.measures import Means, spread
from runvitals.lab.nn import MLP, Adam, Array, Categorical, Integers, clip_norm, norm

# the training


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a sick run may overflow
def train(config: A2CConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Train a policy and log everything through `run`; its step is the environment step."""
    seeds = np.random.SeedSequence(config.seed).spawn(5)
    weights_rng, env_rng, action_rng, eval_rng, score_rng = map(np.random.default_rng, seeds)

    env = Reversible(make_env(config.env, config.num_envs, env_rng), sick)
    inside = [env.observation_size, *config.hidden]
    policy = MLP([*inside, env.num_actions], weights_rng, output_gain=0.01)
    critic = MLP([*inside, 1], weights_rng, output_gain=1.0)
    learner = ActorCritic(
        policy,
        critic,
        Adam([policy.params], eps=config.adam_eps),
        Adam([critic.params], eps=config.adam_eps),
    )

    episodes = Episodes(config.num_envs, window=config.window, gamma=config.gamma)
    started = time.perf_counter()
    rows = config.total_steps // (config.batch * config.log_every)
    updates = rows * config.log_every
    run.progress(total_steps=updates * config.batch, env_steps=0)
    observations = env.reset()
    batches: list[A2CBatch] = []
    means = Means()

    for iteration in range(updates):
        sick.at(iteration / updates)
        now = sick.settings(config)
        left = 1.0 - iteration / updates
        share = left if now.anneal_learning_rate else 1.0

        with run.timer("rollout"):
            rollout, observations = collect(env, policy, observations, now, action_rng, episodes)
        with run.timer("advantage"):
            batch = learn_from(rollout, observations, critic, now, sick)
        with run.timer("update"):
            means.add(update(learner, batch, now, share, sick))
        batches.append(batch)
        run.count(env_steps=config.batch, updates=1)

        if (iteration + 1) % config.log_every:
            continue
        step = (iteration + 1) * config.batch
        row = (iteration + 1) // config.log_every
        batch = A2CBatch(*map(np.concatenate, zip(*batches, strict=True)))
        metrics = {
            **episodes.metrics(),
            **means.take(),
            **batch_metrics(batch),
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
                arena = Reversible(make_env(config.env, config.eval_episodes, eval_rng), sick)
                played = play(arena, greedy(policy))
            metrics |= played.metrics()

        with run.timer("log"):
            run.log(metrics, step)
            if look_closer:
                counts = np.bincount(batch.actions, minlength=env.num_actions)
                run.log_actions(counts, step, name=env.name.partition("-")[0].lower())
                run.log_histogram("advantage/distribution", batch.advantages, step)
                run.log_histogram("returns/distribution", batch.returns, step)
                run.log_histogram("outcome/return_distribution", episodes.returns, step)
                run.log_samples(played.first(), step)
                run.progress(env_steps=step, episodes=episodes.count, updates=iteration + 1)
        batches = []

    exam = play(make_env(config.env, config.score_episodes, score_rng), sampled(policy, score_rng))
    run.summary["final_return"] = episodes.mean
    return Trained(
        score=float(exam.totals.mean()),
        steps=updates * config.batch,
        seconds=time.perf_counter() - started,
    )


def greedy(policy: MLP) -> Callable[[NDArray[np.float32]], Integers]:
    """Always the policy's favourite action."""
    return lambda observations: Categorical(policy(observations)).mode()


def sampled(policy: MLP, rng: np.random.Generator) -> Callable[[NDArray[np.float32]], Integers]:
    """Actions drawn as in training."""
    return lambda observations: Categorical(policy(observations)).sample(rng)


# rollouts


class A2CRollout(NamedTuple):
    """What the policy met, time first, one column per environment."""

    observations: NDArray[np.float32]
    actions: Integers
    log_probs: Array
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: NDArray[np.float32]  # where each step led, before any reset


def collect(
    env: Env,
    policy: MLP,
    observations: NDArray[np.float32],
    config: A2CConfig,
    rng: np.random.Generator,
    episodes: Episodes,
) -> tuple[A2CRollout, NDArray[np.float32]]:
    """Let the policy act; gives the rollout and the observations to go on from."""
    steps: list[tuple[Any, ...]] = []
    for _ in range(config.rollout_steps):
        choice = Categorical(policy(observations))
        actions = choice.sample(rng)
        taken = env.step(actions)
        steps.append(
            (
                observations,
                actions,
                choice.log_prob(actions),
                taken.rewards,
                taken.terminated,
                taken.truncated,
                taken.final_observations,
            )
        )
        episodes.add(taken)
        observations = taken.observations
    return A2CRollout(*map(np.stack, zip(*steps, strict=True))), observations


# advantages


class A2CBatch(NamedTuple):
    """A rollout made flat, with what the learner needs to know of each step."""

    observations: NDArray[np.float32]
    actions: Integers
    log_probs: Array
    rewards: Array
    values: Array
    advantages: Array
    returns: Array


def learn_from(
    rollout: A2CRollout,
    last_observations: NDArray[np.float32],
    critic: MLP,
    config: A2CConfig,
    sick: Sickness,
) -> A2CBatch:
    """The rollout with values, returns and advantages."""
    observations = rollout.observations.reshape(-1, rollout.observations.shape[-1])
    values = critic(observations)[:, 0]
    final_values = np.zeros(rollout.rewards.shape, np.float32)
    if rollout.truncated.any():
        final_values[rollout.truncated] = critic(rollout.final_observations[rollout.truncated])[
            :, 0
        ]
    terminated, truncated = rollout.terminated, rollout.truncated
    if sick("terminal-mask-missing"):
        terminated = truncated = np.zeros_like(terminated)
    returns = n_step_returns(
        rollout.rewards,
        critic(last_observations)[:, 0],
        terminated=terminated,
        truncated=truncated,
        final_values=final_values,
        gamma=config.gamma,
    ).ravel()
    advantages = returns - values
    if sick("advantage-sign"):
        advantages = -advantages
    return A2CBatch(
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


def batch_metrics(batch: A2CBatch) -> dict[str, float]:
    """What was collected, and how well the critic had foreseen it, before the updates."""
    errors = batch.returns - batch.values
    variance = float(batch.returns.var())
    return {
        **spread("reward/", batch.rewards),
        **spread("obs/", batch.observations, "mean std"),
        **spread("advantage/", batch.advantages),
        **spread("returns/", batch.returns, "mean std"),
        "returns/var": variance,
        **spread("value/", batch.values, "mean std"),
        "value/error": float(np.square(errors).mean()),
        "value/explained_variance": 1.0 - float(errors.var()) / variance
        if variance > 0
        else math.nan,
        "policy/logprob_mean": float(batch.log_probs.mean()),
    }


# the update


class ActorCritic(NamedTuple):
    """The networks, and what changes them."""

    policy: MLP
    critic: MLP
    policy_optimizer: Adam
    value_optimizer: Adam


def update(
    learner: ActorCritic,
    batch: A2CBatch,
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


A2C = Trainer(
    name="a2c",
    title="advantage actor-critic",
    algorithm="A2C",
    config=A2CConfig,
    train=train,
    tasks=TASKS,
    faults=FAULTS,
    variants=VARIANTS,
)
