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
        title="Mean score of the judge",
        watch_for=(
            "Drifts freely, as only differences are trained. Large drift makes scores of two "
            "versions incomparable."
        ),
        related=("rm/score_std", "rm/center_loss"),
    ),
    Metric(
        "rm/score_std",
        meaning="Standard deviation of reward-model scores",
        unit="score",
        direction="neutral",
        category="rm",
        title="Spread of the judge's scores",
        watch_for=(
            "Near zero: the judge says the same of everything. Growing without end: over-confident."
        ),
        related=("rm/margin", "rm/score_mean"),
    ),
    Metric(
        "rm/score_min",
        meaning="Smallest reward-model score",
        unit="score",
        direction="neutral",
        category="rm",
        title="Lowest score of the judge",
        watch_for="Extreme lows are often broken or empty answers.",
        related=("rm/score_max", "rm/score_std"),
    ),
    Metric(
        "rm/score_max",
        meaning="Largest reward-model score",
        unit="score",
        direction="neutral",
        category="rm",
        title="Highest score of the judge",
        watch_for=(
            "Far above the rest: read that answer, as a policy will learn to write more like it."
        ),
        related=("rm/score_min", "rm/score_std"),
    ),
    Metric(
        "rm/score_chosen_mean",
        meaning="Mean reward-model score of chosen responses",
        unit="score",
        direction="higher",
        category="rm",
        title="Score of chosen answers",
        watch_for="Only the distance to the rejected score matters; both can drift together.",
        related=("rm/score_rejected_mean", "rm/margin"),
        not_the_same_as=("preference/chosen_reward",),
    ),
    Metric(
        "rm/score_rejected_mean",
        meaning="Mean reward-model score of rejected responses",
        unit="score",
        direction="lower",
        category="rm",
        title="Score of rejected answers",
        watch_for="Should end clearly below the chosen score.",
        related=("rm/score_chosen_mean", "rm/margin"),
        not_the_same_as=("preference/rejected_reward",),
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
        title="Score-centring term",
        watch_for=(
            "Small and flat when it works; it keeps scores comparable without changing the ranking."
        ),
        related=("rm/score_mean",),
    ),
    Metric(
        "rm/calibration_error",
        meaning="Expected gap between the reward model's stated confidence and its accuracy",
        unit="ratio",
        direction="lower",
        category="rm",
        title="Calibration of the judge",
        watch_for=(
            "Low means that stated confidence can be trusted. An accurate judge can be badly "
            "calibrated, and then large rewards mean little."
        ),
        related=("rm/accuracy", "rm/margin"),
    ),
)
