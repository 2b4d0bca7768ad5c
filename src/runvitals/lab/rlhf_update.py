"""How actor and critic of a language model learn from a batch of responses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runvitals.lab.contract import Sickness
from runvitals.lab.lm import SequenceNet, judge, push
from runvitals.lab.measures import Means, mean_over, spread
from runvitals.lab.nn import Adam, Array, Integers, clip_norm
from runvitals.lab.on_policy import minibatches
from runvitals.lab.puzzles import Tokens
from runvitals.lab.rlhf_rollout import Flags
from runvitals.lab.rlhf_world import RLHFConfig
from runvitals.metrics import gae_tokens, group_advantages, whiten

LOG_RATIO_LIMIT = 20.0  # beyond it a ratio says nothing but "very different"


class ResponseBatch(NamedTuple):
    """Responses with all that the updates need to know of each of their tokens."""

    prompts: Tokens
    responses: Tokens
    own: Flags  # tokens that the model wrote itself
    log_probs: Array  # by the policy before the updates
    ref_log_probs: Array
    advantages: Array
    returns: Array
    values: Array


def advantages_of(
    scores: Array, penalty: Array, values: Array, own: Flags, now: RLHFConfig, sick: Sickness
) -> tuple[Array, Array]:
    """Advantages and returns per token."""
    if now.algorithm == "grpo":
        each = group_advantages(scores, group_size=now.group_size, eps=1e-6)
        if dose := sick("advantage-over-zero"):
            groups = scores.reshape(-1, now.group_size)
            off = groups - groups.mean(axis=1, keepdims=True)
            each = (off / (groups[:, :2].std(axis=1, keepdims=True) + dose)).ravel()
        advantages = returns = each[:, None] * own
    else:
        rewards = -penalty
        last = np.maximum(own.shape[1] - 1 - own[:, ::-1].argmax(axis=1), 0)
        rewards[np.arange(len(rewards)), last] += scores
        advantages, returns = gae_tokens(rewards, values, own, gamma=now.gamma, lam=now.gae_lambda)
        returns = returns + sick("returns-shifted") * own
        advantages = whiten(advantages, own) if own.any() else advantages
    if sick("advantage-sign"):
        advantages = -advantages
    return advantages.astype(np.float32), returns.astype(np.float32)


def update_actor(
    policy: SequenceNet,
    optimizer: Adam,
    batch: ResponseBatch,
    now: RLHFConfig,
    learning_rate: float,
    rng: np.random.Generator,
    sick: Sickness,
) -> dict[str, float]:
    """Some epochs over one batch; metrics are means over the minibatches, each before its step."""
    seen: dict[str, list[float]] = {}
    for rows in _minibatches(len(batch.prompts), now, rng):
        parts: list[Any] = [part[rows] for part in batch]
        prompts, responses, own, old, ref, advantages, *_ = parts
        judged = judge(policy, prompts, responses)
        count = max(1, int(own.sum()))
        log_ratio = np.clip(judged.log_probs - old, -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT) * own
        ratio = np.exp(log_ratio)
        plain = ratio * advantages
        clipped = np.clip(ratio, 1.0 - now.clip_range, 1.0 + now.clip_range) * advantages
        pull = -plain * (plain <= clipped)  # nothing flows where the clip holds
        entropy = float((judged.entropy * own).sum() / count)
        pg_loss = -float((np.minimum(plain, clipped) * own).sum() / count)
        loss = pg_loss - now.entropy_coef * entropy
        if now.algorithm == "grpo":  # the KL is part of the loss, by the k3 estimator
            gap = np.clip(ref - judged.log_probs, -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT) * own
            kl_loss = float((np.exp(gap) - gap - 1.0).sum() / count)
            pull = pull + now.kl_coef * (1.0 - np.exp(gap))
            loss += now.kl_coef * kl_loss
            seen.setdefault("actor/kl_loss", []).append(kl_loss)
        weights = (pull * own / count).astype(np.float32)
        push(policy, judged, responses, weights, -now.entropy_coef * own / count)
        grad_norm = clip_norm(policy.grads, now.max_grad_norm)
        if not sick("optimizer-step-missing"):
            optimizer.step(policy.grads, learning_rate)
        for name, value in (
            ("actor/loss", loss),
            ("actor/pg_loss", pg_loss),
            ("actor/entropy", entropy),
            ("actor/entropy_loss", entropy),
            ("actor/grad_norm", grad_norm),
            ("actor/ppo_kl", -mean_over(log_ratio, own)),
            ("actor/approx_kl", mean_over(ratio - 1.0 - log_ratio, own)),
            ("actor/pg_clipfrac", mean_over(clipped < plain, own)),
            ("policy/ratio_mean", mean_over(ratio, own)),
            ("policy/ratio_std", float(ratio[own].std()) if own.any() else float("nan")),
            ("policy/ratio_min", float(ratio.min())),
            ("policy/ratio_max", float(ratio.max())),
            ("optim/grad_clip_fraction", float(grad_norm > now.max_grad_norm)),
        ):
            seen.setdefault(name, []).append(value)
    extremes = {"policy/ratio_min": np.min, "policy/ratio_max": np.max}
    metrics = {name: float(extremes.get(name, np.mean)(each)) for name, each in seen.items()}
    return metrics | {"optim/updates_per_iteration": float(len(seen["actor/loss"]))}


def _minibatches(count: int, now: RLHFConfig, rng: np.random.Generator) -> list[Integers]:
    starts = range(now.minibatch_size, count, now.minibatch_size)
    return minibatches(count, now.epochs_per_batch, list(starts), rng)


def values_of(critic: SequenceNet, prompts: Tokens, responses: Tokens) -> tuple[Array, Any]:
    """What the critic expects before each token of the responses, and its reading."""
    reading = critic.read(np.concatenate([prompts, responses], axis=1)[:, :-1])
    return reading.outputs[:, prompts.shape[1] - 1 :, 0], reading


def update_critic(
    critic: SequenceNet,
    optimizer: Adam,
    batch: ResponseBatch,
    now: RLHFConfig,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Some epochs of squared error against the returns; a value may not run far from its old one."""
    means = Means()
    for rows in _minibatches(len(batch.prompts), now, rng):
        own, returns, old = batch.own[rows], batch.returns[rows], batch.values[rows]
        count = max(1, int(own.sum()))
        values, reading = values_of(critic, batch.prompts[rows], batch.responses[rows])
        errors = values - returns
        bounded = np.clip(values, old - now.clip_range_vf, old + now.clip_range_vf) - returns
        held = np.abs(bounded) > np.abs(errors)  # the clip decides, and is flat
        loss = 0.5 * mean_over(np.maximum(np.square(errors), np.square(bounded)), own)
        grad = np.zeros_like(reading.outputs)
        grad[:, batch.prompts.shape[1] - 1 :, 0] = now.value_coef * errors * ~held * own / count
        critic.backward(reading, grad)
        grad_norm = clip_norm(critic.grads, now.max_grad_norm)
        optimizer.step(critic.grads, now.critic_learning_rate)
        means.add(
            {
                "critic/vf_loss": loss,
                "critic/loss": loss,
                "critic/vf_clipfrac": mean_over(held, own),
                "critic/vpred_mean": mean_over(values, own),
                "critic/grad_norm": grad_norm,
            }
        )
    return means.take()


def value_metrics(values: Array, returns: Array, errors: Array) -> dict[str, float]:
    """How well the critic had foreseen the returns, before its update."""
    variance = float(returns.var()) if returns.size else float("nan")
    explained = 1.0 - float(errors.var()) / variance if variance > 0 else float("nan")
    return {
        **spread("critic/values/", values, "mean max min"),
        "critic/value/mean": spread("value/", values, "mean max min")["value/mean"],
        "critic/vf_explained_var": explained,
        "value/var": float(values.var()),
        "value/error": float(np.square(errors).mean()),
        "returns/var": variance,
    }
