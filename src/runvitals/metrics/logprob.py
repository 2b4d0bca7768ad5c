"""Log-probabilities of sampled tokens, and in nats how random the policy is that draws them."""

from __future__ import annotations

import math

from runvitals.metrics._arrays import (
    as_index,
    log_sum_exp,
    positive_number,
    reduce_rows,
    rows,
    select,
    shape_of,
    unify,
)
from runvitals.metrics._types import Array, Namespace, Reduction, Scalar, ShapeError, quiet, scalars


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


@scalars
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
    return found


@quiet
def token_entropy(logits: Array, *, temperature: float = 1.0) -> Array:
    """Entropy of each position's distribution, shape (...) from logits (..., actions).

    `logsumexp(z) - sum(softmax(z) z)` with `z = logits / temperature`. A logit of -inf forbids an
    action and adds nothing.

    >>> token_entropy([[0.0, 0.0], [0.0, -1000.0]]).round(6).tolist()
    [0.693147, 0.0]
    """
    xp, (z,) = unify(logits)
    if temperature != 1.0:
        z = z / positive_number("temperature", temperature)
    z = z - log_sum_exp(xp, z)[..., None]
    p = xp.exp(z)
    return xp.sum(xp.where(p > 0, -p * z, xp.where(xp.isnan(p), p, 0.0)), axis=-1)


def entropy_from_logits(
    logits: Array,
    mask: Array | None = None,
    *,
    temperature: float = 1.0,
    reduce: Reduction = "token",
) -> Scalar:
    """Mean entropy of a discrete policy in nats; from log(actions) when uniform down to 0.

    Logits of shape (..., actions); `mask` has the shape without the last axis. High early, falling
    slowly is healthy. NaN when nothing counts.

    >>> round(entropy_from_logits([[0.0, 0.0, 0.0, 0.0]]), 6)
    1.386294
    """
    return mean_entropy(token_entropy(logits, temperature=temperature), mask, reduce=reduce)


@quiet
def entropy_from_probs(probs: Array, mask: Array | None = None) -> Scalar:
    """Mean entropy of a discrete policy in nats, from its probabilities (..., actions).

    `-sum(p log p)`; probabilities of 0 add nothing. They are taken as given, not normalised.

    >>> round(entropy_from_probs([[0.5, 0.5], [1.0, 0.0]]), 6)
    0.346574
    """
    xp, (p,) = unify(probs)
    terms = xp.where(p == 0, 0.0, -p * xp.log(xp.where(p == 0, 1.0, p)))
    return mean_entropy(xp.sum(terms, axis=-1), mask)


@quiet
def entropy_gaussian(std: Array, mask: Array | None = None) -> Scalar:
    """Differential entropy of a diagonal Gaussian policy in nats; may be negative.

    Standard deviations of shape (..., dimensions), summed over the last axis:
    `sum(0.5 log(2 pi e std^2))`. Compare it with the run's first value, not with 0. A std of 0
    gives -inf.

    >>> round(entropy_gaussian([[1.0]]), 6)
    1.418939
    """
    xp, (s,) = unify(std)
    per_state = xp.sum(0.5 * math.log(2 * math.pi * math.e) + xp.log(s), axis=-1)
    return mean_entropy(per_state, mask)


@scalars
def mean_entropy(
    entropy: Array, mask: Array | None = None, *, reduce: Reduction = "token"
) -> Scalar:
    """Mean of entropies that were computed elsewhere, over what counts; NaN when nothing does.

    >>> mean_entropy([[1.0, 9.0]], [[1, 0]])
    1.0
    """
    if reduce == "token":
        chosen, (entropy,) = select(mask, entropy=entropy)
        return chosen.mean(entropy)
    xp, keep, (entropy,) = rows(mask, entropy=entropy)
    return reduce_rows(xp, entropy, keep, reduce)


@scalars
def entropy_sampled(
    logprobs: Array, mask: Array | None = None, *, reduce: Reduction = "token"
) -> Scalar:
    """Entropy estimated from the sampled actions alone, `mean(-log p)` in nats; noisy, unbiased.

    `reduce="sequence_sum"` is TRL's `objective/entropy`: whole responses, so it grows with length.

    >>> entropy_sampled([-0.5, -1.5])
    1.0
    """
    xp, keep, (logprobs,) = rows(mask, logprobs=logprobs)
    return reduce_rows(xp, -logprobs, keep, reduce)
