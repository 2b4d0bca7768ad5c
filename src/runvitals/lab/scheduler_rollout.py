"""Routing requests with the scheduler: a batch to learn from, the warm start, and what is logged."""

from __future__ import annotations

import logging
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import Recorder, Sickness
from runvitals.lab.envs import cluster as routing
from runvitals.lab.measures import spread
from runvitals.lab.nn import Adam, Array, Categorical, Integers
from runvitals.lab.scheduler_learner import TEACHERS, SchedulerConfig, SchedulerLearner

LOG = logging.getLogger("runvitals.ppo")


class RoutedRequests(NamedTuple):
    """What the policy met, time first, one column per cluster."""

    observations: NDArray[np.float32]
    actions: Integers
    probs: Array  # of all replicas
    rewards: NDArray[np.float32]  # clipped
    next_observations: NDArray[np.float32]
    parts: dict[str, float]  # means of the reward and of what it is made of
    clipped: float  # share of rewards
    service: dict[str, float]


def collect(learner: SchedulerLearner, now: SchedulerConfig, sick: Sickness) -> RoutedRequests:
    """Let the policy route a batch of requests."""
    cluster, rng = learner.cluster, learner.rngs["actions"]
    cluster.use(now.workload)
    cluster.slowdown[np.argmax(now.speeds)] = sick("replica-slow", otherwise=1.0)
    temperature = learner.temperature.current
    observations, actions, probs, rewards = [], [], [], []
    parts: dict[str, list[float]] = {}
    latencies, rejected, queues, loads = [], [], [], []
    finished = elapsed = 0.0
    for _ in range(now.rollout_steps):
        observation = _observe(learner, sick)
        hotter = sick("temperature-mismatch", otherwise=1.0)  # the update does not know of it
        choice = learner.choose(observation, temperature * hotter)
        action = choice.sample(rng)
        queues.append(cluster.queue.sum(axis=1))
        loads.append(cluster.utilisation)
        routed = cluster.route(action)
        finished_now, latency = routed.finished.astype(np.float64), routed.latency
        if hidden := sick("latency-masked"):
            finished_now[:] = 1.0  # counts what was routed, not what was finished
        if forgotten := sick("wait-not-counted"):
            latency = latency - forgotten * routed.wait
        worth = learner.rewarder(now, action, latency, finished_now, hidden)
        observations.append(observation)
        actions.append(action)
        probs.append(choice.probs)
        rewards.append(worth["reward"])
        for name, part in worth.items():
            parts.setdefault(name, []).append(float(part.mean()))
        latencies.append(routed.latency)
        rejected.append(routed.rejected)
        finished += float(routed.finished.sum())
        elapsed += float(routed.elapsed.sum())
    raw = np.array(rewards)
    if sick("reward-sign"):
        raw = -raw
    if scale := sick("reward-scale"):
        raw = raw * scale
    if noise := sick("reward-noise"):
        raw = raw + noise * rng.standard_normal(raw.shape)
    served = np.array(latencies)
    return RoutedRequests(
        np.array(observations),
        np.array(actions),
        np.array(probs),
        np.clip(raw, -now.reward_clip, now.reward_clip).astype(np.float32),
        _observe(learner, sick),
        {name: float(np.mean(means)) for name, means in parts.items()},
        float((np.abs(raw) > now.reward_clip).mean()),
        {
            "latency": float(served.mean()),
            "latency_p95": float(np.percentile(served, 95)),
            "rejected": float(np.mean(rejected)),
            "throughput": finished / elapsed,
            "queue_length": float(np.mean(queues)),
            "utilisation": float(np.mean(loads)),
        },
    )


def _observe(learner: SchedulerLearner, sick: Sickness) -> NDArray[np.float32]:
    """What the policy is shown of the cluster now."""
    observation = learner.cluster.observe()
    if lag := sick("stale-state"):
        replicas = 4 * learner.cluster.replicas  # what concerns the replicas comes late
        learner.seen.append(observation[:, :replicas].copy())
        observation[:, :replicas] = learner.seen[max(0, len(learner.seen) - 1 - int(lag))]
    shown = learner.normaliser(observation)
    if sick("observations-zero"):
        shown[:] = 0.0
    if sick("observation-nan"):
        shown[0, learner.cluster.queue[0].argmin()] = np.nan
    return shown


def warm_start(learner: SchedulerLearner, now: SchedulerConfig, run: Recorder) -> None:
    """Route by a rule, settle the input statistics and the mean value, and imitate the rule.

    Without a rule requests are routed at random, for the statistics alone.
    """
    cluster, rng = learner.cluster, learner.rngs["batches"]
    teacher = TEACHERS.get(now.warm_start) or routing.at_random(learner.rngs["actions"])
    observations, actions, rewards = [], [], []
    for _ in range(now.warm_start_rollouts * now.rollout_steps):
        action = teacher(cluster)
        observations.append(cluster.observe())
        actions.append(action)
        routed = cluster.route(action)
        finished = routed.finished.astype(np.float64)
        rewards.append(learner.rewarder(now, action, routed.latency, finished)["reward"])
    seen, chosen = np.concatenate(observations), np.concatenate(actions)
    learner.normaliser.update(seen)
    learner.critic.params[-1] = np.mean(rewards) / (1.0 - now.gamma)  # the bias of its output
    LOG.info(
        "[PPO:stabilization] requests=%d routed_by=%s normalizer_mean=%.5g normalizer_std=%.5g "
        "value_bias=%.5g",
        len(seen),
        now.warm_start or "random",
        float(learner.normaliser.mean.mean()),
        float(np.sqrt(learner.normaliser.var).mean()),
        float(learner.critic.params[-1]),
    )
    if not now.warm_start:
        return
    seen = learner.normaliser(seen)
    optimizer = Adam([learner.policy.params], eps=1e-5)
    size = now.batch // now.minibatches
    for _ in range(now.warm_start_epochs):
        for rows in np.split(rng.permutation(len(seen)), len(seen) // size):
            layers = learner.policy.forward(seen[rows])
            choice = Categorical(layers[-1])
            weights = np.full(len(rows), -1.0 / len(rows), np.float32)
            learner.policy.backward(layers, choice.log_prob_grad(chosen[rows], weights))
            optimizer.step([learner.policy.grads], 3e-3)
    agreed = float((learner.choose(seen).mode() == chosen).mean())
    LOG.info("[PPO:warmstart] imitated %s, agreement=%.3f", now.warm_start, agreed)
    run.log_actions(np.bincount(chosen, minlength=cluster.replicas), 0, name="teacher")
    run.summary["warm_start_agreement"] = agreed


class DecisionBatch(NamedTuple):
    """A rollout made flat, with what the learner needs to know of each decision."""

    observations: NDArray[np.float32]
    actions: Integers
    probs: Array
    values: Array
    advantages: Array
    returns: Array

    @property
    def log_probs(self) -> Array:
        """Of the actions taken."""
        return np.log(self.probs[np.arange(len(self.actions)), self.actions])


# what is logged of an update


def batch_metrics(rollout: RoutedRequests, batch: DecisionBatch) -> dict[str, float]:
    """What was collected, and how well the critic had foreseen it, before the update."""
    rewards, parts = rollout.rewards, rollout.parts
    unexplained = float((batch.returns - batch.values).var())
    return {
        **spread("reward_", rewards),
        "reward_absolute_score": parts["absolute_score"],
        "reward_delta_score": parts["delta_score"],
        "Reward/Throughput": parts["Reward/Throughput"],
        "Reward/Latency": parts["Reward/Latency"],
        "Debug/RawReward": parts["reward"],
        "Debug/RewardClipped": rollout.clipped,
        "value_mean": float(batch.values.mean()),
        "value_estimate": float(batch.values[-1]),
        "value/var": float(batch.values.var()),
        "return_mean": float(batch.returns.mean()),
        "returns/var": float(batch.returns.var()),
        "advantage/mean": float(batch.advantages.mean()),
        "advantage_std": float(batch.advantages.std()),
        "explained_var": 1.0 - unexplained / (float(batch.returns.var()) + 1e-8),
        "log_probability": float(batch.log_probs.mean()),
        "buffer_progress": len(batch.actions) / rollout.rewards.size,
        "obs/norm": float(np.linalg.norm(batch.observations, axis=1).mean()),
    }


def service_metrics(learner: SchedulerLearner, rollout: RoutedRequests) -> dict[str, float]:
    """How the cluster did under the policy that explores, and how that changed."""
    service, before = rollout.service, learner.before
    changes = {f"delta_{name}": service[name] - before[name] for name in before}
    learner.before = {name: service[name] for name in before}
    return {
        "throughput": service["throughput"],
        "latency": service["latency"],
        "env/metric{name=latency_p95}": service["latency_p95"],
        "env/metric{name=rejected}": service["rejected"],
        "queue_length": service["queue_length"],
        **{name: change for name, change in changes.items() if not math.isnan(change)},
    }


def log_update(
    run: Recorder,
    step: int,
    metrics: dict[str, float],
    rollout: RoutedRequests,
    batch: DecisionBatch,
    look_closer: bool,
) -> None:
    """Record an update, and now and then its distributions."""
    parts = rollout.parts
    if LOG.isEnabledFor(logging.INFO):  # as lines of `ppo_training.log`
        everything = {**metrics, **parts}
        for kind, names in LINES.items():
            shown = " ".join(f"{name}={everything[name]:.5g}" for name in names)
            LOG.info("[PPO:%s] step=%d %s", kind, step, shown)
    run.log(metrics, step)
    run.log_reward_breakdown(
        metrics["reward_mean"],
        {name: parts[name] for name in ("absolute_score", "delta_score")},
        {"balance_penalty": parts["balance_penalty"]},
        step,
    )
    replicas = batch.probs.shape[1]
    run.log_actions(np.bincount(batch.actions, minlength=replicas), step, name="replica")
    if look_closer:
        run.log_histogram("advantage/distribution", batch.advantages, step)
        run.log_histogram("returns/distribution", batch.returns, step)


def say_adapted(
    step: int, learner: SchedulerLearner, now: SchedulerConfig, grad_norm: float
) -> None:
    """A gradient spike, and what the next update does about it, as a line of the log."""
    LOG.info(
        "[PPO:adaptive] step=%d pg_grad_norm=%.5g usual_grad_norm=%.5g next_lr_scale=%.5g "
        "next_minibatch_size=%d",
        step,
        grad_norm,
        learner.steps.usual,
        learner.steps.lr_scale(now),
        now.batch // max(1, now.minibatches // learner.steps.batch_scale(now)),
    )


LINES = {
    "rollout": (
        "buffer_progress", "reward_mean", "reward_std", "value_mean", "return_mean",
        "advantage_std", "throughput", "latency", "queue_length",
    ),
    "update": (
        "pi_loss", "vf_loss", "approx_kl", "kl_coef", "clipfrac", "entropy", "entropy_coef",
        "explained_var", "pg_grad_norm", "grad_spike", "lr", "lr_scale", "minibatch_size",
    ),
    "reward_breakdown": ("reward", "absolute_score", "delta_score", "balance_penalty"),
    "temperature": (
        "current_temperature", "temp_base_temperature", "temp_qps_pressure_ema",
        "temp_latency_pressure_ema", "temp_is_pulsing",
    ),
}  # fmt: skip
