"""Metrics of the same, measured on held-out tasks."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "eval/return_mean",
        meaning="Mean episode return of the evaluation runs",
        unit="reward",
        direction="higher",
        category="eval",
        title="Evaluation return",
        watch_for=(
            "Taken with a fixed, often deterministic policy, so it may run well ahead of the "
            "noisy training return. Check how many episodes stand behind each point."
        ),
        related=("outcome/return_mean", "eval/episode_count"),
        not_the_same_as=("outcome/return_mean",),
    ),
    Metric(
        "eval/return_std",
        meaning="Standard deviation of evaluation return",
        unit="reward",
        direction="neutral",
        category="eval",
    ),
    Metric(
        "eval/episode_length_mean",
        meaning="Mean episode length of the evaluation runs",
        unit="step",
        direction="neutral",
        category="eval",
    ),
    Metric(
        "eval/success_rate",
        meaning="Success rate of the evaluation runs",
        unit="ratio",
        direction="higher",
        category="eval",
    ),
    Metric(
        "eval/score_mean",
        meaning="Mean evaluation score (accuracy for 0/1 scores)",
        unit="score",
        direction="higher",
        category="eval",
        title="Evaluation score",
        watch_for=(
            "Held-out truth. Rising training reward with a flat evaluation score is the usual "
            "shape of reward hacking and of overfitting."
        ),
        related=("eval/mean_at_n", "eval/success_rate"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "eval/mean_at_n",
        meaning="Mean score over n samples per prompt (label n)",
        unit="score",
        direction="higher",
        category="eval",
        title="Validation score, mean of n samples",
        watch_for=(
            "Look here first: did the model get better on tasks it was not trained on? If it "
            "falls, ask whether training became unstable, then whether reward or data measure "
            "the wrong thing, before touching the optimiser."
        ),
        related=("eval/best_at_n", "eval/maj_at_n", "reward/mean"),
        not_the_same_as=("eval/pass_at_k",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "eval/std_at_n",
        meaning="Standard deviation of score over n samples per prompt",
        unit="score",
        direction="neutral",
        category="eval",
    ),
    Metric(
        "eval/best_at_n",
        meaning="Expected best of n samples per prompt, bootstrap estimate",
        unit="score",
        direction="higher",
        category="eval",
        title="Validation score, best of n",
        watch_for=(
            "Rises with diversity as well as with skill. A bootstrap estimate: not the unbiased "
            "pass@k."
        ),
        related=("eval/mean_at_n",),
        not_the_same_as=("eval/pass_at_k", "eval/any_correct_at_n"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "eval/worst_at_n",
        meaning="Expected worst of n samples per prompt, bootstrap estimate",
        unit="score",
        direction="higher",
        category="eval",
    ),
    Metric(
        "eval/maj_at_n",
        meaning="Score of the majority-vote answer among n samples, bootstrap estimate",
        unit="score",
        direction="higher",
        category="eval",
    ),
    Metric(
        "eval/pass_at_k",
        meaning="Unbiased estimate of the chance that one of k samples is correct",
        unit="ratio",
        direction="higher",
        category="eval",
        title="pass@k",
        watch_for=(
            "The chance that at least one of k samples is right. It can rise while the mean "
            "stays, when the model spreads its bets."
        ),
        related=("eval/any_correct_at_n", "eval/mean_at_n"),
        not_the_same_as=("eval/best_at_n", "eval/any_correct_at_n"),
    ),
    Metric(
        "eval/loss",
        meaning="Loss on the evaluation split",
        unit="nat",
        direction="lower",
        category="eval",
        title="Evaluation loss",
        watch_for=(
            "Falls with the training loss while the model generalises. When it turns up and the "
            "training loss goes on falling, the model is memorising."
        ),
        related=("lm/loss", "optim/loss", "eval/perplexity"),
    ),
    Metric(
        "eval/pass_hat_k",
        meaning="Chance that all k samples are correct (pass^k)",
        unit="ratio",
        direction="higher",
        category="eval",
    ),
    Metric(
        "eval/any_correct_at_n",
        meaning=(
            "Share of prompts with at least one correct sample among the n drawn (plain "
            "maximum, no estimator)"
        ),
        unit="ratio",
        direction="higher",
        category="eval",
    ),
    Metric(
        "eval/win_rate",
        meaning="Share of comparisons won against a reference model or judge baseline",
        unit="ratio",
        direction="higher",
        category="eval",
    ),
    Metric(
        "eval/perplexity",
        meaning="exp of the evaluation loss",
        unit="ratio",
        direction="lower",
        category="eval",
    ),
    Metric(
        "eval/return_min",
        meaning="Lowest evaluation return",
        unit="reward",
        direction="higher",
        category="eval",
    ),
    Metric(
        "eval/return_max",
        meaning="Highest evaluation return",
        unit="reward",
        direction="higher",
        category="eval",
    ),
    Metric(
        "eval/return_best",
        meaning="Best mean evaluation return so far",
        unit="reward",
        direction="higher",
        category="eval",
    ),
    Metric(
        "eval/episode_count",
        meaning="Number of evaluation episodes behind the mean",
        unit="episode",
        direction="neutral",
        category="eval",
    ),
    Metric(
        "eval/episode_length_std",
        meaning="Standard deviation of evaluation episode length",
        unit="step",
        direction="neutral",
        category="eval",
    ),
)
