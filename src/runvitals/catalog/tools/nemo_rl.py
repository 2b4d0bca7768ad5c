"""Names that NeMo-RL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Alias, Framework

GRPO_DYNAMIC_SAMPLING = ("GRPO dynamic sampling",)
ASYNC_GRPO_ASYNC_PPO = ("async GRPO", "async PPO")

FRAMEWORK = Framework(
    id="nemo-rl",
    title="NeMo-RL",
    version="0.6.0 (repository snapshot 2026-08-22)",
    names=("nemo",),
    kind="llm",
    aliases=(
        Alias("loss", "policy/loss_total", ("GRPO", "PPO")),
        Alias("grad_norm", "policy/grad_norm", ("GRPO", "PPO")),
        Alias("lr", "policy/learning_rate"),
        Alias("wd", "optim/weight_decay"),
        Alias("reward", "reward/mean", ("GRPO", "PPO")),
        Alias(
            "filtered_reward", "reward/mean", GRPO_DYNAMIC_SAMPLING, labels={"subset": "filtered"}
        ),
        Alias("advantages/mean", "advantage/mean", ("GRPO", "PPO")),
        Alias("advantages/max", "advantage/max", ("GRPO", "PPO")),
        Alias("advantages/min", "advantage/min", ("GRPO", "PPO")),
        Alias("advantages/sum", "advantage/sum", ("GRPO",)),
        Alias("baseline_reward/pct_0", "reward/group_all_wrong_fraction", ("GRPO",), scale=0.01),
        Alias("baseline_reward/pct_1", "reward/group_all_correct_fraction", ("GRPO",), scale=0.01),
        Alias("baseline_reward/pct_mixed", "reward/group_mixed_fraction", ("GRPO",), scale=0.01),
        Alias("probs_ratio", "policy/ratio_mean", ("GRPO", "PPO"), note="token mean"),
        Alias("probs_ratio_min", "policy/ratio_min", ("GRPO", "PPO")),
        Alias("probs_ratio_max", "policy/ratio_max", ("GRPO", "PPO")),
        Alias("probs_ratio_clamped", "policy/ratio_clamped_mean", ("GRPO", "PPO")),
        Alias("probs_ratio_clamped_min", None, ("GRPO", "PPO")),
        Alias("probs_ratio_clamped_max", None, ("GRPO", "PPO")),
        Alias("kl_penalty", "policy/kl_ref", ("GRPO", "PPO"), note="token or sequence mean"),
        Alias("token_mult_prob_error", "mismatch/mult_prob_error", ("GRPO", "PPO")),
        Alias("gen_kl_error", "mismatch/k3_kl", ("GRPO", "PPO")),
        Alias("policy_kl_error", "mismatch/kl_reverse", ("GRPO", "PPO")),
        Alias("js_divergence_error", "mismatch/js_divergence", ("GRPO", "PPO")),
        Alias("sampling_importance_ratio", "mismatch/is_weight_mean", ("GRPO", "PPO")),
        Alias("is_oob_ratio", "mismatch/masked_fraction", ("GRPO", "PPO")),
        Alias(
            "approx_entropy", "policy/entropy", ("GRPO", "PPO"), note="-mean(exp(cur - gen)*cur)"
        ),
        Alias("positive_nll_loss", "policy/loss_positive_nll", ("VAPO",)),
        Alias("num_valid_samples", "data/samples_per_step"),
        Alias("global_valid_toks", "data/tokens_per_step", labels={"scope": "global"}),
        Alias("global_valid_seqs", "data/samples_per_step", labels={"scope": "global"}),
        Alias("mean_prompt_length", "length/prompt_mean", ("GRPO", "PPO")),
        Alias("total_num_tokens", "data/tokens_per_step", ("GRPO", "PPO")),
        Alias("max_seq_mult_prob_error", None, ("GRPO", "PPO")),
        Alias("num_masked_seqs_by_logprob_error", None, ("GRPO", "PPO")),
        Alias("masked_correct_pct", None, ("GRPO", "PPO")),
        Alias("dynamic_sampling_num_gen_batches", "data/generation_batches", GRPO_DYNAMIC_SAMPLING),
        Alias("dynamic_sampling_num_discarded_valid_samples", None, GRPO_DYNAMIC_SAMPLING),
        Alias("invalid_tool_call_rate", "agent/invalid_tool_call_rate", ("agents",)),
        Alias("malformed_thinking_rate", None, ("agents",)),
        Alias("buffer_size", "async/queue_size", ASYNC_GRPO_ASYNC_PPO),
        Alias("avg_trajectory_age", "async/staleness_mean", ASYNC_GRPO_ASYNC_PPO),
        Alias("total_turns", None, ("rollout",)),
        Alias("avg_turns_per_sample", "agent/turns_mean", ("rollout",)),
        Alias("max_turns_per_sample", "agent/turns_max", ("rollout",)),
        Alias("turns_per_sample/p95", None, ("rollout",)),
        Alias("natural_termination_rate", "length/stop_rate", ("rollout",)),
        Alias("truncation_rate", "length/response_clip_ratio", ("rollout",), note="ratio"),
        Alias("max_turns_reached_rate", "agent/turn_limit_rate", ("rollout",)),
        Alias("mean_total_tokens_per_sample", "length/total_mean", ("rollout",)),
        Alias("mean_gen_tokens_per_sample", "length/response_mean", ("rollout",)),
        Alias("max_gen_tokens_per_sample", "length/response_max", ("rollout",)),
        Alias("mean_env_tokens_per_sample", "agent/env_tokens_mean", ("rollout",)),
        Alias("max_gen_tokens_per_turn/mean", "agent/tokens_per_turn_mean", ("rollout",)),
        Alias("mean_total_reward", "reward/score_mean", ("rollout",)),
        Alias("max_total_reward", "reward/score_max", ("rollout",)),
        Alias("min_total_reward", "reward/score_min", ("rollout",)),
        Alias("{agent}/{key}/{stat}", None, ("NeMo-Gym",)),
        Alias("moe/{name}", None, ("MoE",)),
        Alias("critic/loss", "value/loss", ("PPO",), note="clipped squared error"),
        Alias("critic/grad_norm", "value/grad_norm", ("PPO",)),
        Alias("critic/lr", "value/learning_rate", ("PPO",)),
        Alias("critic/vf_clipfrac", "value/clip_fraction", ("PPO",)),
        Alias("critic/returns_mean", "returns/mean", ("PPO",)),
        Alias("critic/values_mean", "value/mean", ("PPO",)),
        Alias("critic/values_min", "value/min", ("PPO",)),
        Alias("critic/values_max", "value/max", ("PPO",)),
        Alias("critic/residual_sq_mean", "value/error", ("PPO",)),
        Alias("critic/returns_sq_mean", None, ("PPO",)),
        Alias(
            "critic/explained_var",
            "value/explained_variance",
            ("PPO",),
            note="1 - var(R - V)/max(var(R), 1e-8), population variances",
        ),
        Alias("validation/accuracy", "eval/score_mean", ("GRPO", "PPO")),
        Alias("validation/avg_length", "eval/length/response_mean", ("GRPO", "PPO")),
        Alias("validation/pass_k", "eval/any_correct_at_n", ("GRPO", "PPO"), note="mean(any)"),
        Alias("loss", "preference/loss", ("DPO",)),
        Alias("preference_loss", "preference/loss", ("DPO",)),
        Alias("sft_loss", "preference/nll_loss", ("DPO",)),
        Alias("accuracy", "preference/accuracy", ("DPO",), note="mean(rc > rr)"),
        Alias(
            "rewards_chosen_mean",
            "preference/chosen_reward",
            ("DPO",),
            note="other frameworks multiply by beta",
        ),
        Alias(
            "rewards_rejected_mean",
            "preference/rejected_reward",
            ("DPO",),
            note="other frameworks multiply by beta",
        ),
        Alias("loss", "rm/loss", ("RM",)),
        Alias("accuracy", "rm/accuracy", ("RM",)),
        Alias("rewards_chosen_mean", "rm/score_chosen_mean", ("RM",)),
        Alias("rewards_rejected_mean", "rm/score_rejected_mean", ("RM",)),
        Alias("validation-{dataset}/{metric}", None, ("DPO", "RM")),
        Alias("loss", "lm/loss", ("SFT",)),
        Alias("num_unmasked_tokens", "data/tokens_per_step", ("SFT",)),
        Alias("validation/val_loss", "eval/loss", ("SFT",)),
        Alias(
            "train_fp_utilization",
            "throughput/mfu",
            ("SFT", "DPO", "RM"),
            note="FLOP/s / theoretical",
        ),
        Alias("loss", "distill/loss", ("distillation",)),
        Alias("timing/train/total_step_time", "time/step_s"),
        Alias("timing/train/generation", "time/generation_s", ("GRPO", "PPO")),
        Alias("timing/train/exposed_generation", "time/wait_s", ("async",)),
        Alias("timing/train/policy_training", "time/policy_update_s"),
        Alias("timing/train/policy_and_reference_logprobs", "time/logprob_s", ("GRPO", "PPO")),
        Alias("timing/train/value_inference", "time/value_s", ("PPO",)),
        Alias("timing/train/value_training", "time/value_update_s", ("PPO",)),
        Alias("timing/train/reward_calculation", "time/reward_s", ("GRPO", "PPO")),
        Alias("timing/train/advantage_calculation", "time/advantage_s", ("GRPO", "PPO")),
        Alias("timing/train/weight_sync", "time/weight_sync_s", ("GRPO", "PPO")),
        Alias(
            "timing/train/prepare_for_generation/total",
            "time/weight_sync_s",
            ("GRPO", "PPO"),
            labels={"stage": "prepare_for_generation"},
        ),
        Alias("timing/train/data_processing", "time/data_processing_s"),
        Alias("timing/train/checkpointing", "time/checkpoint_s"),
        Alias("timing/train/{stage}", "time/stage_s", labels={"stage": "{stage}"}),
        Alias(
            "timing/train/valid_tokens_per_sec_per_gpu",
            "throughput/tokens_per_s_per_device",
            labels={"subset": "valid"},
            note="global_valid_toks / step time / GPUs",
        ),
        Alias("timing/validation/total_validation_time", "time/eval_s"),
        Alias(
            "performance/tokens_per_sec_per_gpu",
            "throughput/tokens_per_s_per_device",
            ("GRPO", "PPO"),
            note="tokens / step time / GPUs",
        ),
        Alias("performance/tokens_per_sec", "throughput/tokens_per_s", ("GRPO", "PPO")),
        Alias("performance/samples_per_sec", "throughput/samples_per_s", ("GRPO", "PPO")),
        Alias(
            "performance/samples_per_sec_per_gpu",
            "throughput/samples_per_s_per_device",
            ("GRPO", "PPO"),
        ),
        Alias(
            "performance/policy_training_tokens_per_sec_per_gpu",
            "throughput/train_tokens_per_s_per_device",
            ("GRPO", "PPO"),
        ),
        Alias(
            "performance/policy_and_reference_logprobs_tokens_per_sec_per_gpu",
            "throughput/logprob_tokens_per_s_per_device",
            ("GRPO", "PPO"),
        ),
        Alias(
            "performance/training_worker_group_tokens_per_sec_per_gpu",
            "throughput/train_tokens_per_s_per_device",
            ("GRPO", "PPO"),
            labels={"group": "training"},
        ),
        Alias(
            "performance/training_worker_group_tokens_per_sec",
            "throughput/tokens_per_s",
            ("GRPO", "PPO"),
            labels={"group": "training"},
        ),
        Alias(
            "performance/generation_tokens_per_sec_per_gpu",
            "throughput/generation_tokens_per_s_per_device",
            ("GRPO", "PPO"),
        ),
        Alias(
            "performance/generation_tokens_per_sec",
            "throughput/generation_tokens_per_s",
            ("GRPO", "PPO"),
        ),
        Alias("performance/train_flops_per_gpu", "throughput/tflops_per_device", ("GRPO", "PPO")),
        Alias(
            "performance/train_fp_utilization",
            "throughput/mfu",
            ("GRPO", "PPO"),
            note="TFLOP/s / theoretical",
        ),
        Alias("performance/average_token_imbalance", "balance/token_imbalance", ("GRPO", "PPO")),
        Alias(
            "performance/training_worker_idle_time_ratio", "async/trainer_idle_fraction", ("async",)
        ),
        Alias(
            "ray/node.{i}.gpu.{j}.util",
            "system/gpu_utilization_percent",
            labels={"i": "{i}", "j": "{j}"},
        ),
        Alias(
            "ray/node.{i}.gpu.{j}.mem_gb",
            "system/gpu_memory_used_gb",
            labels={"i": "{i}", "j": "{j}"},
        ),
        Alias("ray/node.{i}.mem_gb", "system/memory_used_gb", labels={"i": "{i}"}),
        *aliases(
            """
            async/trainer_idle_fraction: performance/training_worker_idle_time_ratio
            throughput/tokens_per_s_per_device: performance/valid_tokens_per_sec_per_gpu
            rollout/running_requests: rollout/inflight
            time/stage_s: efficiency/{stage}_s
            time/ref_logprob_s: timing/teacher_logprob_time
            none (a count of what had to be done again): rollout/{what}_total
                | rollout/{what}_total/{kind} | rollout/max_consecutive_infra_drops
                | rollout/idle_s
            none (where the wall clock went, in percent): efficiency/{part}_pct
            none (whether routes could be replayed): r3/{what}
            none (distributions, not numbers): histogram/{what}
            none (which teacher answered): on_policy_distillation/{what}
            none (extremes of single trajectories): trajectory_duration_s/{stat}
                | max_gen_tokens_per_turn/{stat} | turns_per_sample/{stat}
                | trajectory_duration_s | turn_gen_tokens | turn_input_tokens | turn_total_tokens
            none (parts of the loss of single algorithms): ce_loss | kl_loss | kl_common | l1_uncommon
                | draft_loss | draft_grad_norm | proj_accuracy
            none (one half of the group, by length or reward): {stat}_length_{side}
                | mean_length_reward_low | mean_reward_low
            none (counts of messages): num_assistant_messages | num_invalid_tool_calls
                | num_malformed_thinking | num_mask_sample_filtered | num_pending_samples
            time/setup_s: total_setup_time_s
            none (one part of the set-up): {what}_init_time_s | other_setup_time_s | weight_t{what}
            none (where time or samples went, beside the shares that are bound): wasted/{what}
                | idle/{what} | exposed_generation | inflight_batch_sizes
                | per_worker_token_counts | num_ranks | selected_teacher | data_exhausted
                | inflight_workers | last_checkpoint_step | last_successful_ckpt_save_completion
            """
        ),
    ),
)
