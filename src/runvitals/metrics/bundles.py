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

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

from runvitals.metrics import preference
from runvitals.metrics._arrays import (
    Array,
    Scalar,
    is_numpy,
    out_all,
    quiet,
    select,
    shape_of,
    unify,
)
from runvitals.metrics.advantage import advantage_summary, return_stats, return_summary
from runvitals.metrics.balance import seqlen_balance
from runvitals.metrics.clipping import bounds, shares, surrogate
from runvitals.metrics.entropy import token_entropy
from runvitals.metrics.groups import Groups, group_advantages, group_stats
from runvitals.metrics.kl import Estimator, estimate
from runvitals.metrics.language import language_stats
from runvitals.metrics.lengths import length_stats, lengths_from_mask
from runvitals.metrics.mismatch import rollout_mismatch
from runvitals.metrics.naming import Naming, rename
from runvitals.metrics.passk import Method
from runvitals.metrics.reward_model import calibration_error, reward_model_stats
from runvitals.metrics.rewards import reward_breakdown, reward_stats, score_stats
from runvitals.metrics.turns import turn_stats
from runvitals.metrics.validation_groups import validation_scores
from runvitals.metrics.value import clipped, explained, squared, value_summary
from runvitals.model import ConfigError
from runvitals.model.labels import labelled


def _policy(
    new: Array,
    old: Array,
    advantages: Array | None,
    mask: Array | None,
    *,
    low: float,
    high: float,
    dual_clip: float | None,
    estimator: Estimator,
    sign_aware: bool,
    sequences: Scalar | None,
) -> dict[str, Scalar]:
    """Everything that follows from the ratio, in one pass over it."""
    chosen, (new, old, adv) = select(
        mask, per_row=("advantages",), logprobs=new, old_logprobs=old, advantages=advantages
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
    cut = shares(chosen, ratio, adv if sign_aware else None, low, high, None)
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


def _reference(
    logprobs: Array, ref: Array, mask: Array | None, estimator: Estimator, sequences: Scalar | None
) -> dict[str, Scalar]:
    """Distance to the reference, per token and summed over responses."""
    chosen, (p, q) = select(mask, logprobs=logprobs, ref_logprobs=ref)
    xp = chosen.xp
    found: dict[str, Scalar] = {"policy/logprob_ref_mean": chosen.mean(q)}
    change = q - p
    del p, q
    if sequences is not None:
        found["policy/kl_ref_sequence"] = -chosen.sum(change) / sequences
    terms = estimate(xp, change, estimator)
    del change
    found["policy/kl_ref"] = chosen.mean(terms)
    found["policy/kl_ref_max"] = chosen.max(terms)
    return found


def _sequences(logprobs: Array, mask: Array | None) -> tuple[Scalar | None, Array | None]:
    """How many rows of (B, T) input hold a counting token, and how many each holds."""
    xp, (x,) = unify(logprobs)
    if x.ndim != 2:
        return None, None
    if mask is None:
        return shape_of(x)[0], None
    size = lengths_from_mask(mask)
    xp, (size,) = unify(size)
    return xp.sum(xp.astype(size > 0, size.dtype)), size


def _value(
    values: Array,
    returns: Array | None,
    old_values: Array | None,
    mask: Array | None,
    clip: float | None,
    *,
    half: bool,
) -> dict[str, Scalar]:
    """Predictions and returns in one pass; each array is masked once."""
    chosen, (v, r, old) = select(mask, values=values, returns=returns, old_values=old_values)
    xp = chosen.xp
    found = value_summary(chosen, v if old is None else old)
    if old is not None:
        found["value/pred_mean"] = chosen.mean(v)
        move = xp.abs(v - old)
        found["value/change_mean"] = chosen.mean(move)
        found["value/change_max"] = chosen.max(move)
        del move
    if r is None:
        return found
    found |= return_summary(chosen, r)
    found["value/explained_variance"] = explained(
        chosen, v if old is None else old, r, var=found["returns/var"]
    )
    error = squared(xp, v, r)
    found["value/error"] = chosen.mean(error)
    if old is not None and clip is not None:
        bounded = squared(xp, clipped(xp, v, old, clip), r)
        found["value/clip_fraction"] = chosen.share(bounded > error)
        error = xp.maximum(error, bounded)
    found["value/loss"] = chosen.mean(error) * (0.5 if half else 1.0)
    return found


def _given(**values: Scalar | None) -> dict[str, Scalar]:
    return {name.replace("__", "/"): value for name, value in values.items() if value is not None}


@quiet
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
    mask, response lengths follow from the mask. The total losses appear where all their parts and
    coefficients are known:

        policy/loss_total = policy/loss + kl_coef KL_ref - entropy_coef entropy
        optim/loss        = policy/loss_total + value_coef value/loss

    Undefined numbers are NaN. See the module for what `names` changes.

    >>> found = ppo_health([-1.0, -2.0], [-1.0, -2.0], [1.0, -1.0])
    >>> found["policy/approx_kl"], found["policy/clip_fraction"], found["policy/ratio_mean"]
    (0.0, 0.0, 1.0)
    >>> ppo_health([-1.0], [-1.0], names="sb3")["train/approx_kl"]
    0.0
    """
    low, high = bounds(clip, clip_low, clip_high)
    estimator = kl_estimator or ("k2" if names == "trl" else "k3")
    sequences, sizes = _sequences(logprobs, mask)
    if response_lengths is None and sizes is not None:
        response_lengths = sizes
        if max_response_length is None:
            max_response_length = shape_of(unify(logprobs)[1][0])[1]
    found = _policy(
        logprobs,
        old_logprobs,
        advantages,
        mask,
        sequences=sequences,
        low=low,
        high=high,
        dual_clip=dual_clip,
        estimator=estimator,
        sign_aware=names != "sb3",
    )
    if logits is not None and entropy is None:
        entropy = token_entropy(logits)
    if entropy is not None:
        chosen, (spread,) = select(mask, entropy=entropy)
        found["policy/entropy"] = chosen.mean(spread)
        found["policy/entropy_min"] = chosen.min(spread)
        found["policy/entropy_max"] = chosen.max(spread)
        del chosen, spread
    if ref_logprobs is not None:
        found |= _reference(logprobs, ref_logprobs, mask, kl_ref_estimator, sequences)
    if rollout_logprobs is not None:
        found |= rollout_mismatch(old_logprobs, rollout_logprobs, mask)
    if values is None and returns is not None:
        found |= return_stats(returns, mask)
    if values is not None:
        found |= _value(values, returns, old_values, mask, value_clip, half=names != "sb3")
    found |= _samples(rewards, scores, reward_components)
    found |= _shapes(
        prompt_lengths,
        response_lengths,
        finished,
        turns,
        max_prompt_length,
        max_response_length,
        ranks,
    )
    found |= _losses(found, kl_coef, entropy_coef, value_coef)
    if kl_coef is not None and "policy/kl_ref_sequence" in found:
        found["reward/kl_penalty_mean"] = -kl_coef * found["policy/kl_ref_sequence"]
    found |= _given(
        policy__clip_range=clip,
        policy__kl_coef=kl_coef,
        policy__entropy_coef=entropy_coef,
        policy__grad_norm=grad_norm,
        policy__learning_rate=learning_rate,
    )
    return rename(out_all(found), names, "ppo")


def _losses(
    found: Mapping[str, Scalar],
    kl_coef: float | None,
    entropy_coef: float | None,
    value_coef: float | None,
) -> dict[str, Scalar]:
    """The terms and totals of the loss that are known."""
    total = found.get("policy/loss")
    if total is None:
        return {}
    extra: dict[str, Scalar] = {}
    if kl_coef is not None and "policy/kl_ref" in found:
        extra["policy/kl_loss"] = kl_coef * found["policy/kl_ref"]
        total = total + extra["policy/kl_loss"]
    if entropy_coef is not None and "policy/entropy" in found:
        extra["policy/entropy_loss"] = -entropy_coef * found["policy/entropy"]
        total = total + extra["policy/entropy_loss"]
    extra["policy/loss_total"] = total
    if value_coef is not None and "value/loss" in found:
        extra["optim/loss"] = total + value_coef * found["value/loss"]
    return extra


def _samples(
    reward: Array | None, scores: Array | None, components: Mapping[str, Array] | None
) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    if components:
        found |= reward_breakdown(components)
    if reward is not None:
        found |= reward_stats(reward)
    if scores is not None:
        found |= score_stats(scores)
    return found


def _shapes(
    prompt_lengths: Array | None,
    response_lengths: Array | None,
    finished: Array | None,
    turns: Array | None,
    max_prompt: int | None,
    max_response: int | None,
    ranks: int | None,
) -> dict[str, Scalar]:
    """Lengths, turns and load."""
    found: dict[str, Scalar] = {}
    if response_lengths is not None:
        found |= length_stats(response_lengths, max_length=max_response, finished=finished)
    if prompt_lengths is not None:
        found |= length_stats(prompt_lengths, kind="prompt", max_length=max_prompt)
    if prompt_lengths is not None and response_lengths is not None:
        _, (a, b) = unify(prompt_lengths, response_lengths)
        found |= length_stats(a + b, kind="total")
        if ranks is not None:
            found |= seqlen_balance(a + b, ranks)
    if turns is not None:
        found |= turn_stats(turns)
    return found


@quiet
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
    or (groups, samples) in the order of the rows. Advantages follow from them unless given. No
    critic, so no value metrics.

    >>> found = grpo_health([[-1.0]] * 4, [[-1.0]] * 4, [1.0, 0.0, 1.0, 1.0], group_size=2)
    >>> found["reward/zero_std_fraction"], found["reward/score_mean"]
    (0.5, 0.75)
    """
    xp, (r, _) = unify(rewards, logprobs)
    if advantages is None:
        eps = 1e-6 if names == "verl" else 1e-4
        advantages = group_advantages(r, group_size=group_size, groups=groups, scale=scale, eps=eps)
        advantages = xp.reshape(advantages, (-1,))
        if shape_of(advantages) != shape_of(unify(logprobs)[1][0])[:1]:
            raise ConfigError(
                f"rewards hold {shape_of(advantages)[0]} samples, "
                f"logprobs has shape {shape_of(unify(logprobs)[1][0])}"
            )
    found = ppo_health(
        logprobs,
        old_logprobs,
        advantages,
        mask,
        ref_logprobs=ref_logprobs,
        rollout_logprobs=rollout_logprobs,
        entropy=entropy,
        logits=logits,
        rewards=xp.reshape(r, (-1,)),
        scores=xp.reshape(r, (-1,)),
        prompt_lengths=prompt_lengths,
        response_lengths=response_lengths,
        finished=finished,
        turns=turns,
        max_prompt_length=max_prompt_length,
        max_response_length=max_response_length,
        ranks=ranks,
        clip=clip,
        clip_low=clip_low,
        clip_high=clip_high,
        dual_clip=dual_clip,
        kl_estimator=kl_estimator,
        kl_ref_estimator=kl_ref_estimator,
        kl_coef=kl_coef,
        entropy_coef=entropy_coef,
        grad_norm=grad_norm,
        learning_rate=learning_rate,
    )
    found.pop("reward/kl_penalty_mean", None)  # GRPO's KL is in the loss, not in the reward
    if reward_components:
        parts = _samples(None, None, reward_components)
        found |= {name: value for name, value in parts.items() if name not in found}
    found |= group_stats(r, group_size=group_size, groups=groups, correct_at=correct_at)
    return rename(out_all(found), names, "grpo")


@quiet
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
    options: dict[str, Any] = {"mask": mask}
    if beta is not None:
        options["beta"] = beta
    if method in ("dpo", "ipo", "hinge", "robust"):
        if ref_chosen is None or ref_rejected is None:
            raise ConfigError(f"{method} needs ref_chosen and ref_rejected")
        kind: preference.DPOLoss = "sigmoid" if method == "dpo" else method
        found = preference.dpo(
            chosen,
            rejected,
            ref_chosen,
            ref_rejected,
            loss=kind,
            label_smoothing=label_smoothing,
            chosen_lengths=chosen_lengths,
            rejected_lengths=rejected_lengths,
            **options,
        )
    elif method == "simpo":
        if chosen_lengths is None or rejected_lengths is None:
            raise ConfigError("simpo needs chosen_lengths and rejected_lengths")
        found = preference.simpo(
            chosen,
            rejected,
            chosen_lengths,
            rejected_lengths,
            gamma=gamma,
            label_smoothing=label_smoothing,
            **options,
        )
    elif method == "orpo":
        found = preference.orpo(chosen, rejected, nll=nll, **options)
    elif method == "cpo":
        found = preference.cpo(
            chosen, rejected, nll=nll, alpha=alpha, label_smoothing=label_smoothing, **options
        )
    else:
        raise ConfigError(
            f"unknown method {method!r}",
            hint="one of: dpo, ipo, hinge, robust, simpo, orpo, cpo",
        )
    found |= _given(
        preference__beta=beta, optim__grad_norm=grad_norm, optim__learning_rate=learning_rate
    )
    return rename(out_all(found), names, "dpo")


@quiet
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
    found |= _given(rm__grad_norm=grad_norm, optim__learning_rate=learning_rate)
    return rename(out_all(found), names, "rm")


@quiet
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
    found |= _given(optim__grad_norm=grad_norm, optim__learning_rate=learning_rate)
    return rename(out_all(found), names, "sft")


_KINDS = {
    "mean": "eval/mean_at_n",
    "std": "eval/std_at_n",
    "best": "eval/best_at_n",
    "worst": "eval/worst_at_n",
    "maj": "eval/maj_at_n",
    "pass": "eval/pass_at_k",
}


def validation(
    datasets: Sequence[str],
    prompts: Sequence[Hashable],
    scores: Mapping[str, Sequence[object]],
    *,
    answers: Sequence[Hashable] | None = None,
    turns: Array | None = None,
    correct_at: float | None = None,
    method: Method = "bootstrap",
    seed: int = 42,
    names: Naming = "canonical",
) -> dict[str, float]:
    """One validation round: mean, best, worst and majority of N for each data set and metric.

    One entry per sample, see `validation_scores`. Canonical names carry labels,
    `eval/mean_at_n{dataset=math,metric=acc,n=8}`; the spread of a resampled number has the further
    label `part=std`. With `names="verl"` (or "trl", "seed") they read
    `val-core/<dataset>/<metric>/mean@8`, the first to look at, and `val-aux/...`, the rest.

    >>> validation(["math", "math"], ["q", "q"], {"acc": [1, 0]}, names="verl")[
    ...     "val-core/math/acc/mean@2"]
    0.5
    """
    found: dict[str, float] = {}
    plain = names == "canonical" or names == "sb3"
    for s in validation_scores(
        datasets,
        prompts,
        scores,
        answers=answers,
        correct_at=correct_at,
        method=method,
        seed=seed,
    ):
        section = "val-core" if s.core else "val-aux"
        if plain or s.kind == "pass":
            labels: dict[str, object] = {"dataset": s.dataset, "metric": s.metric}
            labels["k" if s.kind == "pass" else "n"] = s.n
            if s.part == "std":
                labels["part"] = "std"
            found[labelled(_KINDS[s.kind], **labels)] = s.value
        else:
            tail = f"/{s.part}" if s.part else ""
            found[f"{section}/{s.dataset}/{s.metric}/{s.kind}@{s.n}{tail}"] = s.value
    if turns is not None:
        counted = {f"eval/{name}": value for name, value in turn_stats(turns).items()}
        found |= rename(counted, "canonical" if plain else "verl", "validation")
    return found
