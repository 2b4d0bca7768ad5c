"""Metrics of the inference engine."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "rollout/spec_accept_rate",
        meaning="Share of draft tokens accepted by speculative decoding",
        unit="ratio",
        direction="higher",
        category="rollout",
    ),
    Metric(
        "rollout/spec_accept_length",
        meaning="Mean tokens gained per verification step",
        unit="token",
        direction="higher",
        category="rollout",
    ),
    Metric(
        "rollout/prefix_cache_hit_rate",
        meaning="Share of prompt tokens served from the prefix cache",
        unit="ratio",
        direction="higher",
        category="rollout",
    ),
    Metric(
        "rollout/preemptions_mean",
        meaning="Mean number of preemptions per request",
        unit="count",
        direction="lower",
        category="rollout",
    ),
    Metric(
        "rollout/running_requests",
        meaning="Requests being generated at the moment",
        unit="request",
        direction="neutral",
        category="rollout",
    ),
    Metric(
        "rollout/waiting_requests",
        meaning="Requests waiting for the inference engine",
        unit="request",
        direction="lower",
        category="rollout",
    ),
    Metric(
        "rollout/kv_cache_usage",
        meaning="Share of the key-value cache in use",
        unit="ratio",
        direction="target",
        category="rollout",
    ),
)
