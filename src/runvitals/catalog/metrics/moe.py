"""Metrics of mixtures of experts."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "moe/load_violation_max",
        meaning="Worst relative overload of an expert",
        unit="ratio",
        direction="lower",
        category="moe",
    ),
    Metric(
        "moe/load_violation_mean",
        meaning="Mean relative deviation of expert load from uniform",
        unit="ratio",
        direction="lower",
        category="moe",
    ),
    Metric(
        "moe/routing_confidence",
        meaning="Mean router confidence",
        unit="ratio",
        direction="neutral",
        category="moe",
    ),
)
