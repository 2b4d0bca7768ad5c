"""Metrics of distillation."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "distill/loss",
        meaning="Distillation loss",
        unit="loss",
        direction="lower",
        category="distill",
    ),
    Metric(
        "distill/kl",
        meaning="Divergence between student and teacher",
        unit="nat",
        direction="lower",
        category="distill",
    ),
    Metric(
        "distill/teacher_entropy",
        meaning="Entropy of the teacher distribution",
        unit="nat",
        direction="neutral",
        category="distill",
    ),
    Metric(
        "distill/student_mass",
        meaning="Probability mass of the student inside the compared top-k",
        unit="ratio",
        direction="higher",
        category="distill",
    ),
    Metric(
        "distill/teacher_mass",
        meaning="Probability mass of the teacher inside the compared top-k",
        unit="ratio",
        direction="higher",
        category="distill",
    ),
    Metric(
        "distill/overlap_ratio",
        meaning="Share of top-k tokens shared by student and teacher",
        unit="ratio",
        direction="higher",
        category="distill",
    ),
)
