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
        title="Spread of evaluation returns",
        watch_for=(
            "Large against the mean: a change of the mean between two evaluations is noise until "
            "more episodes say otherwise."
        ),
        related=("eval/return_mean", "eval/episode_count"),
    ),
    Metric(
        "eval/episode_length_mean",
        meaning="Mean episode length of the evaluation runs",
        unit="step",
        direction="neutral",
        category="eval",
        title="Evaluation episode length",
        watch_for="Explains the return: survival tasks want it long, reach-the-goal tasks short.",
        related=("eval/return_mean", "outcome/episode_length_mean"),
    ),
    Metric(
        "eval/success_rate",
        meaning="Success rate of the evaluation runs",
        unit="ratio",
        direction="higher",
        category="eval",
        title="Evaluation success rate",
        watch_for=(
            "The number to decide on. With n episodes its standard error is at most 0.5 / sqrt(n), "
            "so 20 episodes cannot show a gain of 10 points."
        ),
        related=("outcome/success_rate", "eval/return_mean", "eval/episode_count"),
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
        title="Spread of scores over samples",
        watch_for=(
            "High: the answer depends on luck of sampling. It falls as the policy sharpens, which "
            "also costs pass@k."
        ),
        related=("eval/mean_at_n", "eval/best_at_n"),
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
        title="Worst of n samples",
        watch_for="What a user meets on a bad day. Rising with the mean is real reliability.",
        related=("eval/mean_at_n", "eval/best_at_n", "eval/pass_hat_k"),
    ),
    Metric(
        "eval/maj_at_n",
        meaning="Score of the majority-vote answer among n samples, bootstrap estimate",
        unit="score",
        direction="higher",
        category="eval",
        title="Majority vote of n samples",
        watch_for=(
            "Above mean@n as long as wrong answers disagree with each other. When the two meet, "
            "voting adds nothing any more."
        ),
        related=("eval/mean_at_n", "eval/pass_at_k"),
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
        title="All of k samples right",
        watch_for=(
            "Consistency, and the opposite end of pass@k: it falls quickly with k unless every "
            "sample is reliable."
        ),
        related=("eval/pass_at_k", "eval/mean_at_n"),
        not_the_same_as=("eval/pass_at_k",),
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
        title="Solved at least once",
        watch_for=(
            "Grows with n by itself, so compare only equal n. The plain maximum is noisier than "
            "the unbiased pass@k."
        ),
        related=("eval/pass_at_k", "eval/mean_at_n"),
        not_the_same_as=("eval/pass_at_k",),
    ),
    Metric(
        "eval/win_rate",
        meaning="Share of comparisons won against a reference model or judge baseline",
        unit="ratio",
        direction="higher",
        category="eval",
        title="Evaluation win rate",
        watch_for=(
            "0.5 is a draw with the baseline. Judges favour long answers and first positions: "
            "watch the length beside it, and swap the order."
        ),
        related=("outcome/win_rate", "length/response_mean"),
    ),
    Metric(
        "eval/perplexity",
        meaning="exp of the evaluation loss",
        unit="ratio",
        direction="lower",
        category="eval",
        title="Evaluation perplexity",
        watch_for=(
            "Rising while the training loss falls is overfitting. Comparable only with the same "
            "tokenizer and data."
        ),
        related=("eval/loss", "lm/perplexity"),
    ),
    Metric(
        "eval/return_min",
        meaning="Lowest evaluation return",
        unit="reward",
        direction="higher",
        category="eval",
        title="Worst evaluation episode",
        watch_for=(
            "Shows failures that the mean hides: a policy that is good on average may still crash "
            "in one episode of ten."
        ),
        related=("eval/return_mean", "eval/return_std"),
    ),
    Metric(
        "eval/return_max",
        meaning="Highest evaluation return",
        unit="reward",
        direction="higher",
        category="eval",
        title="Best evaluation episode",
        watch_for="Says what is possible, not what is usual: a single lucky episode moves it.",
        related=("eval/return_mean",),
        not_the_same_as=("eval/return_best",),
    ),
    Metric(
        "eval/return_best",
        meaning="Best mean evaluation return so far",
        unit="reward",
        direction="higher",
        category="eval",
        title="Best evaluation so far",
        watch_for=(
            "Can only rise. Flat for long means no progress; far above the current value means "
            "that the policy got worse again, and an older checkpoint is better."
        ),
        related=("eval/return_mean",),
        not_the_same_as=("eval/return_max",),
    ),
    Metric(
        "eval/episode_count",
        meaning="Number of evaluation episodes behind the mean",
        unit="episode",
        direction="neutral",
        category="eval",
        title="Evaluation episodes",
        watch_for=(
            "Few episodes make a noisy mean. Read every evaluation result with this number beside "
            "it."
        ),
        related=("eval/return_mean", "eval/return_std"),
    ),
    Metric(
        "eval/episode_length_std",
        meaning="Standard deviation of evaluation episode length",
        unit="step",
        direction="neutral",
        category="eval",
    ),
)
