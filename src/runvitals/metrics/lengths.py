"""How long prompts, responses and rollouts are, and how many were cut or came to nothing."""

from __future__ import annotations

from typing import Literal

import numpy as np
from array_api_compat import device

from runvitals.metrics._arrays import as_mask, select, unify
from runvitals.metrics._types import Array, Scalar, quiet, scalars
from runvitals.metrics.distribution import sorted_quantiles


@quiet
def lengths_from_mask(mask: Array) -> Array:
    """Number of counting tokens in each row, (B,) from (B, T).

    >>> lengths_from_mask([[1, 1, 0], [0, 0, 0]]).tolist()
    [2.0, 0.0]
    """
    if isinstance(mask, np.ndarray):
        return np.count_nonzero(mask, axis=-1).astype(np.float64)
    xp, (x,) = unify(mask)
    return xp.sum(xp.astype(as_mask(xp, x, device(x)), x.dtype), axis=-1)


@scalars
def length_stats(
    lengths: Array,
    *,
    kind: Literal["response", "prompt", "total"] = "response",
    max_length: int | None = None,
    finished: Array | None = None,
    correct: Array | None = None,
) -> dict[str, Scalar]:
    """Mean, spread and extremes of token counts; a sudden drop with rising reward is a warning.

    `clip_ratio` is the share cut at the limit: not `finished` where that is given (one flag per
    response, true if it ended by itself), else as long as `max_length`. For responses also: share
    that is empty (aborted), mean of the others, lengths of those that finished, mean lengths of
    `correct` and wrong ones. Standard deviation unbiased; NaN where nothing counts.

    >>> found = length_stats([10, 20, 0, 20], max_length=20)
    >>> found["length/response_clip_ratio"], found["length/aborted_ratio"]
    (0.5, 0.25)
    """
    chosen, (n, done, right) = select(None, lengths=lengths, finished=finished, correct=correct)
    mean = chosen.mean(n)
    name = f"length/{kind}_"
    found = {f"{name}mean": mean, f"{name}min": chosen.min(n), f"{name}max": chosen.max(n)}
    if kind != "total":
        found[f"{name}std"] = chosen.std(n, 1.0, mean)
        if done is not None:
            found[f"{name}clip_ratio"] = chosen.share(done == 0)
        elif max_length is not None:
            found[f"{name}clip_ratio"] = chosen.share(n >= max_length)
    if kind != "response":
        return found
    found["length/response_median"], found["length/response_p90"] = sorted_quantiles(
        chosen, n, [0.5, 0.9]
    )
    found["length/aborted_ratio"] = chosen.share(n == 0)
    there, (some,) = select(n > 0, lengths=n)
    found["length/response_nonaborted_mean"] = there.mean(some)
    if done is not None:
        ended, (own,) = select(done != 0, lengths=n)
        found["length/response_terminated_mean"] = ended.mean(own)
        found["length/response_terminated_min"] = ended.min(own)
        found["length/response_terminated_max"] = ended.max(own)
        found["length/stop_rate"] = chosen.share(done != 0)
    if right is not None:
        found["length/response_correct_mean"] = _mean_where(n, right != 0)
        found["length/response_incorrect_mean"] = _mean_where(n, right == 0)
    return found


def _mean_where(n: Array, keep: Array) -> Scalar:
    chosen, (picked,) = select(keep, lengths=n)
    return chosen.mean(picked)


@scalars
def padding_fraction(mask: Array) -> Scalar:
    """Share of the batch that is padding, work for nothing; lower is better.

    >>> padding_fraction([[1, 1, 0, 0]])
    0.5
    """
    chosen, (x,) = select(None, mask=mask)
    return chosen.share(x == 0)


@scalars
def turn_stats(
    turns: Array,
    *,
    limit: int | None = None,
    tool_calls: Array | None = None,
    tool_failures: Array | None = None,
    tokens: Array | None = None,
) -> dict[str, Scalar]:
    """Mean, fewest and most turns per rollout; a sudden large maximum hints at loops or retries.

    With `limit` the share of rollouts that reached it; with `tool_calls` (and `tool_failures`) per
    rollout their mean number and failure rate; with `tokens` generated per rollout the mean tokens
    per turn. NaN where there is nothing to divide by.

    >>> turn_stats([2, 4], limit=4)["agent/turn_limit_rate"]
    0.5
    """
    chosen, (n, calls, failures, words) = select(
        None, turns=turns, tool_calls=tool_calls, tool_failures=tool_failures, tokens=tokens
    )
    found = {
        "agent/turns_mean": chosen.mean(n),
        "agent/turns_min": chosen.min(n),
        "agent/turns_max": chosen.max(n),
    }
    if limit is not None:
        found["agent/turn_limit_rate"] = chosen.share(n >= limit)
    if calls is not None:
        found["agent/tool_calls_mean"] = chosen.mean(calls)
        if failures is not None:
            found["agent/tool_failure_rate"] = chosen.sum(failures) / chosen.sum(calls)
    if words is not None:
        found["agent/tokens_per_turn_mean"] = chosen.sum(words) / chosen.sum(n)
    return found
