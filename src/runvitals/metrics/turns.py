"""Multi-turn rollouts: how many turns and tool calls they took."""

from __future__ import annotations

from runvitals.metrics._arrays import Array, Scalar, out_all, quiet, select


@quiet
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
    return out_all(found)
