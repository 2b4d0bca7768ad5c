"""Metrics of curricula."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "curriculum/stage",
        meaning="Curriculum lesson or stage index (label parameter)",
        unit="stage",
        direction="neutral",
        category="curriculum",
    ),
)
