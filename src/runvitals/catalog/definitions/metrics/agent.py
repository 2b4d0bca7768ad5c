"""Metrics of turns and tools of multi-turn rollouts."""

from runvitals.model import Band, Metric

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
        watch_for=(
            "Stuck at 1 in a multi-turn task: some rollouts give up, or answer without using a "
            "tool at all."
        ),
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
        title="Tool calls per rollout",
        watch_for=(
            "A slide to zero means that the model has learned to do without its tools; steady "
            "growth without more reward means calls that help nothing."
        ),
        related=("agent/turns_mean", "agent/tool_failure_rate", "reward/score_mean"),
    ),
    Metric(
        "agent/tool_failure_rate",
        meaning="Share of tool calls that failed",
        unit="ratio",
        direction="lower",
        category="agent",
        title="Failed tool calls",
        healthy=(
            Band(
                None,
                0.2,
                why="more failing calls than a policy learns from",
                source="judgement",
                kind="limit",
            ),
        ),
        watch_for=(
            "Look at the tool before the model: a sandbox that times out teaches the policy to "
            "avoid it."
        ),
        related=("agent/invalid_tool_call_rate", "agent/tool_runtime_s", "agent/turns_max"),
    ),
    Metric(
        "agent/turn_limit_rate",
        meaning="Share of rollouts that hit the turn limit",
        unit="ratio",
        direction="lower",
        category="agent",
        title="Rollouts stopped at the turn limit",
        healthy=(
            Band(
                None,
                0.5,
                why="most rollouts never reach an answer",
                source="judgement",
                kind="limit",
            ),
        ),
        watch_for=(
            "These rollouts never reach an answer, so their reward says little. High: raise the "
            "limit, or look for loops."
        ),
        related=("agent/turns_max", "length/response_clip_ratio"),
    ),
    Metric(
        "agent/error_rate",
        meaning="Share of rollouts that ended in an error",
        unit="ratio",
        direction="lower",
        category="agent",
        title="Rollouts that ended in an error",
        healthy=(
            Band(
                None,
                0.05,
                why="more failing rollouts than that point at the infrastructure",
                source="prime-rl documentation",
                context="agent runs",
            ),
        ),
        watch_for=(
            "Errors scored as zero reward punish the policy for faults of the infrastructure. Mask "
            "such rollouts, or retry them."
        ),
        related=("agent/tool_failure_rate", "length/aborted_ratio"),
    ),
    Metric(
        "agent/tool_runtime_s",
        meaning="Mean run time of a tool call",
        unit="s",
        direction="lower",
        category="agent",
        title="Time of a tool call",
        watch_for=(
            "Slow tools leave the generation side idle. Compare with the generation time before "
            "speeding up the model."
        ),
        related=("time/tool_calls_s", "agent/tool_calls_mean", "time/generation_s"),
    ),
    Metric(
        "agent/env_tokens_mean",
        meaning="Mean number of environment or tool tokens per rollout",
        unit="token",
        direction="neutral",
        category="agent",
        title="Tokens from tools and environment",
        watch_for=(
            "These tokens fill the context and must be masked from the loss. Growth means longer "
            "tool outputs or more turns."
        ),
        related=("agent/turns_mean", "length/total_mean"),
    ),
    Metric(
        "agent/tokens_per_turn_mean",
        meaning="Mean generated tokens per turn",
        unit="token",
        direction="neutral",
        category="agent",
        title="Generated tokens per turn",
        watch_for=(
            "Falling while turns rise: the model splits its work over many short turns. Rising "
            "towards the limit: single turns get cut."
        ),
        related=("agent/turns_mean", "length/response_mean"),
    ),
    Metric(
        "agent/invalid_tool_call_rate",
        meaning="Share of malformed tool calls",
        unit="ratio",
        direction="lower",
        category="agent",
        title="Malformed tool calls",
        watch_for=(
            "Should fall quickly early in training. If it does not, the format was never taught: "
            "add examples, a format reward, or constrained decoding."
        ),
        related=("agent/tool_failure_rate",),
        not_the_same_as=("agent/tool_failure_rate",),
    ),
)
