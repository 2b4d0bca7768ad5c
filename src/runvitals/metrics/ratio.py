"""The importance ratio new/old of the sampled actions, and how many samples it leaves."""

from __future__ import annotations

from runvitals.metrics._arrays import Array, Scalar, Selection, out, out_all, quiet, select
from runvitals.metrics.kl import clamp_log_ratio


def ratio_summary(chosen: Selection, ratio: Array, correction: float = 1.0) -> dict[str, Scalar]:
    """Moments and extremes of a ratio that is already there."""
    mean = chosen.mean(ratio)
    var = chosen.var(ratio, correction, mean)
    return {
        "policy/ratio_mean": mean,
        "policy/ratio_std": chosen.xp.sqrt(var),
        "policy/ratio_var": var,
        "policy/ratio_min": chosen.min(ratio),
        "policy/ratio_max": chosen.max(ratio),
    }


@quiet
def ratio_stats(
    new: Array, old: Array, mask: Array | None = None, *, clamp: float | None = None
) -> dict[str, Scalar]:
    """Mean, spread and extremes of exp(new - old); the mean should stay near 1.

    Also the mean of |ratio - 1|. `clamp` bounds the log-ratio first (veRL and OpenRLHF use 20);
    without it a log-ratio beyond the float type's range gives infinity. Standard deviation and
    variance are unbiased: NaN for a single action. All NaN when nothing counts.

    >>> ratio_stats([0.0, 0.0], [0.0, 0.0])["policy/ratio_mean"]
    1.0
    """
    chosen, (new, old) = select(mask, new=new, old=old)
    xp = chosen.xp
    log_ratio = clamp_log_ratio(xp, new - old, clamp)
    found = ratio_summary(chosen, xp.exp(log_ratio))
    found["policy/ratio_abs_dev"] = chosen.mean(xp.abs(xp.expm1(log_ratio)))
    return out_all(found)


@quiet
def effective_sample_size(log_weights: Array, mask: Array | None = None) -> Scalar:
    """Share of the samples that importance weighting leaves to learn from; 1 is all, 1/n is one.

        (sum w)^2 / (n sum w^2),  w = exp(log_weights)

    Computed relative to the largest weight, so log-weights of any size are safe. NaN when nothing
    counts.

    >>> effective_sample_size([0.0, 0.0, 0.0, 0.0])
    1.0
    >>> round(effective_sample_size([500.0, 0.0, 0.0, 0.0]), 6)
    0.25
    """
    chosen, (log_w,) = select(mask, log_weights=log_weights)
    xp = chosen.xp
    top = chosen.max(log_w)
    w = xp.exp(log_w - xp.where(xp.isfinite(top) | xp.isnan(top), top, 0.0))
    total = chosen.sum(w)
    return out(total * total / (chosen.count * chosen.sum(w * w)))
