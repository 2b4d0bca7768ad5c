"""Metrics of turns and tools of multi-turn rollouts."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "agent/turns_mean",
        meaning="Mean number of turns per rollout",
        unit="turn",
        direction="neutral",
        category="agent",
        title="Turns per rollout",
        watch_for="Follow the distribution, not only the mean.",
        related=("agent/turns_max", "agent/tool_calls_mean"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "agent/turns_min",
        meaning="Fewest turns",
        unit="turn",
        direction="neutral",
        category="agent",
        title="Fewest turns in a rollout",
        related=("agent/turns_mean",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "agent/turns_max",
        meaning="Most turns",
        unit="turn",
        direction="neutral",
        category="agent",
        title="Most turns in a rollout",
        watch_for=(
            "A sudden jump points at loops, or at tools that fail and are called again and again."
        ),
        related=("agent/turns_mean", "agent/tool_failure_rate"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "agent/tool_calls_mean",
        meaning="Mean number of tool calls per rollout",
        unit="call",
        direction="neutral",
        category="agent",
    ),
    Metric(
        "agent/tool_failure_rate",
        meaning="Share of tool calls that failed",
        unit="ratio",
        direction="lower",
        category="agent",
    ),
    Metric(
        "agent/turn_limit_rate",
        meaning="Share of rollouts that hit the turn limit",
        unit="ratio",
        direction="lower",
        category="agent",
    ),
    Metric(
        "agent/error_rate",
        meaning="Share of rollouts that ended in an error",
        unit="ratio",
        direction="lower",
        category="agent",
    ),
    Metric(
        "agent/tool_runtime_s",
        meaning="Mean run time of a tool call",
        unit="s",
        direction="lower",
        category="agent",
    ),
    Metric(
        "agent/env_tokens_mean",
        meaning="Mean number of environment or tool tokens per rollout",
        unit="token",
        direction="neutral",
        category="agent",
    ),
    Metric(
        "agent/tokens_per_turn_mean",
        meaning="Mean generated tokens per turn",
        unit="token",
        direction="neutral",
        category="agent",
    ),
    Metric(
        "agent/invalid_tool_call_rate",
        meaning="Share of malformed tool calls",
        unit="ratio",
        direction="lower",
        category="agent",
    ),
)
