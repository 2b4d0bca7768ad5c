"""Names that Unsloth logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[GRPO]
length/response_mean: completion_length
policy/kl_ref: kl  # token mean k3
data/filtered_fraction: frac_reward_zero_std_excluded
mismatch/kl: sampling/rollout_kl_k1/mean  # mean(rollout - train)
mismatch/k3_kl: sampling/rollout_kl_k3/mean
none: sampling/rollout_kl_k3/max
mismatch/effective_sample_size: sampling/importance_sampling_ess
mismatch/masked_fraction: sampling/importance_sampling_rejected_frac
mismatch/masked_fraction (level=sequence): sampling/importance_sampling_rejected_seq_frac
mismatch/logprob_diff_mean: sampling/sampling_logp_difference/mean
mismatch/logprob_diff_max: sampling/sampling_logp_difference/max
mismatch/is_weight_mean: sampling/importance_sampling_ratio/mean
policy/clip_fraction: clip_ratio/region_mean | cispo_clip_ratio  # token mean
[MLX]
throughput/tokens_per_s: tokens_per_second
system/gpu_memory_allocated_gb: peak_memory_gb
progress/tokens: trained_tokens
lm/loss: loss
eval/perplexity: eval_perplexity
"""

FRAMEWORK = Framework(
    id="unsloth",
    title="Unsloth",
    version="unsloth 2026.10.9 and unsloth_zoo 2026.10.9 wheels",
    inherits=("trl", "transformers"),
    kind="llm",
    aliases=aliases(NAMES),
)
