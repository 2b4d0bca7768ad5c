from runvitals.rules.kit import Hit, Patient, above, below, rule, short_number

SHARE = "mismatch/effective_sample_size"
MEAN = "mismatch/is_weight_mean"
# what compares the engines' probabilities directly, the plainest first
DIFFERENCES = (
    "mismatch/logprob_diff_mean",
    "mismatch/prob_diff_mean",
    "mismatch/k3_kl",
    "mismatch/kl",
)
WEIGHTS = {
    SHARE: "effective sample size (share of the batch)",
    MEAN: "mean importance weight",
    "mismatch/chi2_token": "chi-squared divergence per token",
    "mismatch/is_weight_std": "standard deviation of the importance weights",
    "mismatch/masked_fraction": "fraction masked as off-policy",
    "mismatch/outside_fraction": "share of tokens whose probability differs by more than a factor of 2",
    "mismatch/nonfinite_fraction": "share of tokens without a finite log-probability",
}
SAMPLING = (
    "vllm_importance_sampling_mode",
    "vllm_importance_sampling_cap",
    "rollout_is_threshold",
    "top_p",
)
CAUSES = (
    "rollout engine and trainer disagree",
    "stale samples",
    "correction threshold too loose or too tight",
)


@rule(
    "MIS002",
    needs=["|".join(WEIGHTS)],
    families=["llm-rl", "off-policy"],
    min_points=12,
    excused_by_outcome=True,
)
def importance_weights_degenerate(
    patient: Patient, *, least_samples: float | None = None
) -> Hit | None:
    """Importance weights are so uneven that a few samples decide the update.

    ## What it looks for
    The level of one of these for a fifth of the run and at its end:

    - an effective sample size below 0.3 (`least_samples`)
    - a mean weight outside 0.5 to 2
    - a standard deviation of the weights above 1
    - a chi-squared divergence above 1
    - more than 10% of the tokens masked
    - more than 1% of the tokens with a ratio outside 1/2 to 2, or any that is not finite

    A warning if the outcome is not doing well, otherwise a notice. Log-probability differences decide
    first: where they are logged and agree, the weights are not blamed. A low mean weight does not count
    where the trainer masks (TRL's `sequence_mask` and `token_mask` log the weights with the masked ones
    as 0, so healthy means are 0.4 to 0.7). The message names mode, cap and top-p of the settings.

    ## Why it matters
    The correction then does more harm than good: the gradient depends on a handful of tokens.

    ## Usual causes
    1. Rollout engine and trainer disagree (MIS001).
    2. Samples are stale (MIS003).
    3. The correction's threshold is too loose or too tight.

    ## What to try
    Look at MIS001 first, then reduce staleness. Use token-level weights if sequence-level weights
    explode.

    ## When to ignore it
    Sequence-level weights of very long responses.

    ## Sources
    TRL #5814 (weights logged after masking); veRL's rollout correction; ms-swift's guide on the
    mismatch; TorchRL on effective sample size.
    """
    agree = _engines_agree(patient)
    for metric, words in WEIGHTS.items():
        series = patient.find(metric)
        if series is None or (metric == SHARE and series.values.max() > 1.0):  # or a number of them
            continue
        if agree and metric != "mismatch/nonfinite_fraction":
            continue
        low = patient.band(metric, "low", option=least_samples if metric == SHARE else None)
        low = None if metric == MEAN and _masks(patient) else low
        found = above(series, patient.band(metric), to_end=True) or below(series, low, to_end=True)
        if found is not None:
            return found.hit(
                f"{words} is {short_number(found.level)} over {found.count:,} steps"
                f"{_sampling(patient)}",
                advice="make the rollout engine and the trainer agree first, then use fresher samples",
                causes=CAUSES,
            )
    return None


def _sampling(patient: Patient) -> str:
    """The settings that decide what the weights are, as far as they are known."""
    config = patient.run.config
    told = [f"{key.removeprefix('vllm_')} {config[key]}" for key in SAMPLING if key in config]
    return f" ({', '.join(told)})" if told else ""


def _masks(patient: Patient) -> bool:
    """True if weights of masked samples are logged as 0, by the settings."""
    mode = patient.run.config.get("vllm_importance_sampling_mode")
    return isinstance(mode, str) and mode.endswith("mask")


def _engines_agree(patient: Patient) -> bool:
    """True if rollout engine and trainer give the same tokens nearly the same probability."""
    series = patient.find(*DIFFERENCES)
    limit = patient.band(str(series.metric)) if series is not None else None
    return below(series, limit, for_share=0.5, to_end=True) is not None
