"""Names that NeMo-RL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
policy/loss_total: loss [GRPO | PPO]
policy/grad_norm: grad_norm [GRPO | PPO]
policy/learning_rate: lr
optim/weight_decay: wd
reward/mean: reward [GRPO | PPO]
reward/mean (subset=filtered): filtered_reward [GRPO dynamic sampling]
[GRPO | PPO]
advantage/mean: advantages/mean
advantage/max: advantages/max
advantage/min: advantages/min
[GRPO]
advantage/sum: advantages/sum
reward/group_all_wrong_fraction (scale=0.01): baseline_reward/pct_0
reward/group_all_correct_fraction (scale=0.01): baseline_reward/pct_1
reward/group_mixed_fraction (scale=0.01): baseline_reward/pct_mixed
[GRPO | PPO]
policy/ratio_mean: probs_ratio  # token mean
policy/ratio_min: probs_ratio_min
policy/ratio_max: probs_ratio_max
policy/ratio_clamped_mean: probs_ratio_clamped
none: probs_ratio_clamped_min | probs_ratio_clamped_max
policy/kl_ref: kl_penalty  # token or sequence mean
mismatch/mult_prob_error: token_mult_prob_error
mismatch/k3_kl: gen_kl_error
mismatch/kl_reverse: policy_kl_error
mismatch/js_divergence: js_divergence_error
mismatch/is_weight_mean: sampling_importance_ratio
mismatch/masked_fraction: is_oob_ratio
policy/entropy: approx_entropy  # -mean(exp(cur - gen)*cur)
policy/loss_positive_nll: positive_nll_loss [VAPO]
[]
data/samples_per_step: num_valid_samples
data/tokens_per_step (scope=global): global_valid_toks
data/samples_per_step (scope=global): global_valid_seqs
[GRPO | PPO]
length/prompt_mean: mean_prompt_length
data/tokens_per_step: total_num_tokens
none: max_seq_mult_prob_error | num_masked_seqs_by_logprob_error | masked_correct_pct
data/generation_batches: dynamic_sampling_num_gen_batches [GRPO dynamic sampling]
none: dynamic_sampling_num_discarded_valid_samples [GRPO dynamic sampling]
agent/invalid_tool_call_rate: invalid_tool_call_rate [agents]
none: malformed_thinking_rate [agents]
async/queue_size: buffer_size [async GRPO | async PPO]
async/staleness_mean: avg_trajectory_age [async GRPO | async PPO]
[rollout]
none: total_turns
agent/turns_mean: avg_turns_per_sample
agent/turns_max: max_turns_per_sample
none: turns_per_sample/p95
length/stop_rate: natural_termination_rate
length/response_clip_ratio: truncation_rate  # ratio
agent/turn_limit_rate: max_turns_reached_rate
length/total_mean: mean_total_tokens_per_sample
length/response_mean: mean_gen_tokens_per_sample
length/response_max: max_gen_tokens_per_sample
agent/env_tokens_mean: mean_env_tokens_per_sample
agent/tokens_per_turn_mean: max_gen_tokens_per_turn/mean
reward/score_mean: mean_total_reward
reward/score_max: max_total_reward
reward/score_min: min_total_reward
none: {agent}/{key}/{stat} [NeMo-Gym]
none: moe/{name} [MoE]
[PPO]
value/loss: critic/loss  # clipped squared error
value/grad_norm: critic/grad_norm
value/learning_rate: critic/lr
value/clip_fraction: critic/vf_clipfrac
returns/mean: critic/returns_mean
value/mean: critic/values_mean
value/min: critic/values_min
value/max: critic/values_max
value/error: critic/residual_sq_mean
none: critic/returns_sq_mean
value/explained_variance: critic/explained_var  # 1 - var(R - V)/max(var(R), 1e-8), population
  variances
[GRPO | PPO]
eval/score_mean: validation/accuracy
eval/length/response_mean: validation/avg_length
eval/any_correct_at_n: validation/pass_k  # mean(any)
[DPO]
preference/loss: loss | preference_loss
preference/nll_loss: sft_loss
preference/accuracy: accuracy  # mean(rc > rr)
preference/chosen_reward: rewards_chosen_mean  # other frameworks multiply by beta
preference/rejected_reward: rewards_rejected_mean  # other frameworks multiply by beta
[RM]
rm/loss: loss
rm/accuracy: accuracy
rm/score_chosen_mean: rewards_chosen_mean
rm/score_rejected_mean: rewards_rejected_mean
none: validation-{dataset}/{metric} [DPO | RM]
[SFT]
lm/loss: loss
data/tokens_per_step: num_unmasked_tokens
eval/loss: validation/val_loss
throughput/mfu: train_fp_utilization [SFT | DPO | RM]  # FLOP/s / theoretical
distill/loss: loss [distillation]
time/step_s: timing/train/total_step_time []
time/generation_s: timing/train/generation [GRPO | PPO]
time/wait_s: timing/train/exposed_generation [async]
time/policy_update_s: timing/train/policy_training []
time/logprob_s: timing/train/policy_and_reference_logprobs [GRPO | PPO]
time/value_s: timing/train/value_inference [PPO]
time/value_update_s: timing/train/value_training [PPO]
[GRPO | PPO]
time/reward_s: timing/train/reward_calculation
time/advantage_s: timing/train/advantage_calculation
time/weight_sync_s: timing/train/weight_sync
time/weight_sync_s (stage=prepare_for_generation): timing/train/prepare_for_generation/total
[]
time/data_processing_s: timing/train/data_processing
time/checkpoint_s: timing/train/checkpointing
time/stage_s: timing/train/{stage}
throughput/tokens_per_s_per_device (subset=valid): timing/train/valid_tokens_per_sec_per_gpu
  # global_valid_toks / step time / GPUs
time/eval_s: timing/validation/total_validation_time
[GRPO | PPO]
throughput/tokens_per_s_per_device: performance/tokens_per_sec_per_gpu  # tokens / step time / GPUs
throughput/tokens_per_s: performance/tokens_per_sec
throughput/samples_per_s: performance/samples_per_sec
throughput/samples_per_s_per_device: performance/samples_per_sec_per_gpu
throughput/train_tokens_per_s_per_device: performance/policy_training_tokens_per_sec_per_gpu
throughput/logprob_tokens_per_s_per_device:
  performance/policy_and_reference_logprobs_tokens_per_sec_per_gpu
throughput/train_tokens_per_s_per_device (group=training):
  performance/training_worker_group_tokens_per_sec_per_gpu
throughput/tokens_per_s (group=training): performance/training_worker_group_tokens_per_sec
throughput/generation_tokens_per_s_per_device: performance/generation_tokens_per_sec_per_gpu
throughput/generation_tokens_per_s: performance/generation_tokens_per_sec
throughput/tflops_per_device: performance/train_flops_per_gpu
throughput/mfu: performance/train_fp_utilization  # TFLOP/s / theoretical
balance/token_imbalance: performance/average_token_imbalance
async/trainer_idle_fraction: performance/training_worker_idle_time_ratio [async]
[]
system/gpu_utilization_percent: ray/node.{i}.gpu.{j}.util
system/gpu_memory_used_gb: ray/node.{i}.gpu.{j}.mem_gb
system/memory_used_gb: ray/node.{i}.mem_gb
async/trainer_idle_fraction: performance/training_worker_idle_time_ratio
throughput/tokens_per_s_per_device: performance/valid_tokens_per_sec_per_gpu
rollout/running_requests: rollout/inflight
time/stage_s: efficiency/{stage}_s
time/ref_logprob_s: timing/teacher_logprob_time
none: rollout/{what}_total | rollout/{what}_total/{kind} | rollout/max_consecutive_infra_drops
  | rollout/idle_s  # a count of what had to be done again
none: efficiency/{part}_pct  # where the wall clock went, in percent
none: r3/{what}  # whether routes could be replayed
none: histogram/{what}  # distributions, not numbers
none: on_policy_distillation/{what}  # which teacher answered
none: trajectory_duration_s/{stat} | max_gen_tokens_per_turn/{stat} | turns_per_sample/{stat}
  | trajectory_duration_s | turn_gen_tokens | turn_input_tokens | turn_total_tokens  # extremes of
  single trajectories
none: ce_loss | kl_loss | kl_common | l1_uncommon | draft_loss | draft_grad_norm | proj_accuracy
  # parts of the loss of single algorithms
none: {stat}_length_{side} | mean_length_reward_low | mean_reward_low  # one half of the group, by
  length or reward
none: num_assistant_messages | num_invalid_tool_calls | num_malformed_thinking
  | num_mask_sample_filtered | num_pending_samples  # counts of messages
time/setup_s: total_setup_time_s
none: {what}_init_time_s | other_setup_time_s | weight_t{what}  # one part of the set-up
none: wasted/{what} | idle/{what} | exposed_generation | inflight_batch_sizes
  | per_worker_token_counts | num_ranks | selected_teacher | data_exhausted | inflight_workers
  | last_checkpoint_step | last_successful_ckpt_save_completion  # where time or samples went,
  beside the shares that are bound
"""

FRAMEWORK = Framework(
    id="nemo-rl",
    title="NeMo-RL",
    version="0.6.0 (repository snapshot 2026-08-22)",
    names=("nemo",),
    kind="llm",
    aliases=aliases(NAMES),
)
