"""Metrics of general supervised loops."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "supervised/accuracy",
        meaning="Share of correct predictions on the training split (general supervised loops)",
        unit="ratio",
        direction="higher",
        category="supervised",
    ),
    Metric(
        "supervised/metric",
        meaning="Other user-named metric of a general training loop (label name)",
        unit="unit",
        direction="neutral",
        category="supervised",
    ),
)
