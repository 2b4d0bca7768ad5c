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
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.envs import cluster as routing
from runvitals.lab.envs.cluster import Router, Service, Workload, serve
from runvitals.lab.measures import Means, spread
from runvitals.lab.nn import Categorical, clip_norm, norm
from runvitals.lab.on_policy import clipped_surrogate, flat, gae, minibatches, value_errors
from runvitals.lab.scheduler_faults import BOARD, FAULTS, TASKS, VARIANTS
from runvitals.lab.scheduler_learner import (
    Checkpoint,
    SchedulerConfig,
    SchedulerLearner,
    load_checkpoint,
    save_checkpoint,
)
from runvitals.lab.scheduler_rollout import (
    DecisionBatch,
    batch_metrics,
    collect,
    log_update,
    say_adapted,
    service_metrics,
    warm_start,
)
from runvitals.lab.temperature import adapted_kl_coef

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
    learner = SchedulerLearner(sick.settings(config))
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
    steps, seconds = learner.update * config.batch, time.perf_counter() - started
    return Scheduled(score, steps, seconds, service, plain, learner.favourite, checkpoint=kept)


def _note_progress(
    learner: SchedulerLearner, config: SchedulerConfig, run: Recorder, kept: Checkpoint | str
) -> None:
    run.progress(
        total_steps=config.updates * config.batch,
        completed_chunks=learner.update // config.updates_per_chunk,
        requests_done=learner.update * config.batch,
        latest_checkpoint=kept if isinstance(kept, str) else "in memory",
    )


def one_update(
    learner: SchedulerLearner, config: SchedulerConfig, run: Recorder, sick: Sickness
) -> None:
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
        values = learner.critic(flat(rollout.observations))[:, 0].reshape(shape)
        last_values = learner.critic(rollout.next_observations)[:, 0]
        advantages, returns = gae(
            rollout.rewards, values, last_values, gamma=now.gamma, lam=now.gae_lambda
        )
        if sick("advantage-sign"):
            advantages = -advantages
        seen, probs = flat(rollout.observations), flat(rollout.probs)
        rest = map(np.ravel, (values, advantages, returns))
        batch = DecisionBatch(seen, rollout.actions.ravel(), probs, *rest)

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
        say_adapted(step, learner, now, learned["pg_grad_norm"])
    learner.entropy.update(
        learned["entropy"], floor=now.entropy_min, base=now.entropy_coef, most=now.entropy_coef_max
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
        **batch_metrics(rollout, batch),
        **service_metrics(learner, rollout),
        "progress/chunks": float(learner.update // config.updates_per_chunk),
    }
    look_closer = learner.update % config.eval_every == 0 or learner.update == 1
    if look_closer:
        with run.timer("eval"):
            metrics |= _eval_metrics(learner, config)
    with run.timer("log"):
        log_update(run, step, metrics, rollout, batch, look_closer)


# the update


def update(
    learner: SchedulerLearner,
    batch: DecisionBatch,
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
    means = Means()
    updates = 0
    parts = max(1, now.minibatches // learner.steps.batch_scale(now))
    portions = minibatches(now.batch, now.epochs, parts, learner.rngs["batches"])
    for rows in portions:
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
        policy_loss, pull = clipped_surrogate(ratio, advantages, now.clip_ratio)
        # the KL from the policy that routed pulls each probability back to what it was
        grad = (
            choice.log_prob_grad(actions, pull)
            - choice.entropy_grad(learner.entropy.coef / len(rows))
            + np.float32(learner.kl_coef) * (choice.probs - batch.probs[rows]) / count
        )
        policy.backward(layers, grad * scale)

        value_layers = critic.forward(batch.observations[rows])
        value_loss, errors, _ = value_errors(
            value_layers[-1][:, 0], batch.values[rows], batch.returns[rows], now.value_clip_range
        )
        critic.backward(value_layers, (now.value_coef / count) * errors[:, None])

        grads = [policy.grads, critic.grads]
        grad_norm = clip_norm(grads, now.max_grad_norm)
        if not sick("optimizer-step-missing"):
            learner.optimizer.step(grads, learning_rate)
        updates += 1
        means.add(
            {
                "pi_loss": policy_loss,
                "vf_loss": value_loss,
                "entropy": float(choice.entropy().mean()),
                "clipfrac": float((np.abs(ratio - 1.0) > now.clip_ratio).mean()),
                "pg_grad_norm": grad_norm,
                "optim/grad_clip_fraction": float(grad_norm > now.max_grad_norm),
            }
        )

    after = learner.choose(batch.observations, temperature).log_prob(batch.actions)
    log_ratio = after - old_log_probs
    ratio = np.exp(log_ratio)
    return {
        **means.take(),
        "approx_kl": max(-float(log_ratio.mean()), 0.0),
        "policy/kl_old": float(np.mean(ratio - 1.0 - log_ratio)),
        **spread("policy/ratio_", ratio, "mean max min"),
        "optim/param_norm": norm([policy.params, critic.params]),
        "optim/updates_per_iteration": float(updates),
        "minibatch_size": float(len(portions[0])),
    }


# evaluation


def evaluate(learner: SchedulerLearner, config: SchedulerConfig, *, requests: int) -> Service:
    """Serve arrivals that were never trained on, always by the favourite replica."""
    return serve(config.workload, learner.favourite, seed=HELD_OUT, requests=requests)


@functools.cache
def _round_robin(workload: Workload, requests: int) -> Service:
    return serve(workload, routing.round_robin(), seed=HELD_OUT, requests=requests)


def _eval_metrics(learner: SchedulerLearner, config: SchedulerConfig) -> dict[str, float]:
    service = evaluate(learner, config, requests=config.eval_requests)
    plain = _round_robin(config.workload, config.eval_requests)
    return {
        "eval/score_mean": 1.0 - service.latency_mean / plain.latency_mean,
        "eval/latency": service.latency_mean,
        "eval/env/metric{name=latency_p95}": service.latency_p95,
        "eval/env/metric{name=latency_round_robin}": plain.latency_mean,
        "eval/throughput": service.throughput,
    }


SCHEDULER = Trainer(
    "scheduler", "a PPO scheduler for a cluster that serves a language model", "ppo",
    SchedulerConfig, train, TASKS, FAULTS, VARIANTS, "vidur", resumable=True,
    dialects={"vidur-tensorboard": BOARD},
)  # fmt: skip
