"""Metrics of replay buffers."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "replay/size",
        meaning="Transitions held in the replay buffer",
        unit="transition",
        direction="neutral",
        category="replay",
        title="Replay buffer size",
        related=("replay/ratio",),
    ),
    Metric(
        "replay/fill_fraction",
        meaning="Filled share of a rollout or replay buffer",
        unit="ratio",
        direction="neutral",
        category="replay",
    ),
    Metric(
        "replay/ratio",
        meaning="Samples trained per environment step collected (updates-to-data, replay ratio)",
        unit="ratio",
        direction="neutral",
        category="replay",
    ),
    Metric(
        "replay/priority_beta",
        meaning="Importance exponent of prioritised replay",
        unit="exponent",
        direction="neutral",
        category="replay",
    ),
)
