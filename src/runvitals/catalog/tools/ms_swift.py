"""Names that ms-swift logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Alias, Framework

DPO_KTO_ORPO = ("DPO", "KTO", "ORPO", "CPO", "SimPO")

FRAMEWORK = Framework(
    id="ms-swift",
    title="ms-swift",
    version="4.6.0 wheel",
    inherits=("trl", "transformers"),
    names=("swift",),
    kind="llm",
    aliases=(
        Alias("global_step/max_steps", "progress/step"),
        Alias("iteration", "progress/step", ("Megatron",)),
        Alias("elapsed_time", "time/elapsed_s"),
        Alias("remaining_time", "time/remaining_s"),
        Alias("memory(GiB)", "system/gpu_memory_reserved_gb"),
        Alias("train_speed(s/it)", "time/step_s"),
        Alias("train_speed(iter/s)", "throughput/updates_per_s", versions="2.x and 3.x"),
        Alias("percentage", "progress/fraction", versions="2.x and 3.x"),
        Alias("steps[global_step/max_steps]", "progress/step", versions="2.x"),
        Alias("token_acc", "lm/token_accuracy", ("SFT", "PT")),
        Alias("seq_acc", "lm/sequence_accuracy", ("SFT",)),
        Alias("acc", "lm/token_accuracy", ("SFT", "decision")),
        Alias("loss_{channel}", "lm/loss", ("SFT",), labels={"channel": "{channel}"}),
        Alias("aux_loss", "lm/aux_loss", ("SFT", "DPO")),
        Alias("MFU", "throughput/mfu", note="total_flos / time / (measured peak * devices)"),
        Alias("reward", "reward/score_mean", ("GRPO",)),
        Alias("reward_std", "reward/group_std_mean", ("GRPO",), note="unbiased"),
        Alias("frac_reward_zero_std", "reward/zero_std_fraction", ("GRPO",)),
        Alias(
            "rewards/{func}/mean",
            "reward/component_mean",
            ("GRPO",),
            labels={"component": "{func}"},
        ),
        Alias(
            "rewards/{func}/std", "reward/component_std", ("GRPO",), labels={"component": "{func}"}
        ),
        Alias("kl", "policy/kl_ref", ("GRPO",), note="token mean"),
        Alias("teacher_kl", "distill/kl", ("GRPO", "OPD")),
        Alias("completions/mean_length", "length/response_mean", ("GRPO",)),
        Alias("completions/min_length", "length/response_min", ("GRPO",)),
        Alias("completions/max_length", "length/response_max", ("GRPO",)),
        Alias("completions/clipped_ratio", "length/response_clip_ratio", ("GRPO",)),
        Alias("num_turns", "agent/turns_mean", ("GRPO multi-turn",)),
        Alias("entropy/mean", "policy/entropy", ("GRPO",)),
        Alias("entropy/max", "policy/entropy_max", ("GRPO",)),
        Alias("entropy/min", "policy/entropy_min", ("GRPO",)),
        Alias("entropy/threshold", "policy/entropy_threshold", ("GRPO",)),
        Alias("clip_ratio/low_mean", "policy/clip_fraction_low", ("GRPO",)),
        Alias("clip_ratio/low_min", "policy/clip_fraction_low_min", ("GRPO",)),
        Alias("clip_ratio/high_mean", "policy/clip_fraction_high", ("GRPO",)),
        Alias("clip_ratio/high_max", "policy/clip_fraction_high_max", ("GRPO",)),
        Alias("clip_ratio/region_mean", "policy/clip_fraction", ("GRPO",)),
        Alias("cispo_clip_ratio", "policy/clip_fraction", ("GRPO",), labels={"kind": "cispo"}),
        Alias("rollout_correction/kl", "mismatch/kl", ("GRPO",), note="masked mean"),
        Alias("rollout_correction/k3_kl", "mismatch/k3_kl", ("GRPO",)),
        Alias("rollout_correction/training_ppl", "mismatch/ppl_train", ("GRPO",)),
        Alias("rollout_correction/rollout_ppl", "mismatch/ppl_rollout", ("GRPO",)),
        Alias("rollout_correction/log_ppl_diff", "mismatch/log_ppl_diff_mean", ("GRPO",)),
        Alias("rollout_correction/ppl_ratio", "mismatch/ppl_ratio", ("GRPO",)),
        Alias("rollout_correction/chi2_token", "mismatch/chi2_token", ("GRPO",)),
        Alias("rollout_correction/chi2_seq", "mismatch/chi2_sequence", ("GRPO",)),
        Alias("rollout_correction/is_weight_mean", "mismatch/is_weight_mean", ("GRPO",)),
        Alias("rollout_correction/ess", "mismatch/effective_sample_size", ("GRPO",)),
        Alias("rollout_correction/clipped_frac", "mismatch/masked_fraction", ("GRPO",)),
        Alias("fipo/{key}", None, ("FIPO",)),
        Alias("rewards/chosen", "preference/chosen_reward", DPO_KTO_ORPO, note="as TRL"),
        Alias("rewards/rejected", "preference/rejected_reward", DPO_KTO_ORPO, note="as TRL"),
        Alias("rewards/accuracies", "preference/accuracy", ("DPO", "ORPO", "CPO", "SimPO")),
        Alias("rewards/margins", "preference/margin", DPO_KTO_ORPO),
        Alias("logps/chosen", "preference/chosen_logprob", DPO_KTO_ORPO),
        Alias("logps/rejected", "preference/rejected_logprob", DPO_KTO_ORPO),
        Alias("logps_mean/{split}", None, ("DPO",)),
        Alias("logits/chosen", "preference/chosen_logits", DPO_KTO_ORPO),
        Alias("logits/rejected", "preference/rejected_logits", DPO_KTO_ORPO),
        Alias("nll_loss", "preference/nll_loss", ("DPO", "CPO", "ORPO")),
        Alias("rewards/chosen", "rm/score_chosen_mean", ("RM",)),
        Alias("rewards/rejected", "rm/score_rejected_mean", ("RM",)),
        Alias("rewards/accuracies", "rm/accuracy", ("RM",)),
        Alias("rewards/margins", "rm/margin", ("RM",)),
        Alias("center_rewards_loss", "rm/center_loss", ("RM",)),
        *aliases(
            """
            mismatch/log_ppl_diff_abs: rollout_correction/log_ppl_abs_diff
            mismatch/log_ppl_diff_max: rollout_correction/log_ppl_diff_max
            mismatch/log_ppl_diff_min: rollout_correction/log_ppl_diff_min
            none (the logarithm of the perplexity that is bound): rollout_correction/rollout_log_ppl
            none (weights of single algorithms): future_kl | influence_weight | rlsd_lambda | sdar/coef
            none (counters of its own bookkeeping): n_steps | record_acc | rollout_correction
            """
        ),
    ),
)
