"""Metrics of what the environment itself reports."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "env/metric",
        meaning="Environment-defined number passed through by the framework (label name)",
        unit="unit",
        direction="neutral",
        category="env",
        title="Number of the environment",
    ),
)
