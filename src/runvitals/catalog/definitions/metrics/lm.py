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
        title="Next-token entropy",
        watch_for=(
            "Falls as the model becomes sure of the data. Very low with a rising evaluation loss: "
            "over-confident, that is overfitted."
        ),
        related=("lm/loss", "eval/loss"),
        not_the_same_as=("policy/entropy",),
    ),
    Metric(
        "lm/perplexity",
        meaning="exp(cross-entropy)",
        unit="ratio",
        direction="lower",
        category="lm",
        title="Training perplexity",
        watch_for=(
            "The exponential of the loss, so small changes of the loss look large. Compare only "
            "with the same tokenizer."
        ),
        related=("lm/loss", "eval/perplexity"),
    ),
    Metric(
        "lm/aux_loss",
        meaning="Mixture-of-experts load-balancing loss",
        unit="loss",
        direction="lower",
        category="lm",
        title="Expert balancing loss",
        watch_for=(
            "Rising means that experts get unequal work; falling to its floor means even routing. "
            "Its weight must stay small against the main loss."
        ),
        related=("moe/load_violation_max", "lm/loss"),
    ),
    Metric(
        "lm/sequence_accuracy",
        meaning="Share of sequences predicted without any wrong token",
        unit="ratio",
        direction="higher",
        category="lm",
        title="Sequences without an error",
        watch_for=(
            "Far stricter than token accuracy: 99 percent of tokens right can still leave most "
            "long sequences with an error."
        ),
        related=("lm/token_accuracy",),
        not_the_same_as=("lm/token_accuracy",),
    ),
)
