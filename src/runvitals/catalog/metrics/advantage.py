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
    ),
    Metric(
        "advantage/max",
        meaning="Largest advantage",
        unit="reward",
        direction="neutral",
        category="advantage",
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
    ),
    Metric(
        "returns/min",
        meaning="Smallest return target",
        unit="reward",
        direction="neutral",
        category="advantage",
    ),
    Metric(
        "returns/max",
        meaning="Largest return target",
        unit="reward",
        direction="neutral",
        category="advantage",
    ),
    Metric(
        "advantage/abs_mean",
        meaning="Mean absolute advantage",
        unit="reward",
        direction="target",
        category="advantage",
    ),
    Metric(
        "advantage/zero_fraction",
        meaning="Share of samples whose advantage is zero",
        unit="ratio",
        direction="lower",
        category="advantage",
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
