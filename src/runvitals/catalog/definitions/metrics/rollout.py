"""Metrics of the inference engine."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "rollout/spec_accept_rate",
        meaning="Share of draft tokens accepted by speculative decoding",
        unit="ratio",
        direction="higher",
        category="rollout",
        title="Accepted draft tokens",
        watch_for=(
            "Falls as the policy moves away from what the draft model knows; below break-even, "
            "drafting costs more than it saves."
        ),
        related=("rollout/spec_accept_length", "throughput/generation_tokens_per_s"),
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
        title="Prefix cache hits",
        watch_for=(
            "Should be high with several answers per prompt or many turns. Low: the cache is too "
            "small, or requests of one group go to different engines."
        ),
        related=("rollout/kv_cache_usage", "throughput/generation_tokens_per_s"),
    ),
    Metric(
        "rollout/preemptions_mean",
        meaning="Mean number of preemptions per request",
        unit="count",
        direction="lower",
        category="rollout",
        title="Preempted requests",
        watch_for=(
            "The cache is too small for the load and work is done twice. Lower the concurrency or "
            "give it more memory."
        ),
        related=("rollout/kv_cache_usage", "rollout/running_requests"),
    ),
    Metric(
        "rollout/running_requests",
        meaning="Requests being generated at the moment",
        unit="request",
        direction="neutral",
        category="rollout",
        title="Requests in progress",
        watch_for=(
            "A long tail of one or two at the end of each round means that everybody waits for the "
            "longest answers."
        ),
        related=("rollout/waiting_requests", "time/generation_sample_max_s"),
    ),
    Metric(
        "rollout/waiting_requests",
        meaning="Requests waiting for the inference engine",
        unit="request",
        direction="lower",
        category="rollout",
        title="Requests in the queue",
        watch_for="Always some: the engine is saturated. None, with few running: it is starved.",
        related=("rollout/running_requests", "rollout/kv_cache_usage"),
    ),
    Metric(
        "rollout/kv_cache_usage",
        meaning="Share of the key-value cache in use",
        unit="ratio",
        direction="target",
        category="rollout",
        title="Cache usage",
        watch_for=(
            "Pinned at 1 leads to preemptions; far below it the engine could take more requests at "
            "once."
        ),
        related=("rollout/preemptions_mean", "rollout/running_requests"),
    ),
)
