"""Metrics of reward-model training."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "rm/loss",
        meaning="Reward-model loss",
        unit="loss",
        direction="lower",
        category="rm",
        title="Reward-model loss",
        watch_for="Falls from ln 2 = 0.693. Compare training and validation.",
        related=("rm/accuracy", "rm/margin"),
        not_the_same_as=("preference/loss",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "rm/accuracy",
        meaning="Share of pairs (or steps) ranked correctly by the reward model",
        unit="ratio",
        direction="higher",
        category="rm",
        title="Reward-model accuracy",
        watch_for=(
            "How often the judge picks the better answer. Validation has to follow training. "
            "High accuracy with no gain in the policy trained on it: the judge overfits, or "
            "measures something else than quality."
        ),
        related=("rm/margin", "rm/loss"),
        not_the_same_as=("preference/accuracy",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "rm/margin",
        meaning="Mean reward-model score of chosen minus rejected",
        unit="score",
        direction="higher",
        category="rm",
        title="Reward-model margin",
        watch_for=(
            "How decisive the judge is. Near zero it no longer discriminates. Very different "
            "scores for the same answers between versions of the judge mean that it has been "
            "contaminated by policy outputs."
        ),
        related=("rm/accuracy", "rm/score_std"),
        not_the_same_as=("preference/margin",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "rm/score_mean",
        meaning="Mean reward-model score",
        unit="score",
        direction="neutral",
        category="rm",
    ),
    Metric(
        "rm/score_std",
        meaning="Standard deviation of reward-model scores",
        unit="score",
        direction="neutral",
        category="rm",
    ),
    Metric(
        "rm/score_min",
        meaning="Smallest reward-model score",
        unit="score",
        direction="neutral",
        category="rm",
    ),
    Metric(
        "rm/score_max",
        meaning="Largest reward-model score",
        unit="score",
        direction="neutral",
        category="rm",
    ),
    Metric(
        "rm/score_chosen_mean",
        meaning="Mean reward-model score of chosen responses",
        unit="score",
        direction="higher",
        category="rm",
    ),
    Metric(
        "rm/score_rejected_mean",
        meaning="Mean reward-model score of rejected responses",
        unit="score",
        direction="lower",
        category="rm",
    ),
    Metric(
        "rm/grad_norm",
        meaning="Gradient norm of the reward model",
        unit="norm",
        direction="target",
        category="rm",
        title="Gradient norm of the reward model",
        watch_for="Reads like any gradient norm.",
        related=("rm/loss",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "rm/score_var",
        meaning="Variance of reward-model scores",
        unit="score^2",
        direction="neutral",
        category="rm",
    ),
    Metric(
        "rm/center_loss",
        meaning="Regulariser that keeps scores around zero",
        unit="loss",
        direction="lower",
        category="rm",
    ),
    Metric(
        "rm/calibration_error",
        meaning="Expected gap between the reward model's stated confidence and its accuracy",
        unit="ratio",
        direction="lower",
        category="rm",
    ),
)
