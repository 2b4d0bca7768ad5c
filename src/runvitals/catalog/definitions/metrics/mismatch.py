"""Metrics of the gap between rollout engine and trainer."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "mismatch/kl",
        meaning="KL between rollout engine and trainer on the same tokens (k1)",
        unit="nat",
        direction="lower",
        category="mismatch",
        title="Engine mismatch",
        healthy=(
            Band(
                None,
                0.002,
                why="engine and trainer should agree to rounding",
                source="NeMo-RL documentation",
                context="noisier than the k3 estimator",
                kind="range",
            ),
        ),
        watch_for=(
            "Rollout engine and trainer score the same tokens with the same weights, so this "
            "should be tiny. Growing means different numerics or stale weights, and biased "
            "gradients."
        ),
        related=("mismatch/k3_kl", "mismatch/is_weight_mean", "async/staleness_mean"),
        not_the_same_as=("policy/approx_kl", "policy/kl_ref"),
    ),
    Metric(
        "mismatch/k3_kl",
        meaning="KL between rollout engine and trainer on the same tokens, k3 estimator",
        unit="nat",
        direction="lower",
        category="mismatch",
        title="Engine mismatch, k3",
        healthy=(
            Band(
                None,
                0.001,
                why="engine and trainer should agree to rounding",
                source="NeMo-RL documentation",
                context="k3 estimator; mixture-of-experts and 8-bit runs lie higher",
            ),
        ),
        watch_for=(
            "Less noisy than the plain estimate and never negative. Trust its trend: rising over "
            "the run means that numerics or weights drift apart."
        ),
        related=("mismatch/kl", "mismatch/prob_diff_mean"),
        not_the_same_as=("policy/kl_ref",),
    ),
    Metric(
        "mismatch/logprob_diff_mean",
        meaning="Mean absolute difference of rollout and trainer log-probability",
        unit="nat",
        direction="lower",
        category="mismatch",
        title="Log-probability gap",
        healthy=(
            Band(
                None,
                0.03,
                why="engine and trainer should agree to rounding",
                source="judgement",
                kind="limit",
            ),
        ),
        watch_for=(
            "Constant and small is ordinary rounding. A jump after a change of engine, precision "
            "or kernel points straight at that change."
        ),
        related=("mismatch/kl", "mismatch/prob_diff_mean"),
    ),
    Metric(
        "mismatch/logprob_diff_max",
        meaning="Largest absolute difference of log-probability",
        unit="nat",
        direction="lower",
        category="mismatch",
        title="Largest log-probability gap",
        watch_for=(
            "Rare unlikely tokens make it large; only a lasting rise together with the mean is a "
            "worry."
        ),
        related=("mismatch/logprob_diff_mean", "mismatch/is_weight_max"),
    ),
    Metric(
        "mismatch/is_weight_mean",
        meaning="Mean importance weight trainer/rollout",
        unit="ratio",
        direction="target",
        category="mismatch",
        title="Engine importance weight",
        healthy=(
            Band(
                0.5,
                2.0,
                why="outside, samples no longer represent the policy",
                source="veRL rollout-correction health check",
            ),
        ),
        watch_for="About 1. Away from it the samples do not come from the policy being trained.",
        related=("mismatch/kl", "mismatch/effective_sample_size"),
        not_the_same_as=("policy/ratio_mean",),
    ),
    Metric(
        "mismatch/is_weight_max",
        meaning="Largest importance weight",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Largest importance weight",
        watch_for=(
            "One huge weight lets a single token or sequence dominate the update. Truncate the "
            "weights, or cut staleness."
        ),
        related=("mismatch/is_weight_mean", "mismatch/effective_sample_size"),
        not_the_same_as=("policy/ratio_max",),
    ),
    Metric(
        "mismatch/is_weight_min",
        meaning="Smallest importance weight",
        unit="ratio",
        direction="target",
        category="mismatch",
        title="Smallest importance weight",
        watch_for=(
            "Near zero: some sampled tokens are almost impossible for the trainer, so they are "
            "lost to learning."
        ),
        related=("mismatch/is_weight_max", "mismatch/is_weight_fraction_low"),
    ),
    Metric(
        "mismatch/masked_fraction",
        meaning="Share of tokens or sequences removed by off-policy masking",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Masked as off-policy",
        healthy=(
            Band(
                None,
                0.1,
                why="samples that were paid for and ignored",
                source="judgement",
                kind="limit",
            ),
        ),
        watch_for=(
            "Samples that were paid for and ignored. Growing means that the engines drift apart, "
            "or that samples are too old."
        ),
        related=("mismatch/kl", "async/staleness_mean"),
    ),
    Metric(
        "mismatch/effective_sample_size",
        meaning="Effective sample size of the importance weights, 0..1",
        unit="ratio",
        direction="higher",
        category="mismatch",
        title="Effective sample size",
        healthy=(
            Band(
                0.3,
                None,
                why="below, less than a third of the batch carries the update",
                source="veRL rollout-correction health check",
            ),
        ),
        watch_for="1 when all samples count the same; near 0 when a few carry the whole update.",
        related=("mismatch/is_weight_max",),
    ),
    Metric(
        "mismatch/kl_reverse",
        meaning="KL with the trainer as the sampling side",
        unit="nat",
        direction="lower",
        category="mismatch",
        title="Engine mismatch, reversed",
        watch_for=(
            "Large while the forward value is small: the trainer puts weight on tokens that the "
            "engine would rarely sample."
        ),
        related=("mismatch/kl",),
    ),
    Metric(
        "mismatch/js_divergence",
        meaning="Jensen-Shannon type divergence of rollout and trainer",
        unit="nat",
        direction="lower",
        category="mismatch",
    ),
    Metric(
        "mismatch/logprob_diff_std",
        meaning="Standard deviation of the absolute log-probability difference",
        unit="nat",
        direction="lower",
        category="mismatch",
        title="Spread of the log-probability gap",
        watch_for=(
            "A wide spread with a small mean is noise of the kernels; a growing mean is drift."
        ),
        related=("mismatch/logprob_diff_mean",),
    ),
    Metric(
        "mismatch/prob_diff_mean",
        meaning="Mean absolute difference of token probability",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Probability gap",
        healthy=(
            Band(
                None,
                0.01,
                why="gaps above one percent come from unsynchronised weights or other numerics",
                source="veRL FAQ",
                context="dense models; veRL wants 0.005 or less",
            ),
        ),
        watch_for=(
            "The most readable of the mismatch numbers: the average error of a token's "
            "probability. It should be far below one percent and flat."
        ),
        related=("mismatch/kl", "mismatch/prob_diff_max", "mismatch/prob_correlation"),
    ),
    Metric(
        "mismatch/prob_diff_max",
        meaning="Largest absolute difference of token probability",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Largest probability gap",
        watch_for=(
            "Near 1: on some token the two engines disagree completely. Look at that token; often "
            "it is a stop token, or sampling settings that differ."
        ),
        related=("mismatch/prob_diff_mean",),
    ),
    Metric(
        "mismatch/prob_diff_std",
        meaning="Standard deviation of the difference of token probability",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Spread of the probability gap",
        watch_for="Grows before the mean does when a few tokens begin to disagree strongly.",
        related=("mismatch/prob_diff_mean", "mismatch/prob_diff_max"),
    ),
    Metric(
        "mismatch/prob_correlation",
        meaning="Pearson correlation of rollout and trainer token probabilities",
        unit="ratio",
        direction="higher",
        category="mismatch",
        title="Agreement of probabilities",
        watch_for=(
            "Should be all but 1. A visible drop means different weights, a missing weight update, "
            "or different sampling settings."
        ),
        related=("mismatch/prob_diff_mean", "time/weight_sync_s"),
    ),
    Metric(
        "mismatch/ppl_train",
        meaning="Perplexity of the responses under the trainer",
        unit="ratio",
        direction="neutral",
        category="mismatch",
        title="Perplexity under the trainer",
        watch_for=(
            "Should lie on top of the rollout engine's perplexity; the gap between the two is the "
            "mismatch."
        ),
        related=("mismatch/ppl_rollout", "mismatch/ppl_ratio"),
    ),
    Metric(
        "mismatch/ppl_rollout",
        meaning="Perplexity of the responses under the rollout engine",
        unit="ratio",
        direction="neutral",
        category="mismatch",
        title="Perplexity under the engine",
        watch_for="Falls as the policy sharpens. Compare with the trainer's, not with other runs.",
        related=("mismatch/ppl_train", "mismatch/ppl_ratio"),
    ),
    Metric(
        "mismatch/log_ppl_diff_mean",
        meaning="Mean per-sequence difference of log-perplexity trainer minus rollout",
        unit="nat",
        direction="target",
        category="mismatch",
        title="Gap of log-perplexity",
        watch_for=(
            "Around zero. A lasting sign means a systematic bias: one engine finds the responses "
            "likelier than the other."
        ),
        related=("mismatch/log_ppl_diff_abs", "mismatch/ppl_ratio"),
    ),
    Metric(
        "mismatch/log_ppl_diff_abs",
        meaning="Mean absolute per-sequence difference of log-perplexity",
        unit="nat",
        direction="lower",
        category="mismatch",
        title="Absolute gap of log-perplexity",
        watch_for="Unlike the signed mean it cannot cancel out, so it is the better alarm.",
        related=("mismatch/log_ppl_diff_mean", "mismatch/log_ppl_diff_max"),
    ),
    Metric(
        "mismatch/log_ppl_diff_max",
        meaning="Largest per-sequence difference of log-perplexity",
        unit="nat",
        direction="lower",
        category="mismatch",
        title="Largest gap of log-perplexity",
        watch_for="The response on which the engines disagree most; worth reading when it jumps.",
        related=("mismatch/log_ppl_diff_abs",),
    ),
    Metric(
        "mismatch/log_ppl_diff_min",
        meaning="Smallest per-sequence difference of log-perplexity",
        unit="nat",
        direction="neutral",
        category="mismatch",
    ),
    Metric(
        "mismatch/ppl_ratio",
        meaning="Mean per-sequence ratio of perplexities trainer/rollout",
        unit="ratio",
        direction="target",
        category="mismatch",
        title="Ratio of perplexities",
        watch_for=(
            "About 1. Away from it the trainer scores the responses differently from the engine "
            "that wrote them."
        ),
        related=("mismatch/ppl_train", "mismatch/ppl_rollout", "mismatch/is_weight_mean"),
    ),
    Metric(
        "mismatch/chi2_token",
        meaning="Token-level chi-squared divergence E[w^2]-1",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Token-level weight variance",
        healthy=(
            Band(
                None,
                1.0,
                why="above, the variance of the weights exceeds their mean squared",
                source="veRL rollout-correction health check",
            ),
        ),
        watch_for=(
            "How noisy token weights make the gradient; zero when on-policy. A rise means that "
            "fewer samples really count."
        ),
        related=(
            "mismatch/effective_sample_size",
            "mismatch/is_weight_std",
            "mismatch/chi2_sequence",
        ),
    ),
    Metric(
        "mismatch/chi2_sequence",
        meaning="Sequence-level chi-squared divergence",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Sequence-level weight variance",
        watch_for=(
            "Weights of whole sequences multiply over tokens, so this explodes first for long "
            "responses. Then use token-level weights."
        ),
        related=("mismatch/chi2_token", "length/response_mean"),
    ),
    Metric(
        "mismatch/is_weight_std",
        meaning="Standard deviation of the importance weight trainer/rollout",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Spread of importance weights",
        healthy=(
            Band(
                None,
                1.0,
                why="wider weights leave few samples that count",
                source="veRL rollout-correction health check",
            ),
        ),
        watch_for="Zero when on-policy. The wider, the noisier the gradient.",
        related=("mismatch/is_weight_mean", "mismatch/effective_sample_size"),
        not_the_same_as=("policy/ratio_std",),
    ),
    Metric(
        "mismatch/is_weight_fraction_high",
        meaning="Share of weights above the upper bound",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Weights above the bound",
        watch_for=(
            "These are cut or masked, which biases the update. More than a few percent: reduce "
            "staleness."
        ),
        related=("mismatch/is_weight_max", "mismatch/masked_fraction"),
        not_the_same_as=("policy/clip_fraction_high",),
    ),
    Metric(
        "mismatch/is_weight_fraction_low",
        meaning="Share of weights below the lower bound",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Weights below the bound",
        watch_for=(
            "Tokens that the trainer finds far less likely than the engine did; they no longer "
            "teach anything."
        ),
        related=("mismatch/is_weight_min", "mismatch/masked_fraction"),
        not_the_same_as=("policy/clip_fraction_low",),
    ),
    Metric(
        "mismatch/kl_entropy_ratio",
        meaning="Mismatch KL divided by entropy",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Mismatch against entropy",
        watch_for=(
            "Puts the mismatch in proportion: the same gap hurts more once the policy is nearly "
            "deterministic."
        ),
        related=("mismatch/kl", "policy/entropy"),
    ),
    Metric(
        "mismatch/mult_prob_error",
        meaning="Mean of exp(|log-probability difference|), 1 is perfect",
        unit="ratio",
        direction="lower",
        category="mismatch",
        title="Multiplicative probability error",
        healthy=(
            Band(
                None,
                1.05,
                why="more than five percent error per token biases the gradient",
                source="NeMo-RL documentation",
            ),
        ),
        watch_for=(
            "1 is exact. Slightly above is rounding; a rise or single spikes mean that engine and "
            "trainer run different numbers."
        ),
        related=("mismatch/logprob_diff_mean", "mismatch/prob_diff_mean"),
    ),
)
