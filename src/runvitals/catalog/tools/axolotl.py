"""Names that Axolotl logs, and the metrics they are."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="axolotl",
    title="Axolotl",
    version="0.19.0 wheel (pins transformers 5.16.1 and trl 1.9.0)",
    inherits=("trl", "transformers"),
    kind="llm",
    aliases=(
        Alias("ppl", "lm/perplexity"),
        Alias("eval_ppl", "eval/perplexity"),
        Alias("memory/max_active (GiB)", "system/gpu_memory_active_gb"),
        Alias("memory/max_allocated (GiB)", "system/gpu_memory_allocated_gb"),
        Alias("memory/device_reserved (GiB)", "system/gpu_memory_reserved_gb"),
        Alias(
            "memory/max_mem_active(gib)", "system/gpu_memory_active_gb", versions="2025 releases"
        ),
        Alias(
            "memory/max_mem_allocated(gib)",
            "system/gpu_memory_allocated_gb",
            versions="2025 releases",
        ),
        Alias(
            "memory/device_mem_reserved(gib)",
            "system/gpu_memory_reserved_gb",
            versions="2025 releases",
        ),
        Alias("tokens/train_per_sec_per_gpu", "throughput/train_tokens_per_s_per_device"),
        Alias("tokens/trainable", None),
        Alias("tokens/total", "progress/tokens"),
        Alias("chosen_geometric_mean", "preference/chosen_logprob", ("ORPO",)),
        Alias("rejected_geometric_mean", "preference/rejected_logprob", ("ORPO",)),
        Alias("log_odds_ratio", "preference/log_odds_ratio", ("ORPO",)),
        Alias("log_odds", "preference/log_odds_chosen", ("ORPO",)),
        Alias("replay_buffer_size", "async/queue_size", ("GRPO async",)),
        Alias("replay_buffer_replacements", None, ("GRPO async",)),
        Alias("reroll_buffered", None, ("GRPO async",)),
        Alias("reroll_buffer_size", None, ("GRPO async",)),
        Alias("skipped_zero_adv_batches", "optim/skipped_updates", ("GRPO async",)),
        Alias("rollout/reward/mean", "reward/score_mean", ("NeMo-Gym",)),
        Alias("rollout/reward/nonzero_frac", "outcome/success_rate", ("NeMo-Gym",)),
        Alias("rollout/num_turns/mean", "agent/turns_mean", ("NeMo-Gym",)),
        Alias("rollout/n_samples", "data/samples_per_step", ("NeMo-Gym",)),
        Alias("ebft/rl_loss", "policy/loss", ("EBFT",)),
        Alias("ebft/ce_loss", "lm/loss", ("EBFT",)),
        Alias("ebft/mean_reward", "reward/mean", ("EBFT",)),
        Alias("ebft/alignment", None, ("EBFT",)),
        Alias("ebft/diversity", None, ("EBFT",)),
        Alias("ebft/cfm_loss", None, ("EBFT",)),
        Alias("ebft/advantages_std", "advantage/std", ("EBFT",)),
        Alias("num_lora_restarts", None, ("ReLoRA",)),
    ),
)
