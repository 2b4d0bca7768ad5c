"""Metrics of mixtures of experts."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "moe/load_violation_max",
        meaning="Worst relative overload of an expert",
        unit="ratio",
        direction="lower",
        category="moe",
        title="Worst expert overload",
        watch_for=(
            "One expert that gets much more than its share slows every step and drops tokens where "
            "capacity is limited."
        ),
        related=("moe/load_violation_mean", "lm/aux_loss"),
    ),
    Metric(
        "moe/load_violation_mean",
        meaning="Mean relative deviation of expert load from uniform",
        unit="ratio",
        direction="lower",
        category="moe",
        title="Expert load imbalance",
        watch_for=(
            "Should stay flat during RL. A rise means that routing collapses on a few experts."
        ),
        related=("moe/load_violation_max",),
    ),
    Metric(
        "moe/routing_confidence",
        meaning="Mean router confidence",
        unit="ratio",
        direction="neutral",
        category="moe",
    ),
)
