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
            "Should fall and then stay, without NaNs or big spikes. Huge or growing: the critic "
            "fails, for want of information in the observations, because of the learning rate, or "
            "because returns are computed wrongly. It grows with the square of the reward scale, so "
            "compare it with the variance of the returns, not with other runs."
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
        title="Spread of predicted values",
        watch_for=(
            "Much smaller than the spread of returns: the critic predicts little more than a "
            "constant."
        ),
        related=("returns/std", "value/explained_variance"),
    ),
    Metric(
        "value/min",
        meaning="Smallest predicted value",
        unit="reward",
        direction="neutral",
        category="value",
        title="Lowest predicted value",
        watch_for="Below any possible return: the critic extrapolates.",
        related=("value/max", "returns/min"),
    ),
    Metric(
        "value/max",
        meaning="Largest predicted value",
        unit="reward",
        direction="neutral",
        category="value",
        title="Highest predicted value",
        watch_for=(
            "Above any possible return: overestimation, or value targets that are scaled wrongly."
        ),
        related=("value/min", "returns/max"),
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
        healthy=(
            Band(
                None,
                0.2,
                why="beyond it, much of what the critic should learn is cut off",
                source="RL Metrics table (low); the number as for the policy",
                kind="limit",
            ),
        ),
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
                context="language models, after the first part of training",
                kinds=("llm-rl",),
                late=True,
            ),
            Band(
                -0.1,
                None,
                why="clearly below 0 the critic is worse than guessing the mean return",
                source="Stable-Baselines3 documentation",
                context=(
                    "after the first part of training, while returns still vary; a tenth below 0, "
                    "since noise alone reaches 0"
                ),
                kind="limit",
                late=True,
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
        watch_for=(
            "A critic may learn faster than its actor. If values lag behind returns, this is the "
            "knob; if value loss spikes, too."
        ),
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
        title="Temporal-difference error",
        watch_for=(
            "Falls as the critic learns; rising for long is divergence, or rewards that grow."
        ),
        related=("value/loss", "value/q_mean"),
        not_the_same_as=("value/loss",),
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
        title="Value predictions during the update",
        watch_for="Should follow the mean of the return targets. A lasting gap is bias.",
        related=("returns/mean", "value/mean"),
    ),
    Metric(
        "value/q_min",
        meaning="Smallest predicted Q value",
        unit="reward",
        direction="neutral",
        category="value",
        title="Lowest Q value",
        watch_for=(
            "Below the worst possible return: the Q function diverges downwards, or conservatism "
            "is set too strong."
        ),
        related=("value/q_max", "value/q_mean"),
    ),
    Metric(
        "value/q_max",
        meaning="Largest predicted Q value",
        unit="reward",
        direction="neutral",
        category="value",
        title="Highest Q value",
        watch_for=(
            "With rewards of at most r, no return exceeds r / (1 - gamma). Above that it is "
            "overestimation: use the smaller of two critics, or update targets more slowly."
        ),
        related=("value/q_mean", "value/q_target_max", "returns/max"),
    ),
    Metric(
        "value/q_std",
        meaning="Standard deviation of predicted Q values",
        unit="reward",
        direction="neutral",
        category="value",
        title="Spread of Q values",
        watch_for="Near zero: all states look alike to the critic. Exploding: divergence.",
        related=("value/q_mean", "value/loss"),
    ),
    Metric(
        "value/q_abs_mean",
        meaning="Mean absolute predicted Q value",
        unit="reward",
        direction="neutral",
        category="value",
        title="Size of Q values",
        watch_for="Growing without better returns is overestimation.",
        related=("value/q_mean", "outcome/return_mean"),
    ),
    Metric(
        "value/q_target_mean",
        meaning="Mean bootstrapped Q target",
        unit="reward",
        direction="neutral",
        category="value",
        title="Mean Q target",
        watch_for=(
            "Runs ahead of the prediction while values still rise; both running away together is "
            "divergence."
        ),
        related=("value/q_mean", "value/td_error"),
        not_the_same_as=("value/q_mean",),
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
        title="Highest Q target",
        watch_for=(
            "The first place where overestimation shows, as the maximum feeds itself through "
            "bootstrapping."
        ),
        related=("value/q_max", "value/q_target_mean"),
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
        title="Change of the value prediction",
        watch_for=(
            "How far one update moves the critic. Large for long: lower its learning rate or clip "
            "it."
        ),
        related=("value/clip_fraction", "value/learning_rate"),
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
        title="Scale of the value targets",
        watch_for=(
            "Jumps when the reward scale changes; predictions made just before are then off by "
            "that factor."
        ),
        related=("value/norm_mean", "returns/std"),
    ),
    Metric(
        "value/clip_range",
        meaning="Clip range of the value function",
        unit="reward",
        direction="neutral",
        category="value",
        title="Clip range of the critic",
        watch_for=(
            "In units of the value itself, so it has to fit the reward scale: 0.2 is nothing when "
            "returns are in the hundreds."
        ),
        related=("value/clip_fraction", "returns/std"),
        not_the_same_as=("policy/clip_range",),
    ),
    Metric(
        "value/target_updates",
        meaning="Cumulative target-network updates",
        unit="update",
        direction="neutral",
        category="value",
    ),
)
