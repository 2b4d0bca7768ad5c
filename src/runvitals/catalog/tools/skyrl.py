"""Names that SkyRL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
progress/step: trainer/global_step
progress/epoch: trainer/epoch
throughput/train_tokens_per_s_per_device: trainer/tokens_per_second_per_gpu
reward/score_mean: reward/avg_raw_reward
reward/group_any_correct_fraction: reward/avg_pass_at_{n}
reward/positive_mean: reward/mean_positive_reward
data/groups_filtered: reward/num_zero_variance_filtered [GRPO]
reward/mean: loss/avg_final_rewards  # mean of token sums
advantage/mean: loss/avg_raw_advantages
advantage/abs_mean: loss/avg_raw_advantages_abs
[KL in reward]
policy/kl_ref: loss/avg_kl  # k1, abs, k2 or k3
policy/kl_ref_max: loss/avg_kl_max
policy/kl_coef: loss/kl_loss_coef
[]
policy/loss_total: policy/final_loss
policy/loss: policy/policy_loss
policy/entropy: policy/policy_entropy  # masked mean
policy/kl_ref: policy/policy_kl [KL loss]  # mean of sequence means
policy/learning_rate: policy/policy_lr
policy/grad_norm: policy/grad_norm
none: policy/response_length
policy/clip_fraction: policy/loss_metrics/clip_ratio  # masked mean
[CISPO]
policy/ratio_mean: policy/loss_metrics/cispo/ratio_mean  # masked mean
policy/ratio_max: policy/loss_metrics/cispo/ratio_max
policy/ratio_min: policy/loss_metrics/cispo/ratio_min
policy/ratio_clamped_mean: policy/loss_metrics/cispo/ratio_clamped_mean
[off-policy correction]
mismatch/is_weight_mean: policy/loss_metrics/is_ratio_mean
mismatch/is_weight_std: policy/loss_metrics/is_ratio_std
mismatch/is_weight_max: policy/loss_metrics/is_ratio_max
mismatch/is_weight_min: policy/loss_metrics/is_ratio_min
mismatch/is_weight_fraction_high (level=token): policy/loss_metrics/tis_token_clip_high_ratio
mismatch/is_weight_fraction_high (level=sequence): policy/loss_metrics/tis_seq_clip_high_ratio
mismatch/masked_fraction: policy/loss_metrics/{kind}_masked_ratio
[]
mismatch/logprob_diff_mean: policy/rollout_train_logprobs_abs_diff_mean
mismatch/logprob_diff_max: policy/rollout_train_logprobs_abs_diff_max
mismatch/logprob_diff_std: policy/rollout_train_logprobs_abs_diff_std
none: policy/rollout_train_logprobs_abs_diff_min
mismatch/logprob_diff_mean (level=minibatch): policy/minibatch_rollout_logprobs_abs_diff_mean
[PPO]
value/loss: critic/critic_loss  # 0.5*mean of sequence means
value/pred_mean: critic/values_mean
value/clip_fraction: critic/values_clipfrac
value/learning_rate: critic/critic_lr
value/grad_norm: critic/grad_norm
[]
length/response_mean: generate/avg_num_tokens
length/response_min: generate/min_num_tokens
length/response_max: generate/max_num_tokens
length/response_std: generate/std_num_tokens
length/response_correct_mean: generate/avg_tokens_non_zero_rewards
length/response_incorrect_mean: generate/avg_tokens_zero_rewards
length/response_mean (subset=assistant): generate/avg_assistant_tokens
agent/tokens_per_turn_mean: generate/tokens_per_turn_mean [multi-turn]
time/generation_sample_mean_s: generate/trajectory_time_{part}_mean
time/generation_sample_max_s: generate/trajectory_time_{part}_max
time/generation_sample_mean_s (part=group): generate/group_completion_time_mean [async]
time/group_p90_s: generate/group_completion_time_p90 [async]
none: generate/intra_group_completion_time_cv_mean [async]
data/samples_per_step: generate/batch_num_seq
none: generate/batch_padded_seq_len
none: environment/{key} [environments]
[evaluation]
eval/score_mean (dataset={data_source}): eval/{data_source}/avg_score
eval/any_correct_at_n (dataset={data_source}; n={n}): eval/{data_source}/pass_at_{n}  # mean(any)
eval/reward/positive_mean (dataset={data_source}): eval/{data_source}/mean_positive_reward
[async]
async/staleness_mean: async/staleness_mean
async/staleness_max: async/staleness_max
async/staleness_min: async/staleness_min
none: async/staleness_ratio | async/staleness_violation_count
async/accepted_fraction: async/keep_rate
data/groups_filtered (reason=stale): async/num_groups_dropped
async/queue_size: async/gen_buffer_qsize_at_wait_start
[]
time/step_s: timing/step
time/generation_s: timing/generate
time/logprob_s: timing/fwd_logprobs_values_reward
time/advantage_s: timing/compute_advantages_and_returns
time/policy_update_s: timing/policy_train
time/value_update_s: timing/critic_train [PPO]
time/training_s: timing/train_critic_and_policy
time/weight_sync_s: timing/sync_weights
time/checkpoint_s: timing/save_checkpoints
time/eval_s: timing/eval
time/data_s: timing/data_loading
time/stage_s: timing/{stage}
[SFT]
lm/loss: train/loss
optim/grad_norm: train/grad_norm
throughput/tokens_per_s: train/tokens_per_second
throughput/tokens_per_s_per_device: train/tokens_per_second_per_gpu  # / GPUs
data/tokens_per_step: train/actual_num_tokens
progress/tokens: train/total_tokens_processed
eval/loss: {dataset}/loss
[]
eval/any_correct_at_n: eval/all/pass_at_{n} | eval/{dataset}/pass_at_{n}
mismatch/masked_fraction: policy/{kind}_masked_ratio
time/generation_sample_mean_s: generate/trajectory_completion_time_mean
time/generation_sample_max_s: generate/trajectory_completion_time_max
none: generate/group_completion_time_{stat} | generate/intra_group_completion_time_{stat}
  | generate/num_seq_{when}_merge | generate/tokens_per_turn_{stat}
  | generate/trajectory_completion_time_p90  # a statistic of groups or merged turns
none: reward_dropped/{what}  # of batches that were not trained on
none: moe/{what}  # one layer
none: train/batch_padded_seq_len | generate/{stat}_assistant_tokens | error/tracebacks
  | skyrl.ai/{what}  # how batches are laid out, or what stopped
system/memory_used_gb: ray/cpu_ram_used_gb.avg
progress/epoch: train/epoch
none: policy/{kind}_over_high_ratio | policy/{kind}_under_low_ratio
  | policy/tis_{level}_clip_high_ratio  # which bound masked a sample
"""

FRAMEWORK = Framework(
    id="skyrl",
    title="SkyRL",
    version="0.3.0 (repository snapshot 2026-08-21, wheel 0.3.0)",
    kind="llm",
    marks=("reward/avg_raw_reward",),
    aliases=aliases(NAMES),
)
