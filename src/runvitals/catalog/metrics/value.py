"""Metrics of the critic."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "value/loss",
        meaning="Critic regression loss",
        unit="loss",
        direction="lower",
        category="value",
        title="Value loss",
        watch_for=(
            "Should fall and then stay. Huge or growing: the critic fails, for want of "
            "information in the observations, because of the learning rate, or because returns "
            "are computed wrongly. It grows with the square of the reward scale, so compare it "
            "with the variance of the returns, not with other runs."
        ),
        related=("value/explained_variance", "returns/std", "value/grad_norm"),
        not_the_same_as=("value/td_error",),
        documents=(
            "Training Metrics and Telemetry",
            "RL Metrics table",
            "Training Metrics Glossary",
        ),
    ),
    Metric(
        "value/mean",
        meaning="Mean predicted value",
        unit="reward",
        direction="neutral",
        category="value",
        title="Mean predicted value",
        watch_for=(
            "Follow it beside the mean return: drift or saturation means that the critic and "
            "the world disagree."
        ),
        related=("returns/mean", "value/explained_variance"),
        documents=("RL Metrics table", "Training Metrics Glossary"),
    ),
    Metric(
        "value/std",
        meaning="Standard deviation of predicted values",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/min",
        meaning="Smallest predicted value",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/max",
        meaning="Largest predicted value",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/error",
        meaning="Mean squared difference of value prediction and return",
        unit="reward^2",
        direction="lower",
        category="value",
        title="Value error",
        watch_for="Mean squared error against the returns; should come down smoothly.",
        related=("value/loss", "value/explained_variance"),
        documents=("RL Metrics table",),
    ),
    Metric(
        "value/clip_fraction",
        meaning="Share of value predictions that were clipped",
        unit="ratio",
        direction="lower",
        category="value",
        title="Clipped value updates",
        watch_for=(
            "Low is healthy. High for long means that the critic wants to move further than it "
            "may: it overfits the batch or the value clip is too tight for the reward scale."
        ),
        related=("value/loss", "policy/clip_fraction"),
        not_the_same_as=("policy/clip_fraction",),
        documents=("RL Metrics table",),
    ),
    Metric(
        "value/explained_variance",
        meaning="1 - Var(return - value)/Var(return)",
        unit="ratio",
        direction="higher",
        category="value",
        title="Explained variance of the critic",
        healthy=(
            Band(
                0.8,
                None,
                why=("a critic that explains most of the returns gives advantages worth following"),
                source="RL Metrics table",
                context="after the first part of training, while returns still vary",
            ),
        ),
        watch_for=(
            "1 is perfect, 0 is no better than the mean, negative is worse than that. Low while "
            "the value loss is large beside the variance of the returns means that the critic "
            "has not learnt. Once all returns are equal (a solved task) it may drop to zero or "
            "below without meaning anything."
        ),
        related=("value/loss", "returns/std", "advantage/std"),
        not_the_same_as=("value/error",),
        documents=("RL Metrics table",),
    ),
    Metric(
        "value/grad_norm",
        meaning="Gradient norm of the critic before clipping",
        unit="norm",
        direction="target",
        category="value",
        title="Gradient norm of the critic",
        watch_for=(
            "Reads like the policy's. If critic and policy share one clip limit, a huge critic "
            "gradient starves the policy."
        ),
        related=("policy/grad_norm", "value/loss"),
    ),
    Metric(
        "value/learning_rate",
        meaning="Learning rate of the critic optimiser",
        unit="rate",
        direction="neutral",
        category="value",
        title="Learning rate of the critic",
        related=("value/loss",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "value/q_mean",
        meaning="Mean predicted Q value (off-policy methods)",
        unit="reward",
        direction="neutral",
        category="value",
        title="Mean Q value",
        watch_for="Should follow the discounted return. Growing without bound is over-estimation.",
        related=("value/q_target_mean", "outcome/return_discounted_mean"),
    ),
    Metric(
        "value/td_error",
        meaning="Mean absolute temporal-difference error",
        unit="reward",
        direction="lower",
        category="value",
    ),
    Metric(
        "value/var",
        meaning="Variance of predicted values",
        unit="reward^2",
        direction="neutral",
        category="value",
        title="Variance of predicted values",
        watch_for="Should be stable, and of the size of the variance of the returns.",
        related=("returns/var", "value/mean"),
        documents=("RL Metrics table",),
    ),
    Metric(
        "value/pred_mean",
        meaning="Mean of the new value predictions during the update",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/q_min",
        meaning="Smallest predicted Q value",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/q_max",
        meaning="Largest predicted Q value",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/q_std",
        meaning="Standard deviation of predicted Q values",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/q_abs_mean",
        meaning="Mean absolute predicted Q value",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/q_target_mean",
        meaning="Mean bootstrapped Q target",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/q_target_min",
        meaning="Smallest bootstrapped Q target",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/q_target_max",
        meaning="Largest bootstrapped Q target",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/loss_unclipped",
        meaning="Critic loss before the loss is clipped",
        unit="loss",
        direction="lower",
        category="value",
    ),
    Metric(
        "value/loss_delta",
        meaning="Critic loss after minus before the update",
        unit="loss",
        direction="lower",
        category="value",
    ),
    Metric(
        "value/change_mean",
        meaning="Mean absolute change of the value prediction against the rollout value",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/change_max",
        meaning="Largest change of the value prediction against the rollout value",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/norm_mean",
        meaning="Running mean used to normalise value targets",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/norm_std",
        meaning=(
            "Running standard deviation used to normalise value targets (some frameworks log "
            "the variance)"
        ),
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/clip_range",
        meaning="Clip range of the value function",
        unit="reward",
        direction="neutral",
        category="value",
    ),
    Metric(
        "value/target_updates",
        meaning="Cumulative target-network updates",
        unit="update",
        direction="neutral",
        category="value",
    ),
)
