"""Metrics of advantages and return targets."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "advantage/mean",
        meaning="Mean advantage",
        unit="reward",
        direction="target",
        category="advantage",
        title="Mean advantage",
        healthy=(
            Band(
                -0.1,
                0.1,
                why="advantages are normalised around zero",
                source="RL Metrics table",
                context="normalised advantages",
                kinds=("policy-gradient",),
            ),
        ),
        watch_for=(
            "Centred near zero. An offset means that normalisation is off or that the critic "
            "lags; a change of sign or a collapse to exactly zero means that the learning "
            "signal changed or vanished. As a distribution: balanced, without a long tail on "
            "one side."
        ),
        related=("advantage/std", "value/explained_variance"),
        documents=("RL Metrics table", "Training Metrics Glossary"),
    ),
    Metric(
        "advantage/std",
        meaning="Standard deviation of advantage",
        unit="reward",
        direction="target",
        category="advantage",
        title="Spread of the advantages",
        watch_for=(
            "About 1 when normalised. Before normalisation, extreme spread often means "
            "instability, and zero means that there is nothing to learn from."
        ),
        related=("advantage/mean", "reward/group_std_mean"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "advantage/min",
        meaning="Smallest advantage",
        unit="reward",
        direction="neutral",
        category="advantage",
        title="Smallest advantage",
        watch_for=(
            "Read it with the maximum: one side ten times the other means that a few samples push "
            "the whole update in one direction."
        ),
        related=("advantage/max", "advantage/std"),
    ),
    Metric(
        "advantage/max",
        meaning="Largest advantage",
        unit="reward",
        direction="neutral",
        category="advantage",
        title="Largest advantage",
        watch_for=(
            "A few huge values dominate the batch. Check for outlying rewards, and that advantages are "
            "normalised."
        ),
        related=("advantage/min", "advantage/std", "policy/ratio_max"),
    ),
    Metric(
        "returns/mean",
        meaning="Mean TD(lambda) or discounted return target",
        unit="reward",
        direction="neutral",
        category="advantage",
        title="Mean return target",
        watch_for="Check that its scale fits the predicted values.",
        related=("value/mean", "returns/var"),
        not_the_same_as=("outcome/return_mean",),
        documents=("RL Metrics table",),
    ),
    Metric(
        "returns/std",
        meaning="Standard deviation of the return target",
        unit="reward",
        direction="neutral",
        category="advantage",
        title="Spread of the return targets",
        watch_for=(
            "Grows when rewards are not normalised or episodes become longer; the value loss grows "
            "with its square."
        ),
        related=("value/loss", "value/explained_variance", "returns/mean"),
    ),
    Metric(
        "returns/min",
        meaning="Smallest return target",
        unit="reward",
        direction="neutral",
        category="advantage",
        title="Lowest return target",
        watch_for=(
            "A sudden new minimum is usually an unusual penalty or a bug in how rewards are summed."
        ),
        related=("returns/max", "returns/mean"),
    ),
    Metric(
        "returns/max",
        meaning="Largest return target",
        unit="reward",
        direction="neutral",
        category="advantage",
        title="Highest return target",
        watch_for=(
            "A sudden new maximum points at a reward that can be farmed, or at a discount that is "
            "missing."
        ),
        related=("returns/min", "returns/mean", "reward/max"),
    ),
    Metric(
        "advantage/abs_mean",
        meaning="Mean absolute advantage",
        unit="reward",
        direction="target",
        category="advantage",
        title="Size of the advantages",
        watch_for=(
            "How strong the learning signal is. Near zero there is nothing to learn from; without "
            "normalisation it follows the reward scale."
        ),
        related=("advantage/std", "advantage/zero_fraction"),
    ),
    Metric(
        "advantage/zero_fraction",
        meaning="Share of samples whose advantage is zero",
        unit="ratio",
        direction="lower",
        category="advantage",
        title="Samples without a signal",
        watch_for=(
            "These samples cost generation and training time and teach nothing. With groups it "
            "rises when all answers to a prompt score the same."
        ),
        related=("reward/zero_std_fraction", "advantage/std"),
    ),
    Metric(
        "advantage/sum",
        meaning="Sum of advantages over the batch",
        unit="reward",
        direction="neutral",
        category="advantage",
    ),
    Metric(
        "returns/var",
        meaning="Variance of the return target",
        unit="reward^2",
        direction="neutral",
        category="advantage",
        title="Variance of the return target",
        watch_for=(
            "Check its scale against the variance of the predicted values; when it tends to "
            "zero, explained variance stops meaning anything."
        ),
        related=("value/var", "value/explained_variance"),
        documents=("RL Metrics table",),
    ),
    Metric(
        "advantage/norm_scale",
        meaning="Running scale used to normalise advantages",
        unit="reward",
        direction="neutral",
        category="advantage",
    ),
)
