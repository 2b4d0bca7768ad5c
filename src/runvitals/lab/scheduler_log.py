"""What the scheduler logs of an update: metrics, distributions, and lines of its training log."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping

import numpy as np

from runvitals.lab.contract import Recorder
from runvitals.lab.measures import spread
from runvitals.lab.scheduler_learner import (
    SchedulerConfig,
    SchedulerLearner,
)
from runvitals.lab.scheduler_rollout import LOG, DecisionBatch, RoutedRequests


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
    _write_lines(step, metrics, rollout)
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


def _write_lines(step: int, metrics: Mapping[str, float], rollout: RoutedRequests) -> None:
    """The update as lines of `ppo_training.log`."""
    if not LOG.isEnabledFor(logging.INFO):
        return
    everything = {**metrics, **rollout.parts}
    for kind, names in LINES.items():
        shown = " ".join(f"{name}={everything[name]:.5g}" for name in names)
        LOG.info("[PPO:%s] step=%d %s", kind, step, shown)


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
