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
                kind="limit",
                kinds=("preference",),
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
            "Falls as training continues; when it falls without bound, beta is too small or the "
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
        title="Log-probability of chosen answers",
        watch_for=(
            "A mild fall is common in DPO; a steep one means that the model unlearns the good "
            "answers too. Then add a supervised term or raise beta."
        ),
        related=("preference/rejected_logprob", "preference/chosen_reward"),
    ),
    Metric(
        "preference/rejected_logprob",
        meaning="Log-probability of rejected responses under the policy",
        unit="nat",
        direction="neutral",
        category="preference",
        title="Log-probability of rejected answers",
        watch_for=(
            "Should fall faster than that of the chosen ones. Both falling in step teaches no "
            "preference."
        ),
        related=("preference/chosen_logprob", "preference/rejected_reward"),
    ),
    Metric(
        "preference/chosen_logits",
        meaning="Mean logit over chosen responses",
        unit="logit",
        direction="neutral",
        category="preference",
        title="Logits of chosen answers",
        watch_for="Raw scale without a reference point: useful only to notice a blow-up.",
        related=("preference/rejected_logits",),
        not_the_same_as=("preference/chosen_logprob",),
    ),
    Metric(
        "preference/rejected_logits",
        meaning="Mean logit over rejected responses",
        unit="logit",
        direction="neutral",
        category="preference",
        title="Logits of rejected answers",
        watch_for=(
            "Read as a pair with the chosen ones; both growing without bound is numerical trouble."
        ),
        related=("preference/chosen_logits",),
        not_the_same_as=("preference/rejected_logprob",),
    ),
    Metric(
        "preference/nll_loss",
        meaning="Supervised term on chosen responses",
        unit="nat",
        direction="lower",
        category="preference",
        title="Supervised term on chosen answers",
        watch_for=(
            "Keeps the chosen answers likely. Rising while the margin grows: the preference term "
            "wins at their expense."
        ),
        related=("preference/loss", "preference/chosen_logprob"),
    ),
    Metric(
        "preference/kl",
        meaning="KL baseline of KTO or policy-to-reference KL of online methods",
        unit="nat",
        direction="target",
        category="preference",
        title="KL of preference training",
        watch_for=(
            "How far the policy has left its reference. Growth with a flat margin is drift without "
            "gain."
        ),
        related=("preference/margin",),
        not_the_same_as=("policy/kl_ref",),
    ),
    Metric(
        "preference/log_odds_ratio",
        meaning="ORPO log-sigmoid of the log odds ratio",
        unit="nat",
        direction="higher",
        category="preference",
        title="Odds-ratio term",
        watch_for=(
            "A log-sigmoid, so at most zero and closer to zero is better; flat means that the odds "
            "term teaches nothing."
        ),
        related=("preference/log_odds_chosen", "preference/loss"),
    ),
    Metric(
        "preference/log_odds_chosen",
        meaning="ORPO log odds ratio of chosen over rejected",
        unit="nat",
        direction="higher",
        category="preference",
        title="Log odds of chosen over rejected",
        watch_for="Above zero when chosen answers are preferred. Should rise and level off.",
        related=("preference/log_odds_ratio", "preference/accuracy"),
    ),
    Metric(
        "preference/average_reward",
        meaning="Mean implicit reward over chosen and rejected",
        unit="reward",
        direction="neutral",
        category="preference",
        title="Mean implicit reward",
        watch_for=(
            "A steady fall says that both answers lose probability; the margin may still grow "
            "meanwhile."
        ),
        related=("preference/chosen_reward", "preference/rejected_reward"),
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
        title="Judged margin of online pairs",
        watch_for=(
            "Near zero: the judge sees no difference between the two samples, so the pair is a "
            "coin toss."
        ),
        related=("preference/margin", "rm/margin"),
        not_the_same_as=("preference/margin",),
    ),
)
