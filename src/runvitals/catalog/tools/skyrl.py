"""Names that SkyRL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Alias, Framework

KL_IN_REWARD = ("KL in reward",)
OFF_POLICY_CORRECTION = ("off-policy correction",)

FRAMEWORK = Framework(
    id="skyrl",
    title="SkyRL",
    version="0.3.0 (repository snapshot 2026-08-21, wheel 0.3.0)",
    kind="llm",
    marks=("reward/avg_raw_reward",),
    aliases=(
        Alias("trainer/global_step", "progress/step"),
        Alias("trainer/epoch", "progress/epoch"),
        Alias("trainer/tokens_per_second_per_gpu", "throughput/train_tokens_per_s_per_device"),
        Alias("reward/avg_raw_reward", "reward/score_mean"),
        Alias("reward/avg_pass_at_{n}", "reward/group_any_correct_fraction", labels={"n": "{n}"}),
        Alias("reward/mean_positive_reward", "reward/positive_mean"),
        Alias("reward/num_zero_variance_filtered", "data/groups_filtered", ("GRPO",)),
        Alias("loss/avg_final_rewards", "reward/mean", note="mean of token sums"),
        Alias("loss/avg_raw_advantages", "advantage/mean"),
        Alias("loss/avg_raw_advantages_abs", "advantage/abs_mean"),
        Alias("loss/avg_kl", "policy/kl_ref", KL_IN_REWARD, note="k1, abs, k2 or k3"),
        Alias("loss/avg_kl_max", "policy/kl_ref_max", KL_IN_REWARD),
        Alias("loss/kl_loss_coef", "policy/kl_coef", KL_IN_REWARD),
        Alias("policy/final_loss", "policy/loss_total"),
        Alias("policy/policy_loss", "policy/loss"),
        Alias("policy/policy_entropy", "policy/entropy", note="masked mean"),
        Alias("policy/policy_kl", "policy/kl_ref", ("KL loss",), note="mean of sequence means"),
        Alias("policy/policy_lr", "policy/learning_rate"),
        Alias("policy/grad_norm", "policy/grad_norm"),
        Alias("policy/response_length", None),
        Alias("policy/loss_metrics/clip_ratio", "policy/clip_fraction", note="masked mean"),
        Alias(
            "policy/loss_metrics/cispo/ratio_mean",
            "policy/ratio_mean",
            ("CISPO",),
            note="masked mean",
        ),
        Alias("policy/loss_metrics/cispo/ratio_max", "policy/ratio_max", ("CISPO",)),
        Alias("policy/loss_metrics/cispo/ratio_min", "policy/ratio_min", ("CISPO",)),
        Alias(
            "policy/loss_metrics/cispo/ratio_clamped_mean", "policy/ratio_clamped_mean", ("CISPO",)
        ),
        Alias(
            "policy/loss_metrics/is_ratio_mean", "mismatch/is_weight_mean", OFF_POLICY_CORRECTION
        ),
        Alias("policy/loss_metrics/is_ratio_std", "mismatch/is_weight_std", OFF_POLICY_CORRECTION),
        Alias("policy/loss_metrics/is_ratio_max", "mismatch/is_weight_max", OFF_POLICY_CORRECTION),
        Alias("policy/loss_metrics/is_ratio_min", "mismatch/is_weight_min", OFF_POLICY_CORRECTION),
        Alias(
            "policy/loss_metrics/tis_token_clip_high_ratio",
            "mismatch/is_weight_fraction_high",
            OFF_POLICY_CORRECTION,
            labels={"level": "token"},
        ),
        Alias(
            "policy/loss_metrics/tis_seq_clip_high_ratio",
            "mismatch/is_weight_fraction_high",
            OFF_POLICY_CORRECTION,
            labels={"level": "sequence"},
        ),
        Alias(
            "policy/loss_metrics/{kind}_masked_ratio",
            "mismatch/masked_fraction",
            OFF_POLICY_CORRECTION,
            labels={"kind": "{kind}"},
        ),
        Alias("policy/rollout_train_logprobs_abs_diff_mean", "mismatch/logprob_diff_mean"),
        Alias("policy/rollout_train_logprobs_abs_diff_max", "mismatch/logprob_diff_max"),
        Alias("policy/rollout_train_logprobs_abs_diff_std", "mismatch/logprob_diff_std"),
        Alias("policy/rollout_train_logprobs_abs_diff_min", None),
        Alias(
            "policy/minibatch_rollout_logprobs_abs_diff_mean",
            "mismatch/logprob_diff_mean",
            labels={"level": "minibatch"},
        ),
        Alias("critic/critic_loss", "value/loss", ("PPO",), note="0.5*mean of sequence means"),
        Alias("critic/values_mean", "value/pred_mean", ("PPO",)),
        Alias("critic/values_clipfrac", "value/clip_fraction", ("PPO",)),
        Alias("critic/critic_lr", "value/learning_rate", ("PPO",)),
        Alias("critic/grad_norm", "value/grad_norm", ("PPO",)),
        Alias("generate/avg_num_tokens", "length/response_mean"),
        Alias("generate/min_num_tokens", "length/response_min"),
        Alias("generate/max_num_tokens", "length/response_max"),
        Alias("generate/std_num_tokens", "length/response_std"),
        Alias("generate/avg_tokens_non_zero_rewards", "length/response_correct_mean"),
        Alias("generate/avg_tokens_zero_rewards", "length/response_incorrect_mean"),
        Alias(
            "generate/avg_assistant_tokens", "length/response_mean", labels={"subset": "assistant"}
        ),
        Alias("generate/tokens_per_turn_mean", "agent/tokens_per_turn_mean", ("multi-turn",)),
        Alias(
            "generate/trajectory_time_{part}_mean",
            "time/generation_sample_mean_s",
            labels={"part": "{part}"},
        ),
        Alias(
            "generate/trajectory_time_{part}_max",
            "time/generation_sample_max_s",
            labels={"part": "{part}"},
        ),
        Alias(
            "generate/group_completion_time_mean",
            "time/generation_sample_mean_s",
            ("async",),
            labels={"part": "group"},
        ),
        Alias("generate/intra_group_completion_time_cv_mean", None, ("async",)),
        Alias("generate/batch_num_seq", "data/samples_per_step"),
        Alias("generate/batch_padded_seq_len", None),
        Alias("environment/{key}", None, ("environments",)),
        Alias(
            "eval/{data_source}/avg_score",
            "eval/score_mean",
            ("evaluation",),
            labels={"dataset": "{data_source}"},
        ),
        Alias(
            "eval/{data_source}/pass_at_{n}",
            "eval/any_correct_at_n",
            ("evaluation",),
            labels={"dataset": "{data_source}", "n": "{n}"},
            note="mean(any)",
        ),
        Alias(
            "eval/{data_source}/mean_positive_reward",
            "eval/reward/positive_mean",
            ("evaluation",),
            labels={"dataset": "{data_source}"},
        ),
        Alias("async/staleness_mean", "async/staleness_mean", ("async",)),
        Alias("async/staleness_max", "async/staleness_max", ("async",)),
        Alias("async/staleness_min", "async/staleness_min", ("async",)),
        Alias("async/staleness_ratio", None, ("async",)),
        Alias("async/staleness_violation_count", None, ("async",)),
        Alias("async/keep_rate", "async/accepted_fraction", ("async",)),
        Alias(
            "async/num_groups_dropped",
            "data/groups_filtered",
            ("async",),
            labels={"reason": "stale"},
        ),
        Alias("async/gen_buffer_qsize_at_wait_start", "async/queue_size", ("async",)),
        Alias("timing/step", "time/step_s"),
        Alias("timing/generate", "time/generation_s"),
        Alias("timing/fwd_logprobs_values_reward", "time/logprob_s"),
        Alias("timing/compute_advantages_and_returns", "time/advantage_s"),
        Alias("timing/policy_train", "time/policy_update_s"),
        Alias("timing/critic_train", "time/value_update_s", ("PPO",)),
        Alias("timing/train_critic_and_policy", "time/training_s"),
        Alias("timing/sync_weights", "time/weight_sync_s"),
        Alias("timing/save_checkpoints", "time/checkpoint_s"),
        Alias("timing/eval", "time/eval_s"),
        Alias("timing/data_loading", "time/data_s"),
        Alias("timing/{stage}", "time/stage_s", labels={"stage": "{stage}"}),
        Alias("train/loss", "lm/loss", ("SFT",)),
        Alias("train/grad_norm", "optim/grad_norm", ("SFT",)),
        Alias("train/tokens_per_second", "throughput/tokens_per_s", ("SFT",)),
        Alias(
            "train/tokens_per_second_per_gpu",
            "throughput/tokens_per_s_per_device",
            ("SFT",),
            note="/ GPUs",
        ),
        Alias("train/actual_num_tokens", "data/tokens_per_step", ("SFT",)),
        Alias("train/total_tokens_processed", "progress/tokens", ("SFT",)),
        Alias("{dataset}/loss", "eval/loss", ("SFT",), labels={"dataset": "{dataset}"}),
        *aliases(
            """
            eval/any_correct_at_n: eval/all/pass_at_{n} | eval/{dataset}/pass_at_{n}
            mismatch/masked_fraction: policy/{kind}_masked_ratio
            time/generation_sample_mean_s: generate/trajectory_completion_time_mean
            time/generation_sample_max_s: generate/trajectory_completion_time_max
            none (a statistic of groups or merged turns): generate/group_completion_time_{stat}
                | generate/intra_group_completion_time_{stat} | generate/num_seq_{when}_merge
                | generate/tokens_per_turn_{stat} | generate/trajectory_completion_time_p90
            none (of batches that were not trained on): reward_dropped/{what}
            none (one layer): moe/{what}
            none (how batches are laid out, or what stopped): train/batch_padded_seq_len
                | generate/{stat}_assistant_tokens | error/tracebacks | skyrl.ai/{what}
            system/memory_used_gb: ray/cpu_ram_used_gb.avg
            progress/epoch: train/epoch
            none (which bound masked a sample): policy/{kind}_over_high_ratio
                | policy/{kind}_under_low_ratio | policy/tis_{level}_clip_high_ratio
            """
        ),
    ),
)
