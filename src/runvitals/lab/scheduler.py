"""A PPO scheduler for a cluster that serves a language model, recorded as a real one is.

It routes each request to a replica, starts from a rule that it imitates, and is steered by four
controllers: a sampling temperature that falls under pressure and pulses on stagnation, an adaptive
KL weight, a floor under the entropy, and smaller steps on larger minibatches after gradient spikes.
Requests come in chunks; after each there is a checkpoint.

    runvitals lab run scheduler --output-dir out/scheduler

writes `ppo_training.log`, `tensorboard/`, `metrics/*.csv` and `training_progress.json` there, and
`--resume` continues it, wherever it was killed.
"""

from __future__ import annotations

import functools
import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Task, Trained, Trainer, Variant
from runvitals.lab.envs import cluster as routing
from runvitals.lab.envs.cluster import Router, Service, Workload, serve
from runvitals.lab.nn import Adam, Array, Categorical, Integers, clip_norm, norm
from runvitals.lab.scheduler_faults import FAULTS
from runvitals.lab.scheduler_learner import (
    TEACHERS,
    Checkpoint,
    Learner,
    SchedulerConfig,
    load_checkpoint,
    save_checkpoint,
)
from runvitals.lab.temperature import adapted_kl_coef

LOG = logging.getLogger("runvitals.ppo")
HELD_OUT = 20_000  # seed of the arrivals on which schedulers are compared


@dataclass(frozen=True)
class Scheduled(Trained):
    """A trained scheduler beside the plainest one, on arrivals that it never met."""

    service: Service
    round_robin: Service
    router: Router  # always takes its favourite replica


def train(
    config: SchedulerConfig,
    run: Recorder,
    sick: Sickness = HEALTHY,
    *,
    stop_at: float = 1.0,
    resume: Checkpoint | str | None = None,
    settle: Callable[[], object] | None = None,
) -> Scheduled:
    """Train a scheduler and log everything through `run`; its step is the routed request.

    `stop_at` ends the run early, as a share of it; `resume` goes on from the checkpoint of such a
    run, in memory or by its path, and then gives the same numbers as if it had never stopped.
    `settle` is called before each checkpoint: it brings to the disk what was logged so far, so that
    a process that is killed leaves no checkpoint which is ahead of its record.
    """
    started = time.perf_counter()
    sick.at(0.0)
    learner = Learner(sick.settings(config))
    with np.errstate(over="ignore", invalid="ignore"):  # some faults end in NaN, and go on
        if resume is None:
            run.progress(total_steps=config.updates * config.batch, completed_chunks=0)
            warm_start(learner, sick.settings(config), run)
        else:
            checkpoint = load_checkpoint(resume)
            sick.at(int(checkpoint["update"]) / config.updates)
            learner.restore(checkpoint, whole=not sick("resume-without-optimizer"))
            _note_progress(learner, config, run, resume)
        last = min(config.updates, max(1, round(stop_at * config.updates)))
        kept = resume
        while learner.update < last:
            sick.at(learner.update / config.updates)
            one_update(learner, config, run, sick)
            if learner.update % config.updates_per_chunk == 0 or learner.update == last:
                if settle is not None:
                    settle()
                kept = save_checkpoint(learner, config)
                _note_progress(learner, config, run, kept)
        service = evaluate(learner, config, requests=config.final_requests)
    plain = _round_robin(config.workload, config.final_requests)
    score = 1.0 - service.latency_mean / plain.latency_mean
    run.summary["latency_vs_round_robin"] = score
    run.summary["grad_spikes"] = learner.steps.spikes
    run.summary["latency_mean"] = service.latency_mean
    run.summary["latency_p95"] = service.latency_p95
    return Scheduled(
        score=score,
        steps=learner.update * config.batch,
        seconds=time.perf_counter() - started,
        checkpoint=kept,
        service=service,
        round_robin=plain,
        router=learner.favourite,
    )


def _note_progress(
    learner: Learner, config: SchedulerConfig, run: Recorder, kept: Checkpoint | str
) -> None:
    run.progress(
        total_steps=config.updates * config.batch,
        completed_chunks=learner.update // config.updates_per_chunk,
        requests_done=learner.update * config.batch,
        latest_checkpoint=kept if isinstance(kept, str) else "in memory",
    )


def one_update(learner: Learner, config: SchedulerConfig, run: Recorder, sick: Sickness) -> None:
    """Route a batch of requests, learn from it, log it."""
    now = sick.settings(config)
    step = (learner.update + 1) * config.batch
    done = learner.update / config.updates
    planned_rate = now.learning_rate * (1.0 - done * (1.0 - now.learning_rate_end))
    lr_scale = learner.steps.lr_scale(now)
    learning_rate = planned_rate * lr_scale
    steering = learner.temperature.metrics()  # as it is while this batch is routed

    with run.timer("rollout"):
        rollout = collect(learner, now, sick)

    with run.timer("advantage"):
        shape = rollout.rewards.shape
        values = learner.critic(_flat(rollout.observations))[:, 0].reshape(shape)
        last_values = learner.critic(rollout.next_observations)[:, 0]
        advantages, returns = gae(rollout.rewards, values, last_values, now.gamma, now.gae_lambda)
        if sick("advantage-sign"):
            advantages = -advantages
        batch = Batch(
            _flat(rollout.observations),
            rollout.actions.ravel(),
            _flat(rollout.probs),
            values.ravel(),
            advantages.ravel(),
            returns.ravel(),
        )

    with run.timer("update"):
        learned = update(learner, batch, now, learning_rate, sick)
    learner.kl_coef = adapted_kl_coef(
        learner.kl_coef,
        learned["policy/kl_old"],
        target=now.target_kl,
        least=now.kl_coef_min,
        most=now.kl_coef_max,
    )
    if learner.steps.update(now, learned["pg_grad_norm"]):
        _say_adapted(step, learner, now, learned["pg_grad_norm"])
    learner.entropy.update(
        learned["entropy"],
        floor=now.entropy_min,
        base=now.entropy_coef,
        most=now.entropy_coef_max,
    )
    learner.temperature.update(
        now,
        utilisation=rollout.service["utilisation"],
        latency=rollout.service["latency"] / now.latency_target,
        reward=float(rollout.rewards.mean()),
    )
    learner.update += 1

    run.count(env_steps=config.batch, updates=learned["optim/updates_per_iteration"])
    metrics = {
        **learned,
        "lr": learning_rate,
        "lr_scale": lr_scale,
        "grad_spike": float(learner.steps.spiking),
        "kl_coef": learner.kl_coef,
        "policy/clip_range": now.clip_ratio,
        **learner.entropy.metrics(),
        **steering,
        **_batch_metrics(rollout, batch),
        **_service_metrics(learner, rollout),
        "progress/chunks": float(learner.update // config.updates_per_chunk),
    }
    look_closer = learner.update % config.eval_every == 0 or learner.update == 1
    if look_closer:
        with run.timer("eval"):
            metrics |= _eval_metrics(learner, config)
    with run.timer("log"):
        _log(run, step, metrics, rollout, batch, look_closer)


# rollouts


class Rollout(NamedTuple):
    """What the policy met, time first, one column per cluster."""

    observations: NDArray[np.float32]
    actions: Integers
    probs: Array  # of all replicas
    rewards: NDArray[np.float32]  # clipped
    next_observations: NDArray[np.float32]
    parts: dict[str, float]  # means of the reward and of what it is made of
    clipped: float  # share of rewards
    service: dict[str, float]


def collect(learner: Learner, now: SchedulerConfig, sick: Sickness) -> Rollout:
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
    return Rollout(
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


def _observe(learner: Learner, sick: Sickness) -> NDArray[np.float32]:
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


def warm_start(learner: Learner, now: SchedulerConfig, run: Recorder) -> None:
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


# the update


class Batch(NamedTuple):
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
        taken: Array = np.log(self.probs[np.arange(len(self.actions)), self.actions])
        return taken


def gae(
    rewards: Array, values: Array, last_values: Array, gamma: float, lam: float
) -> tuple[Array, Array]:
    """Generalised advantage estimates and the critic's targets, time first; requests never end."""
    errors = rewards + gamma * np.concatenate([values[1:], last_values[None]]) - values
    advantages = np.zeros_like(values)
    running = np.zeros_like(last_values)
    for t in range(len(rewards) - 1, -1, -1):
        running = errors[t] + gamma * lam * running
        advantages[t] = running
    return advantages, advantages + values


def update(
    learner: Learner,
    batch: Batch,
    now: SchedulerConfig,
    learning_rate: float,
    sick: Sickness = HEALTHY,
) -> dict[str, float]:
    """Some epochs over one batch; gives the metrics.

    Losses, entropy, gradient norm and clip fraction are means over the minibatches; KL and ratio
    are measured at the end, over the whole batch.
    """
    policy, critic, temperature = learner.policy, learner.critic, learner.temperature.current
    old_log_probs = batch.log_probs
    scale = np.float32(1.0 / temperature)
    seen: dict[str, list[float]] = {}
    updates = 0
    minibatches = _minibatches(now, learner.rngs["batches"], learner.steps.batch_scale(now))
    for rows in minibatches:
        layers = policy.forward(batch.observations[rows])
        choice = Categorical(layers[-1] * scale)
        actions, count = batch.actions[rows], np.float32(len(rows))
        log_ratio = choice.log_prob(actions) - old_log_probs[rows]
        ratio = np.exp(log_ratio)
        kl = float(np.mean(ratio - 1.0 - log_ratio))
        if now.kl_early_stop and updates and kl > 1.5 * now.target_kl:
            break
        advantages = batch.advantages[rows]
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        plain = ratio * advantages
        clipped = np.clip(ratio, 1.0 - now.clip_ratio, 1.0 + now.clip_ratio) * advantages
        pull = -plain * (plain <= clipped) / count
        # the KL from the policy that routed pulls each probability back to what it was
        grad = (
            choice.log_prob_grad(actions, pull)
            - choice.entropy_grad(learner.entropy.coef / len(rows))
            + np.float32(learner.kl_coef) * (choice.probs - batch.probs[rows]) / count
        )
        policy.backward(layers, grad * scale)

        value_layers = critic.forward(batch.observations[rows])
        value_loss, errors = _value_errors(value_layers[-1][:, 0], batch, rows, now)
        critic.backward(value_layers, (now.value_coef / count) * errors[:, None])

        grads = [policy.grads, critic.grads]
        grad_norm = clip_norm(grads, now.max_grad_norm)
        if not sick("optimizer-step-missing"):
            learner.optimizer.step(grads, learning_rate)
        updates += 1
        for name, value in (
            ("pi_loss", -float(np.minimum(plain, clipped).mean())),
            ("vf_loss", value_loss),
            ("entropy", float(choice.entropy().mean())),
            ("clipfrac", float((np.abs(ratio - 1.0) > now.clip_ratio).mean())),
            ("pg_grad_norm", grad_norm),
            ("optim/grad_clip_fraction", float(grad_norm > now.max_grad_norm)),
        ):
            seen.setdefault(name, []).append(value)

    after = learner.choose(batch.observations, temperature).log_prob(batch.actions)
    log_ratio = after - old_log_probs
    ratio = np.exp(log_ratio)
    return {
        **{name: float(np.mean(values)) for name, values in seen.items()},
        "approx_kl": max(-float(log_ratio.mean()), 0.0),
        "policy/kl_old": float(np.mean(ratio - 1.0 - log_ratio)),
        "policy/ratio_mean": float(ratio.mean()),
        "policy/ratio_max": float(ratio.max()),
        "policy/ratio_min": float(ratio.min()),
        "optim/param_norm": norm([policy.params, critic.params]),
        "optim/updates_per_iteration": float(updates),
        "minibatch_size": float(len(minibatches[0])),
    }


def _value_errors(
    values: Array, batch: Batch, rows: Integers, now: SchedulerConfig
) -> tuple[float, Array]:
    """The critic's loss, and its errors where they count."""
    errors = values - batch.returns[rows]
    if now.value_clip_range is None:
        return 0.5 * float(np.square(errors).mean()), errors
    old = batch.values[rows]
    bounded = np.clip(values, old - now.value_clip_range, old + now.value_clip_range)
    bounded_errors = bounded - batch.returns[rows]
    held = np.abs(bounded_errors) > np.abs(errors)  # the clip decides, and is flat
    loss = 0.5 * float(np.maximum(np.square(errors), np.square(bounded_errors)).mean())
    return loss, errors * ~held


def _minibatches(
    now: SchedulerConfig, rng: np.random.Generator, batch_scale: int
) -> list[Integers]:
    """The rows of each minibatch, all epochs after one another; every epoch in a new order."""
    orders = [rng.permutation(now.batch) for _ in range(now.epochs)]
    count = max(1, now.minibatches // batch_scale)
    return [rows for order in orders for rows in np.array_split(order, count)]


# evaluation


def evaluate(learner: Learner, config: SchedulerConfig, *, requests: int) -> Service:
    """Serve arrivals that were never trained on, always by the favourite replica."""
    return serve(config.workload, learner.favourite, seed=HELD_OUT, requests=requests)


@functools.cache
def _round_robin(workload: Workload, requests: int) -> Service:
    return serve(workload, routing.round_robin(), seed=HELD_OUT, requests=requests)


def _eval_metrics(learner: Learner, config: SchedulerConfig) -> dict[str, float]:
    service = evaluate(learner, config, requests=config.eval_requests)
    plain = _round_robin(config.workload, config.eval_requests)
    return {
        "eval/score_mean": 1.0 - service.latency_mean / plain.latency_mean,
        "eval/latency": service.latency_mean,
        "eval/env/metric{name=latency_p95}": service.latency_p95,
        "eval/env/metric{name=latency_round_robin}": plain.latency_mean,
        "eval/throughput": service.throughput,
    }


# what is logged


def _batch_metrics(rollout: Rollout, batch: Batch) -> dict[str, float]:
    """What was collected, and how well the critic had foreseen it, before the update."""
    rewards, parts = rollout.rewards, rollout.parts
    unexplained = float((batch.returns - batch.values).var())
    return {
        "reward_mean": float(rewards.mean()),
        "reward_std": float(rewards.std()),
        "reward_min": float(rewards.min()),
        "reward_max": float(rewards.max()),
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


def _service_metrics(learner: Learner, rollout: Rollout) -> dict[str, float]:
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


def _log(
    run: Recorder,
    step: int,
    metrics: dict[str, float],
    rollout: Rollout,
    batch: Batch,
    look_closer: bool,
) -> None:
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


def _say_adapted(step: int, learner: Learner, now: SchedulerConfig, grad_norm: float) -> None:
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


def _write_lines(step: int, metrics: Mapping[str, float], rollout: Rollout) -> None:
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


def _flat(rows: Array) -> Array:
    """Time and cluster as one axis."""
    return rows.reshape(-1, rows.shape[-1])


TASKS = (
    Task(
        "bursty",
        "four unequal replicas, arrivals in bursts",
        "how much less latency than round-robin on held-out arrivals, as a share",
        target=0.65,
    ),
    Task(
        "uneven",
        "six replicas, the fastest five times as fast as the slowest",
        "how much less latency than round-robin on held-out arrivals, as a share",
        target=0.68,
        settings={"speeds": (0.5, 1.4, 0.4, 2.0, 0.8, 1.1)},
    ),
)

VARIANTS = (
    Variant("resumed", "stopped half-way and resumed", resume_at=0.5),
    Variant("short-run", "only 14 updates", {"chunks": 2, "updates_per_chunk": 7}, learns=False),
    Variant(
        "metrics-missing",
        "no critic, no temperature and no reward statistics are logged",
        hide=("value*", "explained_var", "vf_loss", "*temp*", "reward_*", "policy/*"),
    ),
    Variant(
        "light-load",
        "equal replicas that are hardly busy: all schedulers are alike",
        {"speeds": (1.0, 1.0, 1.0, 1.0), "load": 0.15},
        learns=False,
        tasks=("bursty",),
    ),
    Variant(
        "pulse-at-stagnation",
        "long and strong temperature pulses, each after some time without progress",
        {"pulse_patience": 20, "pulse_updates": 6, "pulse_factor": 2.2},
    ),
    Variant("no-warm-start", "starts from a random policy", {"warm_start": ""}),
    Variant(
        "slow-learner",
        "a small learning rate: still improving at the end",
        {"learning_rate": 1.5e-4},
        learns=False,
    ),
    Variant("no-annealing", "the learning rate stays as it is", {"learning_rate_end": 1.0}),
    Variant(
        "large-batch",
        "twice the clusters, half the updates",
        {"num_clusters": 128, "minibatches": 32, "chunks": 5},
    ),
)

BOARD = {  # the tags that the real scheduler writes for TensorBoard
    "approx_kl": "Training/ApproxKL",
    "clipfrac": "Training/ClipFraction",
    "entropy": "Training/Entropy",
    "pi_loss": "Training/PolicyLoss",
    "vf_loss": "Training/ValueLoss",
    "explained_var": "Training/ExplainedVariance",
    "pg_grad_norm": "Training/GradientNorm",
    "lr": "Training/LearningRate",
    "reward_mean": "Rollout/RewardMean",
    "reward_std": "Rollout/RewardStd",
    "reward_min": "Rollout/RewardMin",
    "reward_max": "Rollout/RewardMax",
    "value_mean": "Rollout/ValueMean",
    "return_mean": "Rollout/ReturnMean",
    "advantage_std": "Rollout/AdvantageStd",
    "buffer_progress": "System/BufferProgress",
    "delta_throughput": "Reward/DeltaThroughput",
    "delta_latency": "Reward/DeltaLatency",
}

SCHEDULER = Trainer(
    name="scheduler",
    title="a PPO scheduler for a cluster that serves a language model",
    algorithm="ppo",
    config=SchedulerConfig,
    train=train,
    tasks=TASKS,
    faults=FAULTS,
    variants=VARIANTS,
    framework="vidur",
    resumable=True,
    dialects={"vidur-tensorboard": BOARD},
)
