"""Log-probabilities of sampled tokens: taking them from logits, and summarising them."""

from __future__ import annotations

from runvitals.metrics._arrays import (
    Array,
    Namespace,
    Scalar,
    ShapeError,
    as_index,
    log_sum_exp,
    out_all,
    quiet,
    rows,
    select,
    shape_of,
    unify,
)


def pick_last(xp: Namespace, x: Array, index: Array) -> Array:
    """`x[..., index]` for one index per position; `index` must be in range."""
    return xp.take_along_axis(x, index[..., None], axis=-1)[..., 0]


def checked_index(xp: Namespace, index: Array, x: Array, name: str) -> tuple[Array, Array]:
    """Positions that are safe to look up in the last axis of `x`, and which were in range."""
    index = as_index(xp, index, x)
    if shape_of(index) != shape_of(x)[:-1]:
        raise ShapeError(name, shape_of(index), "logits", shape_of(x))
    known = (index >= 0) & (index < shape_of(x)[-1])
    return xp.where(known, index, xp.zeros_like(index)), known


@quiet
def token_logprobs(logits: Array, tokens: Array, *, temperature: float = 1.0) -> Array:
    """Log-probability of each token, shape (...) from logits (..., vocabulary).

    Tokens outside the vocabulary, such as the label -100, give NaN.

    >>> token_logprobs([[0.0, 0.0]], [1]).round(6).tolist()
    [-0.693147]
    """
    xp, (z,) = unify(logits)
    if temperature != 1.0:
        z = z / temperature
    safe, known = checked_index(xp, tokens, z, "tokens")
    found = pick_last(xp, z, safe) - log_sum_exp(xp, z)
    return xp.where(known, found, float("nan"))


@quiet
def sequence_logprobs(
    logprobs: Array, mask: Array | None = None, *, average: bool = False
) -> Array:
    """Log-probability of each whole response, (B,) from (B, T): sums, or means per token.

    Sums depend on length; SimPO, ORPO and TRL's IPO use the means. A row without tokens sums to 0
    and has the mean NaN.

    >>> sequence_logprobs([[-1.0, -2.0], [-3.0, 0.0]], [[1, 1], [1, 0]]).tolist()
    [-3.0, -3.0]
    """
    xp, keep, (logprobs,) = rows(mask, logprobs=logprobs)
    total = xp.sum(logprobs, axis=-1)
    if not average:
        return total
    return total / xp.sum(xp.astype(keep, total.dtype), axis=-1)


@quiet
def logprob_stats(
    logprobs: Array, mask: Array | None = None, *, reference: Array | None = None
) -> dict[str, Scalar]:
    """Mean log-probability of the sampled tokens, and of the reference if given; slow drift is fine.

    Rising fast towards 0 means the policy grows certain; the mean of the negative is a sample
    estimate of its entropy. NaN when nothing counts.

    >>> logprob_stats([-1.0, -2.0])
    {'policy/logprob_mean': -1.5, 'policy/nll_mean': 1.5}
    """
    chosen, (logprobs, reference) = select(mask, logprobs=logprobs, reference=reference)
    mean = chosen.mean(logprobs)
    found = {"policy/logprob_mean": mean, "policy/nll_mean": -mean}
    if reference is not None:
        found["policy/logprob_ref_mean"] = chosen.mean(reference)
    return out_all(found)
