"""Supervised fine-tuning: how well the model predicts the label tokens."""

from __future__ import annotations

import math

from runvitals.metrics._arrays import log_sum_exp, rows, select, unify
from runvitals.metrics._types import Array, Namespace, Scalar, scalars
from runvitals.metrics.logprob import checked_index, pick_last, token_entropy


def _prepared(
    logits: Array, labels: Array, mask: Array | None, shift: bool
) -> tuple[Namespace, Array, Array, Array]:
    """Logits, labels and what counts, aligned so that logits[t] predicts labels[t]."""
    xp, (z,) = unify(logits)
    safe, known = checked_index(xp, labels, z, "labels")
    _, keep, _ = rows(mask, labels=safe)
    if shift:
        z, safe, known, keep = z[..., :-1, :], safe[..., 1:], known[..., 1:], keep[..., 1:]
    return xp, z, safe, keep & known


@scalars
def cross_entropy(
    logits: Array, labels: Array, mask: Array | None = None, *, shift: bool = False
) -> Scalar:
    """Mean negative log-probability of the label tokens in nats; should fall.

    Logits (..., vocabulary), labels and `mask` without the last axis. Labels outside the
    vocabulary (-100) do not count. `shift=True` lets position t predict label t + 1, for raw
    causal-model outputs. NaN when nothing counts.

    >>> round(cross_entropy([[0.0, 0.0], [5.0, 0.0]], [1, -100]), 6)
    0.693147
    """
    xp, z, safe, keep = _prepared(logits, labels, mask, shift)
    chosen, (nll,) = select(keep, nll=log_sum_exp(xp, z) - pick_last(xp, z, safe))
    return chosen.mean(nll)


@scalars
def perplexity(loss: Scalar) -> Scalar:
    """exp(cross-entropy): among how many tokens the model seems to choose; 1 is perfect.

    Infinite where the loss is beyond the range of the float type.

    >>> round(perplexity(0.0), 6)
    1.0
    """
    xp, (loss,) = unify(loss)
    return xp.exp(loss)


@scalars
def token_accuracy(
    logits: Array, labels: Array, mask: Array | None = None, *, shift: bool = False
) -> Scalar:
    """Share of label tokens that are the model's first choice; 0.6 to 0.8 is usual for chat data.

    >>> token_accuracy([[0.0, 1.0], [1.0, 0.0]], [1, 1])
    0.5
    """
    xp, z, safe, keep = _prepared(logits, labels, mask, shift)
    chosen, (hit,) = select(keep, hit=xp.argmax(z, axis=-1) == safe)
    return chosen.mean(hit)


@scalars
def sequence_accuracy(
    logits: Array, labels: Array, mask: Array | None = None, *, shift: bool = False
) -> Scalar:
    """Share of sequences without one wrong token; sequences without labels are left out.

    >>> sequence_accuracy([[[0.0, 1.0], [1.0, 0.0]]], [[1, 1]])
    0.0
    """
    xp, z, safe, keep = _prepared(logits, labels, mask, shift)
    wrong = xp.any(keep & (xp.argmax(z, axis=-1) != safe), axis=-1)
    chosen, (right,) = select(xp.any(keep, axis=-1), right=~wrong)
    return chosen.mean(right)


@scalars
def language_stats(
    logits: Array, labels: Array, mask: Array | None = None, *, shift: bool = False
) -> dict[str, Scalar]:
    """The report card of supervised fine-tuning: loss, perplexity, token accuracy, entropy.

    All over the label tokens only. Perplexity is infinite where the loss overflows; NaN when
    nothing counts.

    >>> sorted(language_stats([[0.0, 1.0]], [1]))
    ['lm/entropy', 'lm/loss', 'lm/perplexity', 'lm/token_accuracy']
    """
    xp, z, safe, keep = _prepared(logits, labels, mask, shift)
    chosen, (nll, hit, spread) = select(
        keep,
        nll=log_sum_exp(xp, z) - pick_last(xp, z, safe),
        hit=xp.argmax(z, axis=-1) == safe,
        spread=token_entropy(z),
    )
    loss = chosen.mean(nll)
    return {
        "lm/loss": loss,
        "lm/perplexity": xp.exp(loss),
        "lm/token_accuracy": chosen.mean(hit),
        "lm/entropy": chosen.mean(spread),
    }


def bits_per_byte(loss: float, tokens: float, bytes_: float) -> float:
    """Cross-entropy (nats a token) as bits a byte, comparable across tokenisers; lower is better.

    NaN without bytes.

    >>> round(bits_per_byte(math.log(2), tokens=10, bytes_=10), 6)
    1.0
    """
    if not bytes_ > 0:
        return math.nan
    return loss * tokens / bytes_ / math.log(2)
