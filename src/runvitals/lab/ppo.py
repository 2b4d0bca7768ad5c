"""Proximal policy optimisation (Schulman et al., 2017) in NumPy, recorded from head to foot.

The algorithm, to be read from top to bottom: the training loop, rollouts, advantages, the update.
Beside it are its settings and tasks (`ppo_settings.py`), the networks and records it works on
(`ppo_parts.py`), what can go wrong (`ppo_faults.py`, `ppo_world.py`) and what is measured
(`ppo_instruments.py`, `ppo_evaluation.py`). It learns CartPole in some seconds on one core, and the
same seed gives the same numbers, bit for bit, on the same machine.

    with rv.init(project="lab", config=asdict(config)) as run:
        result = train(config, run)
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.advantages import gae
from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.envs.base import Env, make_env
from runvitals.lab.nn import MLP, Adam, AdamState, Array, Integers, clip_norm, norm
from runvitals.lab.ppo_faults import FAULTS, Tampering
from runvitals.lab.ppo_instruments import (
    Iteration,
    Logbook,
    RecentEpisodes,
    counts_at_end,
    ratio_metrics,
)
from runvitals.lab.ppo_parts import Normalizer, Policy, PPOBatch, PPORollout, flat
from runvitals.lab.ppo_settings import GLOSSARY, TASKS, VARIANTS, PPOConfig
from runvitals.lab.ppo_world import World, evaluate, score

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
    outcome: RecentEpisodes
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
    plant = Plant(env, np.zeros(0, np.float32), RecentEpisodes(shape), *dice)
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
    world = World(plant.env, sick, plant.fault_rng, config.reward_noise)
    if resume is None:
        plant.observations = world.reset()
    tampering = Tampering(sick, plant.fault_rng)
    logbook = Logbook(run, env, iterations, shape.log_rows, updates_before=updates)
    outcome = plant.outcome
    last = round(stop_at * iterations)
    run.progress(total_steps=iterations * shape.batch, env_steps=first * shape.batch)

    for iteration in range(first, last):
        step = (iteration + 1) * shape.batch
        sick.at(iteration / iterations)
        now = sick.settings(config)
        left = 1.0 - iteration / iterations
        learning_rate = now.learning_rate * (left if now.anneal_learning_rate else 1.0)
        learning_rate = tampering.learning_rate(learning_rate)

        with run.timer("rollout") as acting:
            rollout = collect(world, policy, normalizer, plant, now)

        with run.timer("advantage"):
            batch = estimate(critic, normalizer, rollout, plant.observations, now, sick, tampering)

        with run.timer("update") as learning:
            before = [mine.copy() for mine in params]
            losses, ratio = update(
                policy, critic, optimizer, batch, now, learning_rate, plant.batch_rng, sick
            )
        normalizer.update(rollout)
        updates += int(losses["optim/updates_per_iteration"])
        run.count(env_steps=shape.batch, updates=losses["optim/updates_per_iteration"])
        run.count(episodes=rollout.episodes)
        outcome.note_if_solved(step)

        if not logbook.is_due(iteration):
            continue
        evaluation = None
        if logbook.looks_closer(iteration, now.eval_every):
            with run.timer("eval"):
                evaluation = evaluate(policy, normalizer, config, plant.eval_rng, sick)
        latest = Iteration(
            step,
            now,
            learning_rate,
            rollout,
            batch,
            losses,
            ratio,
            param_norm=norm(params),
            update_norm=norm([m - b for m, b in zip(params, before, strict=True)]),
            acting_seconds=acting.seconds,
            learning_seconds=learning.seconds,
            updates=updates,
        )
        logbook.write(latest, outcome, normalizer, evaluation, sick)

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
        logging_seconds=logbook.seconds,
        checkpoint=checkpoint if last < iterations else None,
    )
    run.summary["solved_at"] = result.solved_at
    run.summary["final_return"] = result.final_return
    run.summary["logging_seconds"] = result.logging_seconds
    return result


# rollouts


def collect(
    world: World, policy: Policy, normalizer: Normalizer, plant: Plant, config: PPOConfig
) -> PPORollout:
    """Let the policy act from `plant.observations` on, and leave there where it got to.

    The critic is not asked here: its values do not change until the update, so that one large batch
    afterwards does what a call per step would.
    """
    env, sick, outcome = world.env, world.sick, plant.outcome
    shape = (config.rollout_steps, env.num_envs)
    rollout = PPORollout(
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
    world.glitch(plant.observations)
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
            if not counts_at_end(name):
                totals[name] = totals.get(name, 0.0) + float(facts.mean())
        outcome.add(taken)
        plant.observations = taken.observations
    extras = {name: total / config.rollout_steps for name, total in totals.items()}
    return rollout._replace(extras=extras, episodes=outcome.episodes - before)


# advantages


def estimate(
    critic: MLP,
    normalizer: Normalizer,
    rollout: PPORollout,
    last_observations: NDArray[np.float32],
    config: PPOConfig,
    sick: Sickness,
    tampering: Tampering,
) -> PPOBatch:
    """The batch to learn from: the rollout made flat, each step with its advantage and return."""
    seen = normalizer.observations(flat(rollout.observations))
    rewards = tampering.rewards(rollout.rewards, normalizer.rewards(rollout, config.gamma))
    values = critic(seen)[:, 0].reshape(rewards.shape)
    advantages, returns = gae(
        rewards,
        values,
        critic(normalizer.observations(last_observations))[:, 0],
        terminated=tampering.terminated(rollout.terminated),
        truncated=rollout.truncated,
        final_values=_final_values(critic, normalizer, rollout),
        gamma=config.gamma,
        lam=config.gae_lambda,
        forwards=bool(sick("returns-not-reversed")),
    )
    advantages, returns = tampering.targets(advantages.ravel(), returns.ravel())
    masks = rollout.masks
    return PPOBatch(
        seen,
        rollout.actions.reshape(-1, *rollout.actions.shape[2:]),
        rollout.log_probs.ravel(),
        values.ravel(),
        advantages,
        returns,
        None if masks is None else masks.reshape(-1, masks.shape[-1]),
    )


def _final_values(critic: MLP, normalizer: Normalizer, rollout: PPORollout) -> Array:
    """The critic's value of where each cut episode ended; 0 where none was cut."""
    values = np.zeros(rollout.rewards.shape, np.float32)
    if rollout.truncated.any():
        ends = normalizer.observations(rollout.final_observations[rollout.truncated])
        values[rollout.truncated] = critic(ends)[:, 0]
    return values


# the update


def update(
    policy: Policy,
    critic: MLP,
    optimizer: Adam,
    batch: PPOBatch,
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
    metrics |= ratio_metrics(log_ratio, ratio)
    metrics["policy/ratio_abs_dev{minibatch=first}"] = first_dev
    metrics["optim/updates_per_iteration"] = float(updates)
    if not policy.discrete:
        metrics["policy/action_std"] = float(np.exp(policy.log_std).mean())
    return metrics, ratio


def _minibatches(config: PPOConfig, rng: np.random.Generator) -> list[Integers]:
    """The rows of each minibatch, all epochs after one another; every epoch in a new order."""
    orders = [rng.permutation(config.batch) for _ in range(config.epochs)]
    return [rows for order in orders for rows in np.split(order, config.minibatches)]


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
