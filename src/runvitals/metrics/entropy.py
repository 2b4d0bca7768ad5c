"""How random the policy is, in nats, from whatever describes it."""

from __future__ import annotations

import math

from runvitals.metrics._arrays import (
    Array,
    Reduction,
    Scalar,
    log_sum_exp,
    out,
    positive_number,
    quiet,
    reduce_rows,
    rows,
    select,
    unify,
)


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


@quiet
def mean_entropy(
    entropy: Array, mask: Array | None = None, *, reduce: Reduction = "token"
) -> Scalar:
    """Mean of entropies that were computed elsewhere, over what counts; NaN when nothing does.

    >>> mean_entropy([[1.0, 9.0]], [[1, 0]])
    1.0
    """
    if reduce == "token":
        chosen, (entropy,) = select(mask, entropy=entropy)
        return out(chosen.mean(entropy))
    xp, keep, (entropy,) = rows(mask, entropy=entropy)
    return out(reduce_rows(xp, entropy, keep, reduce))


@quiet
def entropy_sampled(
    logprobs: Array, mask: Array | None = None, *, reduce: Reduction = "token"
) -> Scalar:
    """Entropy estimated from the sampled actions alone, `mean(-log p)` in nats; noisy, unbiased.

    `reduce="sequence_sum"` is TRL's `objective/entropy`: whole responses, so it grows with length.

    >>> entropy_sampled([-0.5, -1.5])
    1.0
    """
    xp, keep, (logprobs,) = rows(mask, logprobs=logprobs)
    return out(reduce_rows(xp, -logprobs, keep, reduce))
