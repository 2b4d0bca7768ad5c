"""Names that torchtune logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
lm/loss: loss [SFT | LoRA | QAT]
preference/loss: loss [DPO]
optim/loss: loss [PPO]
policy/loss_total: loss [GRPO]
eval/loss: val_loss [SFT | LoRA | QAT]
optim/learning_rate: lr
optim/grad_norm: grad_norm [SFT | LoRA | QAT | GRPO]
throughput/tokens_per_s_per_device: tokens_per_second_per_gpu [SFT | LoRA | QAT | DPO | KD]
  # tokens / (time * devices)
system/gpu_memory_active_gb: peak_memory_active
system/gpu_memory_allocated_gb: peak_memory_alloc
system/gpu_memory_reserved_gb: peak_memory_reserved
[DPO]
preference/chosen_reward: rewards/chosen  # beta*(pi - ref)
preference/rejected_reward: rewards/rejected  # beta*(pi - ref)
preference/accuracy: rewards/accuracies
preference/margin: rewards/margins  # chosen - rejected
preference/chosen_logprob: log_probs/chosen
preference/rejected_logprob: log_probs/rejected
preference/chosen_logits: logits/chosen
preference/rejected_logits: logits/rejected
lm/loss: class_loss [KD]
distill/loss: kd_loss [KD]
reward/score_mean: scores [PPO]
length/stop_token_count: num_stop_tokens [PPO | GRPO]
[PPO]
reward/mean: rlhf_reward  # scores + kl_reward
policy/kl_ref_sequence: kl  # mean(sum(pi - ref))
reward/kl_penalty_mean: kl_reward
policy/loss: policy_loss
value/loss: value_loss  # 0.5*masked mean(max(...))
[PPO | GRPO]
policy/clip_fraction: clipfrac  # masked mean
policy/ratio_mean: ratios
policy/approx_kl: approx_policy_kl  # 0.5*mean((new-old)^2)
length/response_mean: response_lengths
throughput/generation_tokens_per_s_per_device: tokens_per_second_per_gpu_trajectory [PPO]
throughput/train_tokens_per_s_per_device: tokens_per_second_per_gpu_ppo [PPO]
[GRPO]
reward/mean: rewards
outcome/success_rate: successes
policy/loss (scale=-1): policy_loss
policy/kl_ref: kl_loss  # masked mean
[async GRPO]
reward/mean: postprocessing_worker_rewards/rewards_mean
outcome/success_rate: postprocessing_worker_rewards/successes_mean
async/queue_size (queue=rollout): queues/rollout_queue_size
async/queue_size (queue=replay): queues/train_replay_buffer_size
async/staleness_mean: queues/train_worker_policy_age_mean
policy/loss_total: train_worker_training/loss
policy/loss (scale=-1): train_worker_training/policy_loss
policy/kl_ref: train_worker_training/kl_loss
policy/ratio_mean: train_worker_training/ratios
policy/clip_fraction: train_worker_training/clipfrac
policy/approx_kl: train_worker_training/approx_policy_kls
length/response_mean: train_worker_training/response_lengths
length/stop_token_count: train_worker_training/num_stop_tokens
time/step_s: train_worker_performance/total_step_time (s)
time/training_s: train_worker_performance/time_grpo_steps (s)
time/weight_sync_s: train_worker_performance/time_weight_sync (s)
time/wait_s: train_worker_performance/time_waiting_buffer (s)
async/trainer_idle_fraction (scale=0.01): train_worker_performance/pct_time_waiting_buffer (%)
throughput/tokens_per_s: train_worker_performance/tokens_per_second
data/padding_fraction (scale=0.01): train_worker_performance/padded_tokens_percentage (%)
system/gpu_memory_active_gb: train_worker_performance/memory/peak_memory_active
system/gpu_memory_allocated_gb: train_worker_performance/memory/peak_memory_alloc
system/gpu_memory_reserved_gb: train_worker_performance/memory/peak_memory_reserved
time/generation_s: datacollector_worker_performance/total_rollout_time (s)
throughput/generation_tokens_per_s: datacollector_worker_performance/tokens_per_second
"""

FRAMEWORK = Framework(
    id="torchtune",
    title="torchtune",
    version="0.7.0 repository snapshot (2026-04)",
    kind="llm",
    aliases=aliases(NAMES),
)
