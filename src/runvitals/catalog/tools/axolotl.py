"""Names that Axolotl logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
lm/perplexity: ppl
eval/perplexity: eval_ppl
system/gpu_memory_active_gb: memory/max_active (GiB)
system/gpu_memory_allocated_gb: memory/max_allocated (GiB)
system/gpu_memory_reserved_gb: memory/device_reserved (GiB)
system/gpu_memory_active_gb (versions=2025 releases): memory/max_mem_active(gib)
system/gpu_memory_allocated_gb (versions=2025 releases): memory/max_mem_allocated(gib)
system/gpu_memory_reserved_gb (versions=2025 releases): memory/device_mem_reserved(gib)
throughput/train_tokens_per_s_per_device: tokens/train_per_sec_per_gpu
none: tokens/trainable
progress/tokens: tokens/total
[ORPO]
preference/chosen_logprob: chosen_geometric_mean
preference/rejected_logprob: rejected_geometric_mean
preference/log_odds_ratio: log_odds_ratio
preference/log_odds_chosen: log_odds
[GRPO async]
async/queue_size: replay_buffer_size
none: replay_buffer_replacements | reroll_buffered | reroll_buffer_size
optim/skipped_updates: skipped_zero_adv_batches
[NeMo-Gym]
reward/score_mean: rollout/reward/mean
outcome/success_rate: rollout/reward/nonzero_frac
agent/turns_mean: rollout/num_turns/mean
data/samples_per_step: rollout/n_samples
[EBFT]
policy/loss: ebft/rl_loss
lm/loss: ebft/ce_loss
reward/mean: ebft/mean_reward
none: ebft/alignment | ebft/diversity | ebft/cfm_loss
advantage/std: ebft/advantages_std
none: num_lora_restarts [ReLoRA]
"""

FRAMEWORK = Framework(
    id="axolotl",
    title="Axolotl",
    version="0.19.0 wheel (pins transformers 5.16.1 and trl 1.9.0)",
    inherits=("trl", "transformers"),
    kind="llm",
    aliases=aliases(NAMES),
)
