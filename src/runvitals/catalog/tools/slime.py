"""Names that slime logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Alias, Framework

PPO_GRPO_GSPO = ("PPO", "GRPO", "GSPO", "CISPO", "REINFORCE++")
SPECULATIVE_DECODING = ("speculative decoding",)

FRAMEWORK = Framework(
    id="slime",
    title="slime",
    version="repository snapshot 2026-08-21 (the PyPI name slime 0.0.0 is another package)",
    kind="llm",
    aliases=(
        Alias("train/loss", "policy/loss_total", PPO_GRPO_GSPO),
        Alias("train/pg_loss", "policy/loss", PPO_GRPO_GSPO),
        Alias(
            "train/pg_clipfrac", "policy/clip_fraction", PPO_GRPO_GSPO, note="mean of sample means"
        ),
        Alias("train/ppo_kl", "policy/kl_old", PPO_GRPO_GSPO, note="mean(old - new)"),
        Alias("train/entropy_loss", "policy/entropy", PPO_GRPO_GSPO, note="mean of sample means"),
        Alias("train/kl_loss", "policy/kl_ref", PPO_GRPO_GSPO, note="k1, k2, k3, low_var_kl"),
        Alias("train/train_rollout_logprob_abs_diff", "mismatch/logprob_diff_mean"),
        Alias("train/ois", "policy/ratio_mean"),
        Alias("train/tis", "mismatch/is_weight_mean"),
        Alias("train/tis_clipfrac", "mismatch/masked_fraction", labels={"kind": "tis"}),
        Alias("train/tis_abs", None),
        Alias("train/opsm_clipfrac", "mismatch/masked_fraction", labels={"kind": "opsm"}),
        Alias("train/opd_reverse_kl", "distill/kl", ("OPD",)),
        Alias("train/grad_norm", "policy/grad_norm"),
        Alias("train/lr-pg_{i}", "policy/learning_rate", labels={"i": "{i}"}),
        Alias("train/global_batch_size", "data/samples_per_step"),
        Alias("train/mtp_loss", None, ("MTP",)),
        Alias(
            "train/critic-value_loss", "value/loss", ("PPO",), note="mean of sample means(max(...))"
        ),
        Alias("train/critic-value_clipfrac", "value/clip_fraction", ("PPO",)),
        Alias("train/critic-grad_norm", "value/grad_norm", ("PPO",)),
        Alias("train/critic-lr-pg_{i}", "value/learning_rate", ("PPO",), labels={"i": "{i}"}),
        Alias("train/loss", "lm/loss", ("SFT",)),
        Alias("rollout/rewards", "reward/mean"),
        Alias("rollout/raw_reward", "reward/score_mean"),
        Alias("rollout/response_lengths", "length/response_mean"),
        Alias("rollout/total_lengths", "length/total_mean"),
        Alias("rollout/truncated", "length/response_clip_ratio"),
        Alias("rollout/advantages", "advantage/mean"),
        Alias("rollout/returns", "returns/mean"),
        Alias("rollout/values", "value/mean", ("PPO",)),
        Alias("rollout/log_probs", "policy/logprob_mean"),
        Alias("rollout/ref_log_probs", "policy/logprob_ref_mean"),
        Alias("rollout/rollout_log_probs", None),
        Alias("rollout/kl", "policy/kl_ref", labels={"measured": "rollout"}),
        Alias("rollout/entropy", "policy/entropy", labels={"measured": "rollout"}),
        Alias("rollout/response_len/mean", "length/response_mean", labels={"source": "samples"}),
        Alias("rollout/response_len/median", "length/response_median"),
        Alias("rollout/response_len/max", "length/response_max"),
        Alias("rollout/response_len/min", "length/response_min"),
        Alias("rollout/zero_std/count_{reward}", None, ("GRPO-like",)),
        Alias("rollout/repetition_frac", "length/repetition_fraction"),
        Alias(
            "rollout/truncated_ratio", "length/response_clip_ratio", labels={"source": "samples"}
        ),
        Alias("rollout/spec_accept_rate", "rollout/spec_accept_rate", SPECULATIVE_DECODING),
        Alias("rollout/spec_accept_length", "rollout/spec_accept_length", SPECULATIVE_DECODING),
        Alias("rollout/prefix_cache_hit_rate", "rollout/prefix_cache_hit_rate"),
        Alias("rollout/avg_cached_tokens_per_sample", None),
        Alias("rollout/error_cat/{category}", None),
        Alias("rollout/top_p_kept_vocab_per_token", None),
        Alias(
            "rollout/dynamic_filter/drop_{reason}",
            "data/groups_filtered",
            ("DAPO-style",),
            labels={"reason": "{reason}"},
        ),
        Alias(
            "multi_turn/raw_response_length/response_length_mean",
            "length/response_mean",
            ("multi-turn",),
            labels={"subset": "raw"},
        ),
        Alias(
            "multi_turn/raw_response_length/response_length_max",
            "length/response_max",
            ("multi-turn",),
            labels={"subset": "raw"},
        ),
        Alias(
            "multi_turn/raw_response_length/response_length_min",
            "length/response_min",
            ("multi-turn",),
            labels={"subset": "raw"},
        ),
        Alias(
            "multi_turn/raw_response_length/response_length_clip_ratio",
            "length/response_clip_ratio",
            ("multi-turn",),
            labels={"subset": "raw"},
        ),
        Alias(
            "multi_turn/wo_obs_response_length/response_length_mean",
            "length/response_mean",
            ("multi-turn",),
            labels={"subset": "without_observations"},
        ),
        Alias(
            "multi_turn/multi_turn_metric/round_number_mean", "agent/turns_mean", ("multi-turn",)
        ),
        Alias("passrate/pass@{k}", "reward/group_any_correct_fraction", labels={"k": "{k}"}),
        Alias("perf/rollout_time", "time/generation_s"),
        Alias("perf/tokens_per_gpu_per_sec", "throughput/generation_tokens_per_s_per_device"),
        Alias(
            "perf/effective_tokens_per_gpu_per_sec",
            "throughput/generation_tokens_per_s_per_device",
            labels={"kind": "effective"},
        ),
        Alias("perf/longest_sample_tokens_per_sec", None),
        Alias("perf/non_generation_time/mean", "time/tool_calls_s", ("agents",)),
        Alias("perf/train_time", "time/training_s"),
        Alias("perf/train_wait_time", "time/wait_s"),
        Alias("perf/step_time", "time/step_s"),
        Alias("perf/wait_time_ratio", "async/trainer_idle_fraction"),
        Alias("perf/actor_train_time", "time/policy_update_s"),
        Alias("perf/actor_train_tflops", "throughput/tflops_per_device"),
        Alias(
            "perf/actor_train_tok_per_s",
            "throughput/tokens_per_s",
            labels={"stage": "actor_train"},
        ),
        Alias("perf/log_probs_time", "time/old_logprob_s"),
        Alias("perf/log_probs_tflops", None),
        Alias("perf/ref_log_probs_time", "time/ref_logprob_s"),
        Alias("perf/{name}_time", "time/stage_s", labels={"stage": "{name}"}),
        Alias("perf/request/{field}/{stat}", None, ("SGLang",)),
        Alias(
            "eval/{dataset}", "eval/score_mean", ("evaluation",), labels={"dataset": "{dataset}"}
        ),
        Alias(
            "eval/{dataset}-truncated_ratio",
            "eval/length/response_clip_ratio",
            ("evaluation",),
            labels={"dataset": "{dataset}"},
        ),
        Alias(
            "eval/{dataset}-pass@{k}",
            "eval/pass_at_k",
            ("evaluation",),
            labels={"dataset": "{dataset}", "k": "{k}"},
            note="1 - C(n-c,k)/C(n,k)",
        ),
        Alias(
            "eval/{dataset}/response_len/mean",
            "eval/length/response_mean",
            ("evaluation",),
            labels={"dataset": "{dataset}"},
        ),
        *aliases(
            """
            rollout/running_requests: inflight_size
            none (bytes on the wire): perf/update_weights_density | perf/update_weights_wire_bytes
            none (counts since the start): total_finished_reqs | total_finished_tokens
            none (the loss of the draft heads): train/mtp_loss | train/mtp_{i}_loss
            """
        ),
    ),
)
