"""Rollout engine against trainer: the same tokens, the same weights, two programs.

With `e = log p_train - log p_rollout` of each sampled token and `w = exp(e)`. Both engines hold
the same weights, so every number here would be at its perfect value if they computed alike.
"""

from __future__ import annotations

import math

from runvitals.metrics._arrays import Selection, rows, select
from runvitals.metrics._types import Array, Namespace, Scalar, scalars
from runvitals.metrics.kl import clamp_log_ratio


@scalars
def rollout_mismatch(
    train: Array,
    rollout: Array,
    mask: Array | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
    clamp: float = 20.0,
) -> dict[str, Scalar]:
    """How differently rollout engine and trainer see the same tokens; KL above 0.01 is a warning.

    `train` and `rollout` are log-probabilities of the sampled tokens, (B, T) or flat. Gives

    - `mismatch/kl`, `mismatch/k3_kl`: KL(rollout || train) by k1 and k3
    - `mismatch/logprob_diff_*`, `mismatch/prob_diff_*`, `mismatch/prob_correlation`
    - `mismatch/is_weight_*`, `mismatch/effective_sample_size`, `mismatch/mult_prob_error`
    - `mismatch/chi2_token`, and for (B, T) `mismatch/chi2_sequence` and the perplexities
    - shares of weights above `high` and below `low`, where given, and their sum as
      `mismatch/masked_fraction`

    `clamp` bounds the log-ratio in the chi-squared numbers, as in veRL. NaN when nothing counts.

    >>> same = rollout_mismatch([[-1.0, -2.0]], [[-1.0, -2.0]])
    >>> same["mismatch/kl"], same["mismatch/effective_sample_size"]
    (0.0, 1.0)
    """
    chosen, (t, r) = select(mask, train=train, rollout=rollout)
    xp = chosen.xp
    e = t - r
    off = xp.abs(e)
    w = xp.exp(e)
    mean_off, mean_w, mean_w2 = chosen.mean(off), chosen.mean(w), chosen.mean(w * w)
    p_train, p_rollout = xp.exp(t), xp.exp(r)
    p_off = xp.abs(p_train - p_rollout)
    safe = xp.exp(clamp_log_ratio(xp, e, clamp))
    found = {
        "mismatch/kl": chosen.mean(-e),
        "mismatch/k3_kl": chosen.mean(xp.expm1(e) - e),
        "mismatch/logprob_diff_mean": mean_off,
        "mismatch/logprob_diff_max": chosen.max(off),
        "mismatch/logprob_diff_std": chosen.std(off, mean=mean_off),
        "mismatch/prob_diff_mean": chosen.mean(p_off),
        "mismatch/prob_diff_max": chosen.max(p_off),
        "mismatch/prob_diff_std": chosen.std(p_off),
        "mismatch/prob_correlation": _correlation(chosen, p_train, p_rollout),
        "mismatch/is_weight_mean": mean_w,
        "mismatch/is_weight_max": chosen.max(w),
        "mismatch/is_weight_min": chosen.min(w),
        "mismatch/is_weight_std": chosen.std(w, mean=mean_w),
        "mismatch/effective_sample_size": mean_w * mean_w / mean_w2,
        "mismatch/mult_prob_error": chosen.mean(xp.exp(off)),
        "mismatch/chi2_token": chosen.mean(safe * safe) - 1.0,
    }
    found |= _outside(chosen, w, low, high)
    xp, keep, (t, r) = rows(mask, train=train, rollout=rollout)
    if t.ndim == 2:
        found |= _sequence_level(xp, keep, t, r, clamp)
    return found


def _outside(
    chosen: Selection, w: Array, low: float | None, high: float | None
) -> dict[str, Scalar]:
    """Shares of the weights beyond the limits that are given."""
    found: dict[str, Scalar] = {}
    if high is not None:
        found["mismatch/is_weight_fraction_high"] = chosen.share(w > high)
    if low is not None:
        found["mismatch/is_weight_fraction_low"] = chosen.share(w < low)
    if high is not None or low is not None:
        outside = (w > (math.inf if high is None else high)) | (w < (0.0 if low is None else low))
        found["mismatch/masked_fraction"] = chosen.share(outside)
    return found


def _correlation(chosen: Selection, a: Array, b: Array) -> Scalar:
    """Pearson correlation; NaN where one side never varies."""
    a, b = a - chosen.mean(a), b - chosen.mean(b)
    spread = chosen.mean(a * a) * chosen.mean(b * b)
    return chosen.mean(a * b) / chosen.xp.sqrt(spread)


def _sequence_level(
    xp: Namespace, keep: Array, t: Array, r: Array, clamp: float
) -> dict[str, Scalar]:
    """Perplexities and the sequence chi-squared; rows without tokens are left out."""
    length = xp.sum(xp.astype(keep, t.dtype), axis=-1)
    there = length > 0
    per_row, _ = select(there, length=length)
    n = xp.where(there, length, 1.0)
    sum_t, sum_r = xp.sum(t, axis=-1), xp.sum(r, axis=-1)

    def pick(x: Array) -> Array:
        return select(there, x=x)[1][0]

    nll_t, nll_r = -sum_t / n, -sum_r / n
    gap = pick(nll_t - nll_r)
    whole = pick(xp.exp(2.0 * clamp_log_ratio(xp, sum_t - sum_r, clamp)))
    return {
        "mismatch/ppl_train": per_row.mean(pick(xp.exp(nll_t))),
        "mismatch/ppl_rollout": per_row.mean(pick(xp.exp(nll_r))),
        "mismatch/log_ppl_diff_mean": per_row.mean(gap),
        "mismatch/log_ppl_diff_abs": per_row.mean(xp.abs(gap)),
        "mismatch/log_ppl_diff_max": per_row.max(gap),
        "mismatch/log_ppl_diff_min": per_row.min(gap),
        "mismatch/ppl_ratio": per_row.mean(xp.exp(gap)),
        "mismatch/chi2_sequence": per_row.mean(whole) - 1.0,
    }
