"""Metrics of supervised language-model training."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "lm/loss",
        meaning="Token cross-entropy of supervised or distillation training",
        unit="nat",
        direction="lower",
        category="lm",
        title="Cross-entropy",
        watch_for=(
            "Falls fast, then slowly. A rise in the middle is a learning rate that is too high "
            "or a change of data; training loss far below evaluation loss is memorising."
        ),
        related=("eval/loss", "lm/token_accuracy", "optim/grad_norm"),
    ),
    Metric(
        "lm/token_accuracy",
        meaning="Share of label tokens that are the argmax prediction",
        unit="ratio",
        direction="higher",
        category="lm",
        title="Token accuracy",
        watch_for="Rises as the loss falls. Near 1 on the training data only: memorising.",
        related=("lm/loss",),
        not_the_same_as=("preference/accuracy", "rm/accuracy"),
    ),
    Metric(
        "lm/entropy",
        meaning="Mean entropy of the next-token distribution",
        unit="nat",
        direction="neutral",
        category="lm",
    ),
    Metric(
        "lm/perplexity",
        meaning="exp(cross-entropy)",
        unit="ratio",
        direction="lower",
        category="lm",
    ),
    Metric(
        "lm/aux_loss",
        meaning="Mixture-of-experts load-balancing loss",
        unit="loss",
        direction="lower",
        category="lm",
    ),
    Metric(
        "lm/sequence_accuracy",
        meaning="Share of sequences predicted without any wrong token",
        unit="ratio",
        direction="higher",
        category="lm",
    ),
)
