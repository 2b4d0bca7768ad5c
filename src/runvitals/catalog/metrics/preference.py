"""Metrics of preference optimisation (DPO and kin)."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "preference/loss",
        meaning="Preference-optimisation loss (DPO family)",
        unit="loss",
        direction="lower",
        category="preference",
        title="Preference loss",
        watch_for=(
            "Should fall from ln 2 = 0.693 (DPO at the start). Falling fast to zero on the "
            "training pairs only is memorising."
        ),
        related=("preference/margin", "preference/accuracy"),
        not_the_same_as=("rm/loss",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "preference/margin",
        meaning="Mean implicit reward of chosen minus rejected",
        unit="reward",
        direction="higher",
        category="preference",
        title="Chosen minus rejected reward",
        watch_for=(
            "The main sign of discrimination. If it grows while held-out evaluation does not, "
            "the model overfits the pairs. Check both parts: a margin can grow because the "
            "chosen answers lose less than the rejected ones."
        ),
        related=("preference/chosen_reward", "preference/rejected_reward", "preference/accuracy"),
        not_the_same_as=("rm/margin",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "preference/accuracy",
        meaning="Share of pairs where the chosen implicit reward is larger",
        unit="ratio",
        direction="higher",
        category="preference",
        title="Preference accuracy",
        healthy=(
            Band(
                None,
                0.99,
                why=(
                    "99 percent and more on the training pairs, with evaluation standing still, "
                    "is overfitting"
                ),
                source="Training Metrics Glossary",
                context="training pairs",
                algorithms=("DPO", "KTO", "SimPO"),
            ),
        ),
        watch_for=(
            "Share of pairs that the model orders as people did. 0.5 is guessing (exactly 0 at "
            "the first step, where ties count as wrong)."
        ),
        related=("preference/margin", "preference/loss"),
        not_the_same_as=("rm/accuracy", "lm/token_accuracy"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "preference/chosen_reward",
        meaning="Mean implicit reward of chosen responses",
        unit="reward",
        direction="higher",
        category="preference",
        title="Implicit reward of chosen answers",
        watch_for=(
            "If it falls below zero while the margin grows, the model makes even the good "
            "answers less likely."
        ),
        related=("preference/margin", "preference/chosen_logprob"),
        not_the_same_as=("rm/score_chosen_mean",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "preference/rejected_reward",
        meaning="Mean implicit reward of rejected responses",
        unit="reward",
        direction="lower",
        category="preference",
        title="Implicit reward of rejected answers",
        watch_for=(
            "Falls as training goes on; when it falls without bound, beta is too small or the "
            "learning rate too high."
        ),
        related=("preference/margin",),
        not_the_same_as=("rm/score_rejected_mean",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "preference/chosen_logprob",
        meaning="Log-probability of chosen responses under the policy",
        unit="nat",
        direction="neutral",
        category="preference",
    ),
    Metric(
        "preference/rejected_logprob",
        meaning="Log-probability of rejected responses under the policy",
        unit="nat",
        direction="neutral",
        category="preference",
    ),
    Metric(
        "preference/chosen_logits",
        meaning="Mean logit over chosen responses",
        unit="logit",
        direction="neutral",
        category="preference",
    ),
    Metric(
        "preference/rejected_logits",
        meaning="Mean logit over rejected responses",
        unit="logit",
        direction="neutral",
        category="preference",
    ),
    Metric(
        "preference/nll_loss",
        meaning="Supervised term on chosen responses",
        unit="nat",
        direction="lower",
        category="preference",
    ),
    Metric(
        "preference/kl",
        meaning="KL baseline of KTO or policy-to-reference KL of online methods",
        unit="nat",
        direction="target",
        category="preference",
    ),
    Metric(
        "preference/log_odds_ratio",
        meaning="ORPO log-sigmoid of the log odds ratio",
        unit="nat",
        direction="higher",
        category="preference",
    ),
    Metric(
        "preference/log_odds_chosen",
        meaning="ORPO log odds ratio of chosen over rejected",
        unit="nat",
        direction="higher",
        category="preference",
    ),
    Metric(
        "preference/average_reward",
        meaning="Mean implicit reward over chosen and rejected",
        unit="reward",
        direction="neutral",
        category="preference",
    ),
    Metric(
        "preference/beta",
        meaning="Temperature of the preference loss",
        unit="coefficient",
        direction="neutral",
        category="preference",
    ),
    Metric(
        "preference/score_margin",
        meaning="Reward-model score of chosen minus rejected in online preference training",
        unit="score",
        direction="higher",
        category="preference",
    ),
)
