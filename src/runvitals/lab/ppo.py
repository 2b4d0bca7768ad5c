"""Proximal policy optimisation (Schulman et al., 2017) in NumPy, recorded from head to foot.

The algorithm, to be read from top to bottom: the training loop, advantages, the update, evaluation.
Its settings, its tasks and what can go wrong are in `ppo_settings.py`; the policy, rollouts and clipped
losses that it shares with other trainers are in `on_policy.py`. It learns CartPole in some seconds
on one core, and the same seed gives the same numbers, bit for bit, on the same machine.
"""

from __future__ import annotations

import copy
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.envs.base import Env, make_env
from runvitals.lab.envs.episodes import GoalEpisodes, Played, play
from runvitals.lab.envs.grid import CoinGrid
from runvitals.lab.envs.world import Mask, World, healthy
from runvitals.lab.measures import Means, spread
from runvitals.lab.nn import MLP, Adam, Array, clip_norm, norm
from runvitals.lab.on_policy import (
    Choice,
    Normalizer,
    Policy,
    PolicyRollout,
    RolloutBatch,
    batch_metrics,
    clipped_surrogate,
    collect,
    final_values,
    flat,
    gae,
    log_actions,
    minibatches,
    value_errors,
)
from runvitals.lab.ppo_settings import (
    FAULTS,
    GLOSSARY,
    TASKS,
    UNSEEN,
    VARIANTS,
    PPOConfig,
    Tampering,
)
from runvitals.metrics import steps_per_second, updates_per_second

# the training loop


@dataclass(frozen=True)
class TrainResult(Trained):
    """How a training went."""

    final_return: float  # mean over the last `window` episodes
    solved_at: int | None  # the first step with a full window above `success_return`
    logging_seconds: float  # what the loop spent in calls of the recorder


@dataclass
class PPOState:
    """All that a run needs to go on as if it had not been stopped."""

    env: Env
    policy: Policy
    critic: MLP
    normalizer: Normalizer
    outcome: GoalEpisodes
    dice: list[np.random.Generator]  # of actions, batches, evaluations and faults
    optimizer: Adam
    shown: NDArray[np.float32] | None = None  # the latest observations; None: no episode has begun
    iteration: int = 0
    updates: int = 0

    @classmethod
    def new(cls, shape: PPOConfig, seeds: list[np.random.SeedSequence]) -> PPOState:
        """The beginning of a run."""
        weights_rng, env_rng, *dice = map(np.random.default_rng, seeds)
        env = make_env(shape.env, shape.num_envs, env_rng, **shape.env_options)
        policy = Policy(env, shape.hidden, weights_rng, start_std=shape.start_std)
        critic = MLP([env.observation_size, *shape.hidden, 1], weights_rng, output_gain=1.0)
        normalizer = Normalizer(env, shape.normalize_observations, shape.normalize_rewards)
        outcome = GoalEpisodes(
            shape.num_envs, window=shape.window, gamma=shape.gamma, goal=shape.success_return
        )
        optimizer = Adam([*policy.params, critic.params], eps=shape.adam_eps)
        return cls(env, policy, critic, normalizer, outcome, dice, optimizer)


@np.errstate(over="ignore", invalid="ignore")  # a sick policy may well go through the roof
def train(
    config: PPOConfig,
    run: Recorder,
    sick: Sickness = HEALTHY,
    *,
    stop_at: float = 1.0,
    resume: PPOState | None = None,
) -> TrainResult:
    """Train a policy and log everything through `run`; its step is the environment step.

    It can be stopped after a share of the run and resumed from the checkpoint of its result.
    """
    started = time.perf_counter()
    sick.at(0.0)
    shape = sick.settings(config)  # what cannot change once it runs: sizes and counts
    iterations = shape.total_steps // shape.batch
    *seeds, score_seed = np.random.SeedSequence(config.seed).spawn(7)
    state = PPOState.new(shape, seeds) if resume is None else copy.deepcopy(resume)
    policy, critic, normalizer, outcome = (
        state.policy, state.critic, state.normalizer, state.outcome,
    )  # fmt: skip
    action_rng, batch_rng, eval_rng, fault_rng = state.dice
    params = [*policy.params, critic.params]
    if resume is not None:
        sick.at(state.iteration / iterations)
        if lost := sick("resume-bare"):
            normalizer.forget(keep_count=lost > 1.0)
            state.optimizer = Adam(params, eps=shape.adam_eps)
    noise, tampering = config.reward_noise, Tampering(sick, fault_rng)
    world = World(state.env, sick, fault_rng, reward_noise=noise, shown=state.shown)
    if resume is None:
        world.reset()
    last = round(stop_at * iterations)
    every = math.ceil(iterations / shape.log_rows)
    updates_before, began, logging_seconds = state.updates, time.perf_counter(), 0.0
    run.progress(total_steps=iterations * shape.batch, env_steps=state.iteration * shape.batch)

    for iteration in range(state.iteration, last):
        step = (iteration + 1) * shape.batch
        sick.at(iteration / iterations)
        now = sick.settings(config)
        left = 1.0 - iteration / iterations
        learning_rate = now.learning_rate * (left if now.anneal_learning_rate else 1.0)
        learning_rate = tampering.learning_rate(learning_rate)
        sharper = sick("log-probs-sharper")

        def choose(seen: NDArray[np.float32], mask: Mask) -> tuple[Choice, Choice]:
            output = policy.net(normalizer.observations(seen))
            choice = policy.choice(output, mask)
            return choice, policy.choice(output, mask, sharper) if sharper else choice  # noqa: B023

        with run.timer("rollout") as acting:
            outcome.latest = []
            rollout = collect(world, choose, now.rollout_steps, action_rng, outcome)

        with run.timer("advantage"):
            batch = estimate(critic, normalizer, rollout, world.shown, now, sick, tampering)

        with run.timer("update") as learning:
            before = [mine.copy() for mine in params]
            losses, ratio = update(
                policy, critic, state.optimizer, batch, now, learning_rate, batch_rng, sick
            )
        normalizer.update(rollout)
        made = losses["optim/updates_per_iteration"]
        state.updates += int(made)
        run.count(env_steps=shape.batch, updates=made)
        run.count(episodes=len(outcome.latest))
        outcome.note_if_solved(step)

        is_last = iteration == iterations - 1
        if iteration % every and not is_last:
            continue
        seconds = time.perf_counter() - began
        metrics = {
            **outcome.metrics(),
            **losses,
            "policy/clip_range": now.clip_range,
            "policy/entropy_coef": now.entropy_coef,
            "optim/learning_rate": learning_rate,
            "throughput/rollout_steps_per_s": steps_per_second(now.batch, acting.seconds),
            "throughput/updates_per_s{stage=update}": updates_per_second(made, learning.seconds),
            "throughput/updates_per_s{window=run}": updates_per_second(
                state.updates - updates_before, seconds
            ),
            "optim/param_norm": norm(params),
            "optim/update_norm": norm([m - b for m, b in zip(params, before, strict=True)]),
            **normalizer.metrics(),
            **batch_metrics(batch),
            "returns/std": math.sqrt(float(batch.returns.var())),
            "value/var": float(batch.values.var()),
            **rollout.extras,
            **({} if policy.discrete else spread("policy/action_", batch.actions, "mean min max")),
        }
        look_closer = is_last or iteration % (every * now.eval_every) == 0
        if look_closer:
            with run.timer("eval"):
                played = evaluate(policy, normalizer, config, eval_rng, sick)
            metrics |= played.metrics("mean std min")
        if sick("coin-farming-unseen"):
            metrics = {n: value for n, value in metrics.items() if not n.startswith(UNSEEN)}

        with run.timer("log") as logging:
            run.log(metrics, step)
            if policy.discrete:
                log_actions(run, state.env, batch.actions, step)
            if look_closer:
                run.log_histogram("advantage/distribution", batch.advantages, step)
                run.log_histogram("returns/distribution", batch.returns, step)
                run.log_histogram("policy/ratio_distribution", ratio, step)
                run.log_histogram("outcome/return_distribution", outcome.returns, step)
                sample, story = told(played, state.env.num_actions)
                run.log_samples(sample, step)
                run.log_text("eval/episode", story, step)
                run.progress(env_steps=step, episodes=outcome.count, updates=state.updates)
        logging_seconds += logging.seconds

    state.shown, state.iteration = world.shown, last
    result = TrainResult(
        score=score(policy, normalizer, config, np.random.default_rng(score_seed)),
        steps=last * shape.batch,
        final_return=outcome.mean,
        solved_at=outcome.solved_at,
        seconds=time.perf_counter() - started,
        logging_seconds=logging_seconds,
        checkpoint=state if last < iterations else None,
    )
    run.summary["solved_at"] = result.solved_at
    run.summary["final_return"] = result.final_return
    run.summary["logging_seconds"] = result.logging_seconds
    return result


# advantages


def estimate(
    critic: MLP,
    normalizer: Normalizer,
    rollout: PolicyRollout,
    last_observations: NDArray[np.float32],
    config: PPOConfig,
    sick: Sickness,
    tampering: Tampering,
) -> RolloutBatch:
    """The batch to learn from: the rollout made flat, each step with its advantage and return."""

    def value_of(observations: NDArray[np.float32]) -> Array:
        return critic(normalizer.observations(observations))[:, 0]

    seen = normalizer.observations(flat(rollout.observations))
    rewards = tampering.rewards(rollout.rewards, normalizer.rewards(rollout, config.gamma))
    values = critic(seen)[:, 0].reshape(rewards.shape)
    advantages, returns = gae(
        rewards,
        values,
        value_of(last_observations),
        terminated=tampering.terminated(rollout.terminated),
        truncated=rollout.truncated,
        final_values=final_values(value_of, rollout),
        gamma=config.gamma,
        lam=config.gae_lambda,
        forwards=bool(sick("returns-not-reversed")),
    )
    advantages, returns = tampering.targets(advantages.ravel(), returns.ravel())
    return RolloutBatch(
        seen,
        flat(rollout.actions),
        rollout.log_probs.ravel(),
        rollout.rewards.ravel(),
        values.ravel(),
        advantages,
        returns,
        None if rollout.masks is None else flat(rollout.masks),
    )


# the update


def update(
    policy: Policy,
    critic: MLP,
    optimizer: Adam,
    batch: RolloutBatch,
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
    means = Means()
    updates = 0
    first_dev = 0.0
    for rows in minibatches(config.batch, config.epochs, config.minibatches, rng):
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
        policy_loss, pull = clipped_surrogate(ratio, advantages, config.clip_range)
        entropy = float(choice.entropy().mean())
        policy.backward(layers, choice, actions, pull, config.entropy_coef / len(rows))

        # critic: squared error against the return targets
        value_layers = critic.forward(batch.observations[rows])
        value_loss, errors, held = value_errors(
            value_layers[-1][:, 0], batch.values[rows], batch.returns[rows], config.value_clip_range
        )
        critic.backward(value_layers, (config.value_coef / len(rows)) * errors[:, None])

        policy_norm, value_norm = norm(policy.grads), norm([critic.grads])
        grads = [*policy.grads, critic.grads]
        grad_norm = clip_norm(grads, config.max_grad_norm)
        if not sick("optimizer-step-missing"):
            optimizer.step(grads, learning_rate)
        updates += 1

        bonus = config.entropy_coef * entropy
        means.add(
            {
                "policy/loss": policy_loss,
                "value/loss": value_loss,
                "optim/loss": policy_loss + config.value_coef * value_loss - bonus,
                "policy/entropy": entropy,
                "policy/clip_fraction": float((np.abs(ratio - 1.0) > config.clip_range).mean()),
                "policy/grad_norm": policy_norm,
                "value/grad_norm": value_norm,
                "optim/grad_norm": grad_norm,
                "optim/grad_clip_fraction": float(grad_norm > config.max_grad_norm),
                **({} if config.value_clip_range is None else {"value/clip_fraction": held}),
            }
        )

    log_ratio = policy(batch.observations, batch.masks).log_prob(batch.actions) - batch.log_probs
    ratio = np.exp(log_ratio)
    metrics = {
        **means.take(),
        "policy/approx_kl": float(np.mean(ratio - 1.0 - log_ratio)),
        "policy/kl_old": -float(log_ratio.mean()),
        **spread("policy/ratio_", ratio),
        "policy/ratio_abs_dev": float(np.abs(ratio - 1.0).mean()),
        "policy/ratio_abs_dev{minibatch=first}": first_dev,
        "optim/updates_per_iteration": float(updates),
    }
    if not policy.discrete:
        metrics["policy/action_std"] = float(np.exp(policy.log_std).mean())
    return metrics, ratio


# evaluation


def score(
    policy: Policy, normalizer: Normalizer, config: PPOConfig, rng: np.random.Generator
) -> float:
    """How well the task itself has been learned, of which no fault has changed anything.

    The policy acts as it was trained to, at random; the score is the mean return, or the success
    rate where there is a goal to be found.
    """
    world = healthy(make_env(config.env, config.score_episodes, rng))
    played = play(world, lambda seen: policy(normalizer.observations(seen)).sample(rng))
    won = played.succeeded if isinstance(world.env, CoinGrid) else played.totals
    return float(won.mean())


def evaluate(
    policy: Policy,
    normalizer: Normalizer,
    config: PPOConfig,
    rng: np.random.Generator,
    sick: Sickness = HEALTHY,
) -> Played:
    """Play `eval_episodes` episodes greedily, through the same wrappers as in training."""
    env = make_env(config.env, config.eval_episodes, rng, **config.env_options)
    world = World(env, sick, rng, reward_noise=config.reward_noise)
    return play(world, lambda seen: policy(normalizer.observations(seen), world.mask()).mode())


def told(played: Played, num_actions: int) -> tuple[dict[str, Any], str]:
    """The first episode as a sample, and in words."""
    sample = {**played.first(), "ending": played.ending}
    del sample["succeeded"]
    if num_actions:
        shares = np.bincount(played.actions, minlength=num_actions) / len(played.actions)
        sample["action_shares"] = [round(float(share), 3) for share in shares]
        acted = "actions " + " ".join(f"{share:.0%}" for share in shares)
    else:
        sample["action_mean"] = round(float(np.mean(played.actions)), 3)
        acted = f"mean action {np.mean(played.actions):.2f}"
    ended = f"{sample['length']} steps, then {played.ending}; return {sample['return']:.1f}"
    return sample, f"{ended}, {acted}"


PPO = Trainer(
    "ppo", "PPO on classic control", "PPO", PPOConfig, train, TASKS, FAULTS, VARIANTS,
    resumable=True, dialects={"glossary": GLOSSARY},
)  # fmt: skip
