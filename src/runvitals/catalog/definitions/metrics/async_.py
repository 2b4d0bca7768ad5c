"""Metrics of asynchronous training."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "async/staleness_mean",
        meaning="Mean number of weight versions between sampling and training",
        unit="version",
        direction="lower",
        category="async",
        title="Staleness of samples",
        healthy=(
            Band(
                None,
                4.0,
                why="older samples are far from the current policy",
                source="judgement",
                kind="limit",
            ),
        ),
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
        title="Oldest sample in the batch",
        watch_for=(
            "One very old sample can carry an extreme importance weight. Bound the age of samples "
            "rather than only their mean age."
        ),
        related=("async/staleness_mean", "async/dropped_samples", "mismatch/is_weight_max"),
    ),
    Metric(
        "async/staleness_min",
        meaning="Smallest number of weight versions between sampling and training",
        unit="version",
        direction="neutral",
        category="async",
        title="Youngest sample in the batch",
        watch_for=(
            "Above zero, no sample at all comes from the current weights: generation lags behind "
            "training throughout."
        ),
        related=("async/staleness_mean", "async/same_policy_fraction"),
    ),
    Metric(
        "async/version_span_mean",
        meaning="Mean number of weight versions one response was generated under",
        unit="version",
        direction="neutral",
        category="async",
        title="Weight versions within one response",
        watch_for=(
            "More than one means that answers were generated across weight updates, so their "
            "tokens come from several policies."
        ),
        related=("async/partial_fraction", "async/staleness_mean"),
    ),
    Metric(
        "async/version_span_max",
        meaning="Largest number of weight versions one response was generated under",
        unit="version",
        direction="lower",
        category="async",
        title="Most weight versions within one response",
        watch_for=(
            "Long responses that outlive many updates. Large: shorten the longest answers or "
            "synchronise weights less often."
        ),
        related=("async/version_span_mean", "length/response_max"),
    ),
    Metric(
        "async/dropped_samples",
        meaning="Samples dropped because they were too old",
        unit="sample",
        direction="lower",
        category="async",
        title="Samples dropped as too old",
        watch_for=(
            "Generation that was paid for and thrown away. Persistent drops mean that generation "
            "is too far ahead of training: use less concurrency or a looser bound."
        ),
        related=("async/staleness_max", "async/queue_size"),
    ),
    Metric(
        "async/queue_size",
        meaning="Samples waiting between generation and training",
        unit="sample",
        direction="neutral",
        category="async",
        title="Samples waiting to be trained",
        watch_for=(
            "Always full: training is the bottleneck and samples grow old. Always empty: "
            "generation is the bottleneck."
        ),
        related=(
            "async/staleness_mean",
            "async/trainer_idle_fraction",
            "async/rollout_idle_fraction",
        ),
    ),
    Metric(
        "async/partial_fraction",
        meaning="Share of responses generated across a weight update",
        unit="ratio",
        direction="neutral",
        category="async",
        title="Responses that span a weight update",
        watch_for=(
            "Normal in asynchronous training. High together with growing mismatch means that "
            "importance weights have to correct a lot."
        ),
        related=("async/version_span_mean", "mismatch/kl"),
    ),
    Metric(
        "async/trainer_idle_fraction",
        meaning="Share of step time the trainer waits for samples",
        unit="ratio",
        direction="lower",
        category="async",
        title="Idle share of the trainer",
        watch_for=(
            "High: generation is too slow. Give it more devices, shorten the longest responses, or "
            "allow more staleness."
        ),
        related=("async/rollout_idle_fraction", "time/wait_s", "async/queue_size"),
    ),
    Metric(
        "async/rollout_idle_fraction",
        meaning="Share of time the generation side is idle",
        unit="ratio",
        direction="lower",
        category="async",
        title="Idle share of the generation side",
        watch_for="High: the trainer is too slow, or a few long responses hold everybody up.",
        related=("async/trainer_idle_fraction", "time/generation_sample_max_s"),
    ),
    Metric(
        "async/accepted_fraction",
        meaning="Share of finished rollouts that were accepted",
        unit="ratio",
        direction="higher",
        category="async",
        title="Accepted share of the rollouts",
        watch_for=(
            "Falling means that more and more work is filtered or too old: the cost of a training "
            "sample rises."
        ),
        related=("async/dropped_samples", "data/filtered_fraction"),
    ),
    Metric(
        "async/same_policy_fraction",
        meaning="Share of the batch that was sampled by the policy being trained",
        unit="ratio",
        direction="higher",
        category="async",
        title="On-policy share of the batch",
        watch_for=(
            "Near 1 the run is effectively on-policy. The lower it is, the more the result rests "
            "on importance weights."
        ),
        related=("async/staleness_mean", "mismatch/is_weight_mean"),
    ),
)
