"""Metrics of auxiliary losses."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "aux/loss",
        meaning=(
            "Auxiliary loss (label kind: rnd, curiosity_forward, curiosity_inverse, "
            "discriminator, bounds, symmetry, reconstruction, distill, bc)"
        ),
        unit="loss",
        direction="neutral",
        category="aux",
    ),
)
