"""Metrics of distillation."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "distill/loss",
        meaning="Distillation loss",
        unit="loss",
        direction="lower",
        category="distill",
        title="Distillation loss",
        watch_for=(
            "Should fall and flatten. Flat from the start: check that student and teacher share "
            "the tokenizer and the temperature."
        ),
        related=("distill/kl", "eval/loss"),
    ),
    Metric(
        "distill/kl",
        meaning="Divergence between student and teacher",
        unit="nat",
        direction="lower",
        category="distill",
        title="Distance from the teacher",
        watch_for=(
            "Falls as the student imitates. A floor well above zero is the capacity gap, or a "
            "top-k that is too small."
        ),
        related=("distill/loss", "distill/overlap_ratio"),
        not_the_same_as=("policy/kl_ref",),
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
        title="Shared top tokens",
        watch_for=(
            "How often student and teacher consider the same tokens. Low late in training: the "
            "student has its own mode."
        ),
        related=("distill/kl", "distill/student_mass"),
    ),
)
