"""Metrics of general supervised loops."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "supervised/accuracy",
        meaning="Share of correct predictions on the training split (general supervised loops)",
        unit="ratio",
        direction="higher",
        category="supervised",
        title="Training accuracy",
        watch_for="Read it with validation accuracy: a growing gap is overfitting.",
        related=("eval/supervised/accuracy", "eval/loss"),
    ),
    Metric(
        "supervised/score",
        meaning="Quality of predictions on the training split, at most 1: F1, AUC, IoU, R2",
        unit="score",
        direction="higher",
        category="supervised",
        title="Prediction score",
        watch_for="Read it with the validation score: a growing gap is overfitting.",
        related=("eval/supervised/score", "eval/loss"),
    ),
    Metric(
        "supervised/error",
        meaning="Error of a prediction on the training split: MSE, RMSE, MAE (label metric)",
        unit="error",
        direction="lower",
        category="supervised",
        title="Prediction error",
        watch_for="Read it with the validation error: a growing gap is overfitting.",
        related=("eval/supervised/error", "eval/loss"),
    ),
    Metric(
        "supervised/metric",
        meaning="Other user-named metric of a general training loop (label name)",
        unit="unit",
        direction="neutral",
        category="supervised",
    ),
)
