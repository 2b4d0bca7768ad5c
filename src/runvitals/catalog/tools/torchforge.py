"""Names that torchforge logs, and the metrics they are."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="torchforge",
    title="torchforge",
    version="0.1.0 (repository snapshot 2025-11-15)",
    names=("forge",),
    kind="llm",
    aliases=(
        Alias("rl_trainer/avg_loss", "policy/loss_total", ("GRPO",)),
        Alias("rl_trainer/learning_rate", "policy/learning_rate", ("GRPO",)),
        Alias("rl_trainer_perf/step/total_duration_avg_s", "time/training_s", ("GRPO",)),
        Alias(
            "rl_trainer_perf/step/{part}/duration_avg_s",
            "time/stage_s",
            ("GRPO",),
            labels={"stage": "trainer/{part}"},
        ),
        Alias(
            "rl_trainer_perf/step/memory_peak_max_gb", "system/gpu_memory_allocated_gb", ("GRPO",)
        ),
        Alias("rl_trainer_perf/push_weights/total_duration_avg_s", "time/weight_sync_s", ("GRPO",)),
        Alias("generator/generate/count_requests", None, ("GRPO",)),
        Alias("generator/generate/count_sequences_completed", "data/samples_per_step", ("GRPO",)),
        Alias("generator/generate/sum_tokens_generated", "data/tokens_per_step", ("GRPO",)),
        Alias("generator/generate/avg_tokens_generated", "length/response_mean", ("GRPO",)),
        Alias(
            "generator_perf/generate/total_duration_avg_s",
            "time/generation_sample_mean_s",
            ("GRPO",),
        ),
        Alias(
            "generator_perf/generate/total_duration_max_s",
            "time/generation_sample_max_s",
            ("GRPO",),
        ),
        Alias(
            "generator_perf/update_weights/avg_pending_requests",
            "rollout/waiting_requests",
            ("GRPO",),
        ),
        Alias("generator/update_weights/count_weight_updates", None, ("GRPO",)),
        Alias(
            "buffer/add/count_episodes_added",
            "data/samples_per_step",
            ("GRPO",),
            labels={"where": "buffer"},
        ),
        Alias("buffer/sample/avg_sampled_policy_age", "async/staleness_mean", ("GRPO",)),
        Alias("buffer/sample/max_sampled_policy_age", "async/staleness_max", ("GRPO",)),
        Alias("buffer/sample/min_sampled_policy_age", "async/staleness_min", ("GRPO",)),
        Alias("buffer/sample/avg_data_utilization", None, ("GRPO",)),
        Alias("buffer/sample/avg_buffer_utilization", None, ("GRPO",)),
        Alias("buffer/evict/sum_episodes_evicted", "async/dropped_samples", ("GRPO",)),
        Alias(
            "reward/evaluate_response/avg_{func}_reward",
            "reward/component_mean",
            ("GRPO",),
            labels={"component": "{func}"},
        ),
        Alias(
            "reward/evaluate_response/std_{func}_reward",
            "reward/component_std",
            ("GRPO",),
            labels={"component": "{func}"},
        ),
        Alias("reward/evaluate_response/sum_{func}_reward", None, ("GRPO",)),
        Alias("reward/evaluate_response/count_{func}_calls", None, ("GRPO",)),
        Alias("reward/evaluate_response/avg_total_reward", "reward/score_mean", ("GRPO",)),
        Alias("reference_perf/forward/total_duration_avg_s", "time/ref_logprob_s", ("GRPO",)),
        Alias(
            "reference_perf/forward/avg_sequence_length",
            "length/total_mean",
            ("GRPO",),
            labels={"where": "reference"},
        ),
        Alias(
            "main_perf/continuous_rollouts/{part}/duration_avg_s",
            "time/stage_s",
            ("GRPO",),
            labels={"stage": "rollouts/{part}"},
        ),
        Alias(
            "main_perf/continuous_training/{part}/duration_avg_s",
            "time/stage_s",
            ("GRPO",),
            labels={"stage": "training/{part}"},
        ),
        Alias(
            "main_perf/continuous_training/waiting_for_buffer/duration_avg_s",
            "time/wait_s",
            ("GRPO",),
        ),
        Alias("main/continuous_rollouts/count_rollout_iterations", None, ("GRPO",)),
        Alias("dataset/sample/current_epoch", "progress/epoch", ("GRPO",)),
        Alias("dataset/sample/avg_sample_len", None, ("GRPO",)),
        Alias("ForgeSFTRecipe/train_step/loss", "lm/loss", ("SFT",)),
        Alias("ForgeSFTRecipe/train/step", "progress/step", ("SFT",)),
        Alias(
            "dataset/{name}/tokens_processed",
            "data/tokens_per_step",
            ("SFT",),
            labels={"name": "{name}"},
        ),
        Alias(
            "dataset/{name}/mean_seq_len", "length/total_mean", ("SFT",), labels={"name": "{name}"}
        ),
        Alias(
            "dataset/{name}/pct_of_tokens_padded",
            "data/padding_fraction",
            ("SFT",),
            labels={"name": "{name}"},
            scale=0.01,
        ),
        Alias("dataset/{name}/num_epochs", "progress/epoch", ("SFT",), labels={"name": "{name}"}),
    ),
)
