"""Names that torchtune logs, and the metrics they are."""

from runvitals.model import Alias, Framework

SFT_LORA_QAT = ("SFT", "LoRA", "QAT")

FRAMEWORK = Framework(
    id="torchtune",
    title="torchtune",
    version="0.7.0 repository snapshot (2026-04)",
    kind="llm",
    aliases=(
        Alias("loss", "lm/loss", SFT_LORA_QAT),
        Alias("loss", "preference/loss", ("DPO",)),
        Alias("loss", "optim/loss", ("PPO",)),
        Alias("loss", "policy/loss_total", ("GRPO",)),
        Alias("val_loss", "eval/loss", SFT_LORA_QAT),
        Alias("lr", "optim/learning_rate"),
        Alias("grad_norm", "optim/grad_norm", ("SFT", "LoRA", "QAT", "GRPO")),
        Alias(
            "tokens_per_second_per_gpu",
            "throughput/tokens_per_s_per_device",
            ("SFT", "LoRA", "QAT", "DPO", "KD"),
            note="tokens / (time * devices)",
        ),
        Alias("peak_memory_active", "system/gpu_memory_active_gb"),
        Alias("peak_memory_alloc", "system/gpu_memory_allocated_gb"),
        Alias("peak_memory_reserved", "system/gpu_memory_reserved_gb"),
        Alias("rewards/chosen", "preference/chosen_reward", ("DPO",), note="beta*(pi - ref)"),
        Alias("rewards/rejected", "preference/rejected_reward", ("DPO",), note="beta*(pi - ref)"),
        Alias("rewards/accuracies", "preference/accuracy", ("DPO",)),
        Alias("rewards/margins", "preference/margin", ("DPO",), note="chosen - rejected"),
        Alias("log_probs/chosen", "preference/chosen_logprob", ("DPO",)),
        Alias("log_probs/rejected", "preference/rejected_logprob", ("DPO",)),
        Alias("logits/chosen", "preference/chosen_logits", ("DPO",)),
        Alias("logits/rejected", "preference/rejected_logits", ("DPO",)),
        Alias("class_loss", "lm/loss", ("KD",)),
        Alias("kd_loss", "distill/loss", ("KD",)),
        Alias("scores", "reward/score_mean", ("PPO",)),
        Alias("num_stop_tokens", "length/stop_token_count", ("PPO", "GRPO")),
        Alias("rlhf_reward", "reward/mean", ("PPO",), note="scores + kl_reward"),
        Alias("kl", "policy/kl_ref_sequence", ("PPO",), note="mean(sum(pi - ref))"),
        Alias("kl_reward", "reward/kl_penalty_mean", ("PPO",)),
        Alias("policy_loss", "policy/loss", ("PPO",)),
        Alias("value_loss", "value/loss", ("PPO",), note="0.5*masked mean(max(...))"),
        Alias("clipfrac", "policy/clip_fraction", ("PPO", "GRPO"), note="masked mean"),
        Alias("ratios", "policy/ratio_mean", ("PPO", "GRPO")),
        Alias(
            "approx_policy_kl", "policy/approx_kl", ("PPO", "GRPO"), note="0.5*mean((new-old)^2)"
        ),
        Alias("response_lengths", "length/response_mean", ("PPO", "GRPO")),
        Alias(
            "tokens_per_second_per_gpu_trajectory",
            "throughput/generation_tokens_per_s_per_device",
            ("PPO",),
        ),
        Alias(
            "tokens_per_second_per_gpu_ppo", "throughput/train_tokens_per_s_per_device", ("PPO",)
        ),
        Alias("rewards", "reward/mean", ("GRPO",)),
        Alias("successes", "outcome/success_rate", ("GRPO",)),
        Alias("policy_loss", "policy/loss", ("GRPO",), scale=-1.0),
        Alias("kl_loss", "policy/kl_ref", ("GRPO",), note="masked mean"),
        Alias("postprocessing_worker_rewards/rewards_mean", "reward/mean", ("async GRPO",)),
        Alias(
            "postprocessing_worker_rewards/successes_mean", "outcome/success_rate", ("async GRPO",)
        ),
        Alias(
            "queues/rollout_queue_size",
            "async/queue_size",
            ("async GRPO",),
            labels={"queue": "rollout"},
        ),
        Alias(
            "queues/train_replay_buffer_size",
            "async/queue_size",
            ("async GRPO",),
            labels={"queue": "replay"},
        ),
        Alias("queues/train_worker_policy_age_mean", "async/staleness_mean", ("async GRPO",)),
        Alias("train_worker_training/loss", "policy/loss_total", ("async GRPO",)),
        Alias("train_worker_training/policy_loss", "policy/loss", ("async GRPO",), scale=-1.0),
        Alias("train_worker_training/kl_loss", "policy/kl_ref", ("async GRPO",)),
        Alias("train_worker_training/ratios", "policy/ratio_mean", ("async GRPO",)),
        Alias("train_worker_training/clipfrac", "policy/clip_fraction", ("async GRPO",)),
        Alias("train_worker_training/approx_policy_kls", "policy/approx_kl", ("async GRPO",)),
        Alias("train_worker_training/response_lengths", "length/response_mean", ("async GRPO",)),
        Alias("train_worker_training/num_stop_tokens", "length/stop_token_count", ("async GRPO",)),
        Alias("train_worker_performance/total_step_time (s)", "time/step_s", ("async GRPO",)),
        Alias("train_worker_performance/time_grpo_steps (s)", "time/training_s", ("async GRPO",)),
        Alias(
            "train_worker_performance/time_weight_sync (s)", "time/weight_sync_s", ("async GRPO",)
        ),
        Alias("train_worker_performance/time_waiting_buffer (s)", "time/wait_s", ("async GRPO",)),
        Alias(
            "train_worker_performance/pct_time_waiting_buffer (%)",
            "async/trainer_idle_fraction",
            ("async GRPO",),
            scale=0.01,
        ),
        Alias(
            "train_worker_performance/tokens_per_second", "throughput/tokens_per_s", ("async GRPO",)
        ),
        Alias(
            "train_worker_performance/padded_tokens_percentage (%)",
            "data/padding_fraction",
            ("async GRPO",),
            scale=0.01,
        ),
        Alias(
            "train_worker_performance/memory/peak_memory_active",
            "system/gpu_memory_active_gb",
            ("async GRPO",),
        ),
        Alias(
            "train_worker_performance/memory/peak_memory_alloc",
            "system/gpu_memory_allocated_gb",
            ("async GRPO",),
        ),
        Alias(
            "train_worker_performance/memory/peak_memory_reserved",
            "system/gpu_memory_reserved_gb",
            ("async GRPO",),
        ),
        Alias(
            "datacollector_worker_performance/total_rollout_time (s)",
            "time/generation_s",
            ("async GRPO",),
        ),
        Alias(
            "datacollector_worker_performance/tokens_per_second",
            "throughput/generation_tokens_per_s",
            ("async GRPO",),
        ),
    ),
)
