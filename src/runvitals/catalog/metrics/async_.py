"""Metrics of asynchronous training."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "async/staleness_mean",
        meaning="Mean number of weight versions between sampling and training",
        unit="version",
        direction="lower",
        category="async",
        title="Staleness of samples",
        watch_for=(
            "How many weight versions old the samples are. Some is the price of asynchrony; "
            "growth means that generation outruns training."
        ),
        related=("async/queue_size", "mismatch/kl"),
    ),
    Metric(
        "async/staleness_max",
        meaning="Largest number of weight versions between sampling and training",
        unit="version",
        direction="lower",
        category="async",
    ),
    Metric(
        "async/staleness_min",
        meaning="Smallest number of weight versions between sampling and training",
        unit="version",
        direction="neutral",
        category="async",
    ),
    Metric(
        "async/version_span_mean",
        meaning="Mean number of weight versions one response was generated under",
        unit="version",
        direction="neutral",
        category="async",
    ),
    Metric(
        "async/version_span_max",
        meaning="Largest number of weight versions one response was generated under",
        unit="version",
        direction="lower",
        category="async",
    ),
    Metric(
        "async/dropped_samples",
        meaning="Samples dropped because they were too old",
        unit="sample",
        direction="lower",
        category="async",
    ),
    Metric(
        "async/queue_size",
        meaning="Samples waiting between generation and training",
        unit="sample",
        direction="neutral",
        category="async",
    ),
    Metric(
        "async/partial_fraction",
        meaning="Share of responses generated across a weight update",
        unit="ratio",
        direction="neutral",
        category="async",
    ),
    Metric(
        "async/trainer_idle_fraction",
        meaning="Share of step time the trainer waits for samples",
        unit="ratio",
        direction="lower",
        category="async",
    ),
    Metric(
        "async/rollout_idle_fraction",
        meaning="Share of time the generation side is idle",
        unit="ratio",
        direction="lower",
        category="async",
    ),
    Metric(
        "async/accepted_fraction",
        meaning="Share of finished rollouts that were accepted",
        unit="ratio",
        direction="higher",
        category="async",
    ),
    Metric(
        "async/same_policy_fraction",
        meaning="Share of the batch that was sampled by the policy being trained",
        unit="ratio",
        direction="higher",
        category="async",
    ),
)
