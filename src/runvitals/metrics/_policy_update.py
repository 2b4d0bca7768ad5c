"""All metrics of one policy update, from its batch: what `ppo_health` and `grpo_health` share."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from runvitals.metrics._arrays import Array, Scalar, select, shape_of, unify
from runvitals.metrics._bundle_parts import (
    counted_sequences,
    given,
    loss_terms,
    policy_part,
    reference_part,
    reward_part,
    shape_part,
    value_part,
)
from runvitals.metrics.advantage import return_stats
from runvitals.metrics.clipping import bounds
from runvitals.metrics.entropy import token_entropy
from runvitals.metrics.mismatch import rollout_mismatch


class PolicyUpdate(SimpleNamespace):
    """The arguments of `ppo_health`, under the same names; None where one was not given."""

    def __getattr__(self, name: str) -> Any:
        return None


def update_metrics(u: PolicyUpdate) -> dict[str, Scalar]:
    """Policy, value, reward and length metrics under canonical names, not yet read from the device."""
    low, high = bounds(u.clip, u.clip_low, u.clip_high)
    sequences, sizes = counted_sequences(u.logprobs, u.mask)
    found = policy_part(
        u.logprobs,
        u.old_logprobs,
        u.advantages,
        u.mask,
        sequences=sequences,
        low=low,
        high=high,
        dual_clip=u.dual_clip,
        estimator=u.kl_estimator or ("k2" if u.names == "trl" else "k3"),
        sign_aware=u.names != "sb3",
    )
    found |= _entropy_part(u)
    if u.ref_logprobs is not None:
        found |= reference_part(u.logprobs, u.ref_logprobs, u.mask, u.kl_ref_estimator, sequences)
    if u.rollout_logprobs is not None:
        found |= rollout_mismatch(u.old_logprobs, u.rollout_logprobs, u.mask)
    if u.values is not None:
        half = u.names != "sb3"
        found |= value_part(u.values, u.returns, u.old_values, u.mask, u.value_clip, half=half)
    elif u.returns is not None:
        found |= return_stats(u.returns, u.mask)
    found |= reward_part(u.rewards, u.scores, u.reward_components)
    found |= _lengths_part(u, sizes)
    found |= loss_terms(found, u.kl_coef, u.entropy_coef, u.value_coef)
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
    return shape_part(
        u.prompt_lengths, lengths, u.finished, u.turns, u.max_prompt_length, longest, u.ranks
    )
