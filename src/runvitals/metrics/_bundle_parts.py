"""The parts that bundles are put together from, each in one pass over its arrays.

`update_metrics` puts those of a policy update together, for `ppo_health` and `grpo_health`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from runvitals.metrics._arrays import is_numpy, select, shape_of, unify
from runvitals.metrics._types import Array, Scalar
from runvitals.metrics.advantage import advantage_summary, return_stats
from runvitals.metrics.balance import seqlen_balance
from runvitals.metrics.clipping import bounds, shares, surrogate
from runvitals.metrics.kl import Estimator, estimate
from runvitals.metrics.lengths import length_stats, lengths_from_mask, turn_stats
from runvitals.metrics.logprob import token_entropy
from runvitals.metrics.mismatch import rollout_mismatch
from runvitals.metrics.rewards import reward_breakdown, reward_stats, score_stats
from runvitals.metrics.value import clipped, explained, squared


class PolicyUpdate(SimpleNamespace):
    """The arguments of `ppo_health`, under the same names; None where one was not given."""

    def __getattr__(self, name: str) -> Any:
        return None


def policy_part(u: PolicyUpdate, sequences: Scalar | None) -> dict[str, Scalar]:
    """Everything that follows from the ratio, in one pass over it."""
    low, high = bounds(u.clip, u.clip_low, u.clip_high)
    dual_clip = u.dual_clip
    estimator: Estimator = u.kl_estimator or ("k2" if u.names == "trl" else "k3")
    chosen, (new, old, adv) = select(
        u.mask,
        per_row=("advantages",),
        logprobs=u.logprobs,
        old_logprobs=u.old_logprobs,
        advantages=u.advantages,
    )
    xp = chosen.xp
    mean_new = chosen.mean(new)
    whole = None if sequences is None else -chosen.sum(new) / sequences
    change = new - old
    del new, old
    found: dict[str, Scalar] = {
        "policy/kl_old": -chosen.mean(change),
        "policy/ratio_min": xp.exp(chosen.min(change)),
        "policy/ratio_max": xp.exp(chosen.max(change)),
        "policy/logprob_mean": mean_new,
        "policy/nll_mean": -mean_new,
    }
    if whole is not None:
        found["policy/entropy_sequence"] = whole
    # One exponential serves all: expm1 keeps small steps exact, and exp is monotone, so the
    # extremes above come from the extremes of the log-ratio.
    off = xp.expm1(change)
    if estimator == "k3":
        found["policy/approx_kl"] = chosen.mean(off - change)
    else:
        found["policy/approx_kl"] = chosen.mean(estimate(xp, change, estimator))
    del change
    mean_off = chosen.mean(off)
    var = chosen.var(off, 1.0, mean_off)
    found["policy/ratio_mean"] = 1.0 + mean_off
    found["policy/ratio_std"] = xp.sqrt(var)
    found["policy/ratio_var"] = var
    found["policy/ratio_abs_dev"] = chosen.mean(xp.abs(off))
    ratio = _plus_one(xp, off)
    del off
    cut = shares(chosen, ratio, None if u.names == "sb3" else adv, low, high, None)
    found["policy/clip_fraction"] = cut.total
    found["policy/clip_fraction_low"] = cut.low
    found["policy/clip_fraction_high"] = cut.high
    if adv is not None:
        if dual_clip is not None:
            found["policy/clip_fraction_dual"] = chosen.share((adv < 0) & (ratio > dual_clip))
        found["policy/loss"] = chosen.mean(surrogate(xp, ratio, adv, low, high, dual_clip))
        del ratio
        found |= advantage_summary(chosen, adv)
    return found


def _plus_one(xp: Any, x: Array) -> Array:
    """x + 1; NumPy does it in place, the array is ours."""
    if is_numpy(xp) and shape_of(x):
        x += 1.0
        return x
    return x + 1.0


def reference_part(u: PolicyUpdate, sequences: Scalar | None) -> dict[str, Scalar]:
    """Distance to the reference, per token and summed over responses."""
    chosen, (p, q) = select(u.mask, logprobs=u.logprobs, ref_logprobs=u.ref_logprobs)
    xp = chosen.xp
    found: dict[str, Scalar] = {"policy/logprob_ref_mean": chosen.mean(q)}
    change = q - p
    del p, q
    if sequences is not None:
        found["policy/kl_ref_sequence"] = -chosen.sum(change) / sequences
    terms = estimate(xp, change, u.kl_ref_estimator)
    del change
    found["policy/kl_ref"] = chosen.mean(terms)
    found["policy/kl_ref_max"] = chosen.max(terms)
    return found


def counted_sequences(logprobs: Array, mask: Array | None) -> tuple[Scalar | None, Array | None]:
    """How many rows of (B, T) input hold a counting token, and how many each holds."""
    xp, (x,) = unify(logprobs)
    if x.ndim != 2:
        return None, None
    if mask is None:
        return shape_of(x)[0], None
    size = lengths_from_mask(mask)
    xp, (size,) = unify(size)
    return xp.sum(xp.astype(size > 0, size.dtype)), size


def value_part(u: PolicyUpdate) -> dict[str, Scalar]:
    """Predictions and returns in one pass; each array is masked once."""
    chosen, (v, r, old) = select(
        u.mask, values=u.values, returns=u.returns, old_values=u.old_values
    )
    xp = chosen.xp
    found = chosen.moments(v if old is None else old, "value/")
    if old is not None:
        found["value/pred_mean"] = chosen.mean(v)
        move = xp.abs(v - old)
        found["value/change_mean"] = chosen.mean(move)
        found["value/change_max"] = chosen.max(move)
        del move
    if r is None:
        return found
    found |= chosen.moments(r, "returns/")
    found["value/explained_variance"] = explained(
        chosen, v if old is None else old, r, var=found["returns/var"]
    )
    error = squared(xp, v, r)
    found["value/error"] = chosen.mean(error)
    if old is not None and u.value_clip is not None:
        bounded = squared(xp, clipped(xp, v, old, u.value_clip), r)
        found["value/clip_fraction"] = chosen.share(bounded > error)
        error = xp.maximum(error, bounded)
    found["value/loss"] = chosen.mean(error) * (1.0 if u.names == "sb3" else 0.5)
    return found


def given(**values: Scalar | None) -> dict[str, Scalar]:
    """What was passed in, by its metric: `optim__grad_norm` stands for `optim/grad_norm`."""
    return {name.replace("__", "/"): value for name, value in values.items() if value is not None}


def loss_terms(found: Mapping[str, Scalar], u: PolicyUpdate) -> dict[str, Scalar]:
    """The terms and totals of the loss that are known."""
    total = found.get("policy/loss")
    if total is None:
        return {}
    extra: dict[str, Scalar] = {}
    if u.kl_coef is not None and "policy/kl_ref" in found:
        extra["policy/kl_loss"] = u.kl_coef * found["policy/kl_ref"]
        total = total + extra["policy/kl_loss"]
    if u.entropy_coef is not None and "policy/entropy" in found:
        extra["policy/entropy_loss"] = -u.entropy_coef * found["policy/entropy"]
        total = total + extra["policy/entropy_loss"]
    extra["policy/loss_total"] = total
    if u.value_coef is not None and "value/loss" in found:
        extra["optim/loss"] = total + u.value_coef * found["value/loss"]
    return extra


def reward_part(
    reward: Array | None, scores: Array | None, components: Mapping[str, Array] | None
) -> dict[str, Scalar]:
    """Rewards, scores, and the components a reward is made of."""
    found: dict[str, Scalar] = {}
    if components:
        found |= reward_breakdown(components)
    if reward is not None:
        found |= reward_stats(reward)
    if scores is not None:
        found |= score_stats(scores)
    return found


def update_metrics(u: PolicyUpdate) -> dict[str, Scalar]:
    """Policy, value, reward and length metrics under canonical names, not yet read from the device."""
    sequences, sizes = counted_sequences(u.logprobs, u.mask)
    found = policy_part(u, sequences)
    found |= _entropy_part(u)
    if u.ref_logprobs is not None:
        found |= reference_part(u, sequences)
    if u.rollout_logprobs is not None:
        found |= rollout_mismatch(u.old_logprobs, u.rollout_logprobs, u.mask)
    if u.values is not None:
        found |= value_part(u)
    elif u.returns is not None:
        found |= return_stats(u.returns, u.mask)
    found |= reward_part(u.rewards, u.scores, u.reward_components)
    found |= _lengths_part(u, sizes)
    found |= loss_terms(found, u)
    if u.kl_coef is not None and "policy/kl_ref_sequence" in found:
        found["reward/kl_penalty_mean"] = -u.kl_coef * found["policy/kl_ref_sequence"]
    return found | given(
        policy__clip_range=u.clip,
        policy__kl_coef=u.kl_coef,
        policy__entropy_coef=u.entropy_coef,
        policy__grad_norm=u.grad_norm,
        policy__learning_rate=u.learning_rate,
    )


def _entropy_part(u: PolicyUpdate) -> dict[str, Scalar]:
    entropy = u.entropy
    if u.logits is not None and entropy is None:
        entropy = token_entropy(u.logits)
    if entropy is None:
        return {}
    chosen, (spread,) = select(u.mask, entropy=entropy)
    return {
        "policy/entropy": chosen.mean(spread),
        "policy/entropy_min": chosen.min(spread),
        "policy/entropy_max": chosen.max(spread),
    }


def _lengths_part(u: PolicyUpdate, counted: Array | None) -> dict[str, Scalar]:
    """Lengths, turns and load; responses are as long as their mask says unless given."""
    lengths, longest = u.response_lengths, u.max_response_length
    if lengths is None and counted is not None:
        lengths = counted
        if longest is None:
            longest = shape_of(unify(u.logprobs)[1][0])[1]
    prompts = u.prompt_lengths
    found: dict[str, Scalar] = {}
    if lengths is not None:
        found |= length_stats(lengths, max_length=longest, finished=u.finished)
    if prompts is not None:
        found |= length_stats(prompts, kind="prompt", max_length=u.max_prompt_length)
    if prompts is not None and lengths is not None:
        _, (a, b) = unify(prompts, lengths)
        found |= length_stats(a + b, kind="total")
        if u.ranks is not None:
            found |= seqlen_balance(a + b, u.ranks)
    if u.turns is not None:
        found |= turn_stats(u.turns)
    return found
