"""Metrics of observations."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "obs/mean",
        meaning="Mean of (normalised) observations",
        unit="obs",
        direction="neutral",
        category="obs",
    ),
    Metric(
        "obs/std",
        meaning="Standard deviation of observations",
        unit="obs",
        direction="neutral",
        category="obs",
    ),
    Metric(
        "obs/norm",
        meaning="Mean observation magnitude",
        unit="obs",
        direction="neutral",
        category="obs",
    ),
)
