"""Metrics of exploration."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "explore/epsilon",
        meaning="Probability of a random action in epsilon-greedy exploration",
        unit="ratio",
        direction="neutral",
        category="explore",
        title="Exploration rate",
        watch_for=(
            "Falls on a schedule. A policy that has not learnt by the time it reaches its floor "
            "seldom will."
        ),
        related=("outcome/return_mean",),
    ),
    Metric(
        "explore/noise_std",
        meaning="Standard deviation of exploration noise in action or parameter space",
        unit="action",
        direction="neutral",
        category="explore",
    ),
)
