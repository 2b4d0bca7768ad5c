"""Names that Unsloth logs, and the metrics they are."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="unsloth",
    title="Unsloth",
    version="unsloth 2026.10.9 and unsloth_zoo 2026.10.9 wheels",
    inherits=("trl", "transformers"),
    kind="llm",
    aliases=(
        Alias("completion_length", "length/response_mean", ("GRPO",)),
        Alias("kl", "policy/kl_ref", ("GRPO",), note="token mean k3"),
        Alias("frac_reward_zero_std_excluded", "data/filtered_fraction", ("GRPO",)),
        Alias(
            "sampling/rollout_kl_k1/mean", "mismatch/kl", ("GRPO",), note="mean(rollout - train)"
        ),
        Alias("sampling/rollout_kl_k3/mean", "mismatch/k3_kl", ("GRPO",)),
        Alias("sampling/rollout_kl_k3/max", None, ("GRPO",)),
        Alias("sampling/importance_sampling_ess", "mismatch/effective_sample_size", ("GRPO",)),
        Alias("sampling/importance_sampling_rejected_frac", "mismatch/masked_fraction", ("GRPO",)),
        Alias(
            "sampling/importance_sampling_rejected_seq_frac",
            "mismatch/masked_fraction",
            ("GRPO",),
            labels={"level": "sequence"},
        ),
        Alias("sampling/sampling_logp_difference/mean", "mismatch/logprob_diff_mean", ("GRPO",)),
        Alias("sampling/sampling_logp_difference/max", "mismatch/logprob_diff_max", ("GRPO",)),
        Alias("sampling/importance_sampling_ratio/mean", "mismatch/is_weight_mean", ("GRPO",)),
        Alias("clip_ratio/region_mean", "policy/clip_fraction", ("GRPO",), note="token mean"),
        Alias("cispo_clip_ratio", "policy/clip_fraction", ("GRPO",), note="token mean"),
        Alias("tokens_per_second", "throughput/tokens_per_s", ("MLX",)),
        Alias("peak_memory_gb", "system/gpu_memory_allocated_gb", ("MLX",)),
        Alias("trained_tokens", "progress/tokens", ("MLX",)),
        Alias("loss", "lm/loss", ("MLX",)),
        Alias("eval_perplexity", "eval/perplexity", ("MLX",)),
    ),
)
