"""A whole family of metrics from one batch, in one call, ready for `run.log(...)`.

Every bundle returns a flat dict of scalars under canonical names, or under those of a framework
with `names=`. What was not passed in is left out. On PyTorch and JAX nothing waits for the device:
the values are 0-d arrays until they are asked for.

`names` also settles what frameworks compute differently under one name:

    policy/approx_kl      k2 for trl, else k3
    policy/clip_fraction  sb3 ignores the sign of the advantage
    value/loss            sb3 leaves out the factor 1/2
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from runvitals.metrics import preference
from runvitals.metrics._arrays import shape_of, unify
from runvitals.metrics._bundle_parts import PolicyUpdate, given, reward_part, update_metrics
from runvitals.metrics._types import Array, Scalar, scalars
from runvitals.metrics.groups import Groups, group_advantages, group_stats
from runvitals.metrics.kl import Estimator
from runvitals.metrics.language import language_stats
from runvitals.metrics.naming import Naming, rename
from runvitals.metrics.rewards import calibration_error, reward_model_stats
from runvitals.model import ConfigError


@scalars
def ppo_health(
    logprobs: Array,
    old_logprobs: Array,
    advantages: Array | None = None,
    mask: Array | None = None,
    *,
    ref_logprobs: Array | None = None,
    rollout_logprobs: Array | None = None,
    entropy: Array | None = None,
    logits: Array | None = None,
    values: Array | None = None,
    old_values: Array | None = None,
    returns: Array | None = None,
    rewards: Array | None = None,
    scores: Array | None = None,
    reward_components: Mapping[str, Array] | None = None,
    prompt_lengths: Array | None = None,
    response_lengths: Array | None = None,
    finished: Array | None = None,
    turns: Array | None = None,
    max_prompt_length: int | None = None,
    max_response_length: int | None = None,
    ranks: int | None = None,
    clip: float = 0.2,
    clip_low: float | None = None,
    clip_high: float | None = None,
    dual_clip: float | None = None,
    value_clip: float | None = None,
    kl_estimator: Estimator | None = None,
    kl_ref_estimator: Estimator = "k3",
    kl_coef: float | None = None,
    entropy_coef: float | None = None,
    value_coef: float | None = None,
    grad_norm: Scalar | None = None,
    learning_rate: float | None = None,
    names: Naming = "canonical",
) -> dict[str, Scalar]:
    """The health of one PPO update, from its batch: policy, value, reward, lengths.

    `logprobs`, `old_logprobs` and whatever else is per action or token have one shape, flat or
    (B, T), and `mask` marks what counts; `advantages` may hold one value per row. `rewards`,
    `scores`, lengths, `finished` and `turns` have one entry per sample. With (B, T) input and a
    mask, response lengths follow from the mask. `policy/loss_total` and `optim/loss` appear if all
    their parts and coefficients are known. Undefined numbers are NaN. The module says what `names`
    changes.

    >>> found = ppo_health([-1.0, -2.0], [-1.0, -2.0], [1.0, -1.0])
    >>> found["policy/approx_kl"], found["policy/clip_fraction"], found["policy/ratio_mean"]
    (0.0, 0.0, 1.0)
    >>> ppo_health([-1.0], [-1.0], names="sb3")["train/approx_kl"]
    0.0
    """
    return rename(update_metrics(PolicyUpdate(**locals())), names, "ppo")


@scalars
def grpo_health(
    logprobs: Array,
    old_logprobs: Array,
    rewards: Array,
    mask: Array | None = None,
    *,
    group_size: int | None = None,
    groups: Groups | None = None,
    advantages: Array | None = None,
    scale: Literal["group", "batch", "none"] = "group",
    correct_at: float = 1.0,
    ref_logprobs: Array | None = None,
    rollout_logprobs: Array | None = None,
    entropy: Array | None = None,
    logits: Array | None = None,
    reward_components: Mapping[str, Array] | None = None,
    prompt_lengths: Array | None = None,
    response_lengths: Array | None = None,
    finished: Array | None = None,
    turns: Array | None = None,
    max_prompt_length: int | None = None,
    max_response_length: int | None = None,
    ranks: int | None = None,
    clip: float = 0.2,
    clip_low: float | None = None,
    clip_high: float | None = None,
    dual_clip: float | None = None,
    kl_estimator: Estimator | None = None,
    kl_ref_estimator: Estimator = "k3",
    kl_coef: float | None = None,
    entropy_coef: float | None = None,
    grad_norm: Scalar | None = None,
    learning_rate: float | None = None,
    names: Naming = "canonical",
) -> dict[str, Scalar]:
    """The health of one GRPO update: as `ppo_health`, plus what share of the groups teaches.

    `rewards` has one score per response, flat with `group_size` or `groups` (one prompt id each),
    or (groups, samples) in the order of the rows. Advantages follow from them unless given.

    >>> found = grpo_health([[-1.0]] * 4, [[-1.0]] * 4, [1.0, 0.0, 1.0, 1.0], group_size=2)
    >>> found["reward/zero_std_fraction"], found["reward/score_mean"]
    (0.5, 0.75)
    """
    shared = {name: value for name, value in locals().items() if name not in _OF_GROUPS}
    xp, (r, _) = unify(rewards, logprobs)
    if advantages is None:
        eps = 1e-6 if names == "verl" else 1e-4
        advantages = group_advantages(r, group_size=group_size, groups=groups, scale=scale, eps=eps)
        advantages = xp.reshape(advantages, (-1,))
        _check_samples(advantages, logprobs)
    scores = xp.reshape(r, (-1,))
    shared |= {"advantages": advantages, "rewards": scores, "scores": scores}
    found = update_metrics(PolicyUpdate(**shared))
    found.pop("reward/kl_penalty_mean", None)  # GRPO's KL is in the loss, not in the reward
    if reward_components:
        parts = reward_part(None, None, reward_components)
        found |= {name: value for name, value in parts.items() if name not in found}
    found |= group_stats(r, group_size=group_size, groups=groups, correct_at=correct_at)
    return rename(found, names, "grpo")


# arguments of `grpo_health` that `ppo_health` does not have, or that mean something else there
_OF_GROUPS = ("group_size", "groups", "scale", "correct_at", "reward_components", "names")


def _check_samples(advantages: Array, logprobs: Array) -> None:
    shape = shape_of(unify(logprobs)[1][0])
    if shape_of(advantages) != shape[:1]:
        raise ConfigError(
            f"rewards hold {shape_of(advantages)[0]} samples, logprobs has shape {shape}"
        )


@scalars
def dpo_health(
    chosen: Array,
    rejected: Array,
    ref_chosen: Array | None = None,
    ref_rejected: Array | None = None,
    *,
    method: Literal["dpo", "ipo", "hinge", "robust", "simpo", "orpo", "cpo"] = "dpo",
    beta: float | None = None,
    label_smoothing: float = 0.0,
    gamma: float = 0.5,
    alpha: float = 1.0,
    nll: Array | None = None,
    chosen_lengths: Array | None = None,
    rejected_lengths: Array | None = None,
    mask: Array | None = None,
    grad_norm: Scalar | None = None,
    learning_rate: float | None = None,
    names: Naming = "canonical",
) -> dict[str, Scalar]:
    """The health of one batch of preference optimisation: loss, rewards, margin, accuracy.

    Log-probabilities of whole responses, one per pair: sums for DPO, IPO, hinge, CPO and SimPO
    (which divides them by the lengths), means per token for ORPO. The reference is needed by DPO,
    IPO and hinge only. For KTO, which has no pairs, call `kto`.

    >>> found = dpo_health([-10.0], [-12.0], [-11.0], [-11.0], names="trl")
    >>> round(found["rewards/margins"], 6), found["rewards/accuracies"]
    (0.2, 1.0)
    """
    found = _preference_loss(method, locals())
    found |= given(
        preference__beta=beta, optim__grad_norm=grad_norm, optim__learning_rate=learning_rate
    )
    return rename(found, names, "dpo")


# the options that the loss of each method takes besides `mask` and `beta`, and those it needs
_Loss = Callable[..., dict[str, Scalar]]
_REFERENCE, _LENGTHS = ("ref_chosen", "ref_rejected"), ("chosen_lengths", "rejected_lengths")
_LOSS_OPTIONS: dict[_Loss, tuple[str, ...]] = {
    preference.dpo: (*_REFERENCE, *_LENGTHS, "label_smoothing"),
    preference.simpo: (*_LENGTHS, "gamma", "label_smoothing"),
    preference.orpo: ("nll",),
    preference.cpo: ("nll", "alpha", "label_smoothing"),
}
_LOSSES: dict[str, tuple[_Loss, tuple[str, ...]]] = {
    **dict.fromkeys(("dpo", "ipo", "hinge", "robust"), (preference.dpo, _REFERENCE)),
    "simpo": (preference.simpo, _LENGTHS),
    "orpo": (preference.orpo, ()),
    "cpo": (preference.cpo, ()),
}


def _preference_loss(method: str, passed: Mapping[str, Any]) -> dict[str, Scalar]:
    """The metrics of a method, from those arguments of `dpo_health` that its loss takes."""
    if method not in _LOSSES:
        raise ConfigError(f"unknown method {method!r}", hint=f"one of: {', '.join(_LOSSES)}")
    loss, needs = _LOSSES[method]
    if any(passed[name] is None for name in needs):
        raise ConfigError(f"{method} needs {' and '.join(needs)}")
    options = {name: passed[name] for name in (*_LOSS_OPTIONS[loss], "mask")}
    if passed["beta"] is not None:
        options["beta"] = passed["beta"]
    if loss is preference.dpo:
        options["loss"] = "sigmoid" if method == "dpo" else method
    return loss(passed["chosen"], passed["rejected"], **options)


@scalars
def reward_model_health(
    chosen: Array,
    rejected: Array,
    mask: Array | None = None,
    *,
    margin: Array | float = 0.0,
    center: float = 0.0,
    calibration_bins: int | None = None,
    grad_norm: Scalar | None = None,
    learning_rate: float | None = None,
    names: Naming = "canonical",
) -> dict[str, Scalar]:
    """The health of one batch of reward-model training, from the scores of both answers.

    Loss, accuracy, margin, score statistics; with `calibration_bins` also the expected calibration
    error, as `rm/calibration_error`.

    >>> reward_model_health([2.0, 1.0], [0.0, 3.0], names="seed")["rm/accuracy"]
    0.5
    """
    found = reward_model_stats(chosen, rejected, mask, margin=margin, center=center)
    if calibration_bins is not None:
        error = calibration_error(chosen, rejected, mask, bins=calibration_bins)
        found["rm/calibration_error"] = error
    found |= given(rm__grad_norm=grad_norm, optim__learning_rate=learning_rate)
    return rename(found, names, "rm")


@scalars
def sft_health(
    logits: Array,
    labels: Array,
    mask: Array | None = None,
    *,
    shift: bool = False,
    grad_norm: Scalar | None = None,
    learning_rate: float | None = None,
    names: Naming = "canonical",
) -> dict[str, Scalar]:
    """The health of one batch of supervised fine-tuning: loss, perplexity, accuracy, entropy.

    See `language_stats` for shapes; labels of -100 do not count.

    >>> sft_health([[0.0, 9.0]], [1], names="trl")["mean_token_accuracy"]
    1.0
    """
    found = language_stats(logits, labels, mask, shift=shift)
    found |= given(optim__grad_norm=grad_norm, optim__learning_rate=learning_rate)
    return rename(found, names, "sft")
