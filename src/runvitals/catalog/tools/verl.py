"""Names that verl logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
progress/step: training/global_step
progress/epoch: training/epoch
policy/loss: actor/pg_loss [PPO | GRPO | RLOO | REINFORCE++ | GSPO | DAPO | CISPO]
[PPO | GRPO]
policy/loss_total (versions=>=0.8): actor/loss
policy/clip_fraction: actor/pg_clipfrac  # masked mean(pg_losses2 > pg_losses1)
policy/clip_fraction_dual: actor/pg_clipfrac_lower
policy/kl_old: actor/ppo_kl  # masked mean(old - new) (kl_cov: mean absolute)
policy/entropy: actor/entropy  # agg_loss(H from logits)
policy/entropy (measured=during_update): actor/entropy_loss  # agg_loss(H)
policy/kl_ref: actor/kl_loss [GRPO | PPO]  # agg_loss(k1, abs, k2, k3 clamped to 10)
policy/kl_coef: actor/kl_coef [GRPO | PPO]
[PPO]
policy/kl_ref (used_in=reward): actor/reward_kl_penalty  # mean_seq(masked mean KL)
policy/kl_coef (used_in=reward): actor/reward_kl_penalty_coeff
policy/kl_ref (versions=2025-03 and before): critic/kl  # as above
policy/kl_coef (versions=2025-03 and before): critic/kl_coeff
[]
policy/grad_norm: actor/grad_norm
policy/learning_rate: actor/lr
system/gpu_memory_allocated_gb (versions=>=0.8): actor/perf/max_memory_allocated_gb
system/gpu_memory_reserved_gb (versions=>=0.8): actor/perf/max_memory_reserved_gb
system/memory_used_gb (versions=>=0.8): actor/perf/cpu_memory_used_gb
system/gpu_memory_allocated_gb (versions=<0.8 workers): perf/max_memory_allocated_gb
system/gpu_memory_reserved_gb (versions=<0.8 workers): perf/max_memory_reserved_gb
system/memory_used_gb (versions=<0.8 workers): perf/cpu_memory_used_gb
[PPO]
value/loss: critic/vf_loss  # 0.5*agg_loss(max(...))
value/loss (versions=>=0.8): critic/loss  # equal to vf_loss
value/clip_fraction: critic/vf_clipfrac
value/pred_mean: critic/vpred_mean
value/grad_norm: critic/grad_norm
value/learning_rate: critic/lr
[]
reward/score_mean: critic/score/mean  # mean of token sums
reward/score_max: critic/score/max
reward/score_min: critic/score/min
reward/mean: critic/rewards/mean  # mean of token sums
reward/max: critic/rewards/max
reward/min: critic/rewards/min
advantage/mean: critic/advantages/mean
advantage/max: critic/advantages/max
advantage/min: critic/advantages/min
returns/mean: critic/returns/mean
returns/max: critic/returns/max
returns/min: critic/returns/min
value/mean: critic/values/mean [PPO]
value/mean: critic/value/mean  # in guides to verl
[PPO]
value/max: critic/values/max
value/min: critic/values/min
value/explained_variance: critic/vf_explained_var  # 1 - var(R - V)/(var(R) + 1e-5), unbiased
  variances
[]
length/response_mean: response_length/mean
length/response_max: response_length/max
length/response_min: response_length/min
length/response_clip_ratio: response_length/clip_ratio  # mean(len == width)
length/response_nonaborted_mean: response_length_non_aborted/mean
length/response_max (subset=non_aborted): response_length_non_aborted/max
length/response_min (subset=non_aborted): response_length_non_aborted/min
length/response_clip_ratio (subset=non_aborted): response_length_non_aborted/clip_ratio
length/aborted_ratio: response/aborted_ratio
length/prompt_mean: prompt_length/mean
length/prompt_max: prompt_length/max
length/prompt_min: prompt_length/min
length/prompt_clip_ratio: prompt_length/clip_ratio
[multi-turn]
agent/turns_mean: num_turns/mean
agent/turns_max: num_turns/max
agent/turns_min: num_turns/min
agent/turns_mean: training/num_turns/mean
agent/turns_max: training/num_turns/max
agent/turns_min: training/num_turns/min
agent/tool_calls_mean: tool_call_counts/mean
none: tool_call_counts/max | tool_call_counts/min
[GDPO]
reward/component_mean (component={key}): gdpo/{key}/mean
reward/component_std (component={key}): gdpo/{key}/std
reward/component_max (component={key}): gdpo/{key}/max
reward/component_min (component={key}): gdpo/{key}/min
[validation]
eval/mean_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-core/{data_source}/{variable}/mean@{n}
eval/best_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-core/{data_source}/{variable}/best@{n}/mean  # 1000 draws with replacement
none: val-core/{data_source}/{variable}/best@{n}/std
eval/maj_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-core/{data_source}/{variable}/maj@{n}/mean
none: val-core/{data_source}/{variable}/maj@{n}/std
eval/mean_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-aux/{data_source}/{variable}/mean@{n}
eval/std_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-aux/{data_source}/{variable}/std@{n}
eval/best_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-aux/{data_source}/{variable}/best@{n}/mean  # as val-core
none: val-aux/{data_source}/{variable}/best@{n}/std
eval/worst_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-aux/{data_source}/{variable}/worst@{n}/mean
none: val-aux/{data_source}/{variable}/worst@{n}/std
eval/maj_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-aux/{data_source}/{variable}/maj@{n}/mean
none: val-aux/{data_source}/{variable}/maj@{n}/std
eval/agent/turns_mean: val-aux/num_turns/mean
eval/agent/turns_max: val-aux/num_turns/max
eval/agent/turns_min: val-aux/num_turns/min
eval/score_mean (versions=2025-03 and before; dataset={data_source}): val/test_score/{data_source}
[]
balance/seqlen_min: global_seqlen/min
balance/seqlen_max: global_seqlen/max
balance/seqlen_diff: global_seqlen/minmax_diff
balance/seqlen_balanced_min: global_seqlen/balanced_min
balance/seqlen_balanced_max: global_seqlen/balanced_max
balance/seqlen_mean: global_seqlen/mean
time/step_s: timing_s/step
time/generation_s: timing_s/gen
time/reward_s: timing_s/reward
time/old_logprob_s: timing_s/old_log_prob
time/ref_logprob_s: timing_s/ref
time/value_s: timing_s/values [PPO]
time/advantage_s: timing_s/adv
time/policy_update_s: timing_s/update_actor
time/value_update_s: timing_s/update_critic [PPO]
time/weight_sync_s: timing_s/update_weights
time/checkpoint_s: timing_s/save_checkpoint
time/eval_s: timing_s/testing
time/stage_s (stage=start_profile): timing_s/start_profile
time/stage_s (stage=stop_profile): timing_s/stop_profile
time/stage_s: timing_s/{stage}
[agent loop]
time/generation_sample_min_s: timing_s/agent_loop/generate_sequences/min
time/generation_sample_max_s: timing_s/agent_loop/generate_sequences/max
time/generation_sample_mean_s: timing_s/agent_loop/generate_sequences/mean
time/tool_calls_s: timing_s/agent_loop/tool_calls/mean | timing_s/agent_loop/tool_calls/{stat}
time/score_sample_mean_s: timing_s/agent_loop/compute_score/mean
none: timing_s/agent_loop/compute_score/{stat}
rollout/preemptions_mean: timing_s/agent_loop/num_preempted/mean
none: timing_s/agent_loop/num_preempted/{stat}
time/slowest_sample_s: timing_s/agent_loop/slowest/{part}
[]
time/per_token_ms: timing_per_token_ms/{stage}
data/tokens_per_step: perf/total_num_tokens
time/step_s: perf/time_per_step
throughput/tokens_per_s_per_device: perf/throughput  # tokens / (step time * GPUs)
throughput/mfu: perf/mfu/actor  # estimated FLOP/s / peak / world size
throughput/mfu_inference: perf/mfu/actor_infer  # forward pass for old log-probabilities
throughput/mfu_value: perf/mfu/critic [PPO]
throughput/mfu (versions=2025-03 and before): mfu/actor  # as above
throughput/mfu_value (versions=2025-03 and before): mfu/critic [PPO]
mismatch/prob_diff_mean: training/rollout_probs_diff_mean
mismatch/prob_diff_max: training/rollout_probs_diff_max
mismatch/prob_diff_std: training/rollout_probs_diff_std
none: training/rollout_probs_diff_valid
mismatch/prob_correlation: training/rollout_actor_probs_pearson_corr
mismatch/kl: rollout_corr/kl  # masked mean(lp_rollout - lp_train)
mismatch/k3_kl: rollout_corr/k3_kl
mismatch/ppl_train: rollout_corr/training_ppl
policy/nll_mean: rollout_corr/training_log_ppl
mismatch/ppl_rollout: rollout_corr/rollout_ppl
none: rollout_corr/rollout_log_ppl
mismatch/log_ppl_diff_mean: rollout_corr/log_ppl_diff
mismatch/log_ppl_diff_abs: rollout_corr/log_ppl_abs_diff
mismatch/log_ppl_diff_max: rollout_corr/log_ppl_diff_max
mismatch/log_ppl_diff_min: rollout_corr/log_ppl_diff_min
mismatch/ppl_ratio: rollout_corr/ppl_ratio
mismatch/chi2_token: rollout_corr/chi2_token
mismatch/chi2_sequence: rollout_corr/chi2_seq
mismatch/is_weight_mean: rollout_corr/rollout_is_mean
mismatch/is_weight_max: rollout_corr/rollout_is_max
mismatch/is_weight_min: rollout_corr/rollout_is_min
mismatch/is_weight_std: rollout_corr/rollout_is_std
mismatch/is_weight_fraction_high: rollout_corr/rollout_is_ratio_fraction_high
mismatch/is_weight_fraction_low: rollout_corr/rollout_is_ratio_fraction_low
mismatch/effective_sample_size: rollout_corr/rollout_is_eff_sample_size
mismatch/masked_fraction (kind=out_of_bounds): rollout_corr/rollout_is_oob_ratio
none: rollout_corr/rollout_is_batch_norm_factor | rollout_corr/rollout_is_seq_{stat}
mismatch/masked_fraction: rollout_corr/rollout_rs_masked_fraction
mismatch/masked_fraction (level=sequence): rollout_corr/rollout_rs_seq_masked_fraction
none: rollout_corr/rollout_rs_{option}_{stat}
optim/grad_variance_proxy (kind=signal): variance_proxy/proxy1_signal_strength
optim/grad_variance_proxy (kind=power): variance_proxy/proxy2_total_power
optim/grad_variance_proxy (kind=noise): variance_proxy/proxy3_pure_noise
none: variance_proxy/expected_a_squared | variance_proxy/expected_w
rollout/spec_accept_rate: rollout/spec_accept_rate [speculative decoding]
rollout/spec_accept_length: rollout/spec_accept_length [speculative decoding]
[MoE]
moe/load_violation_max: rollout/moe/max_vio/max
moe/load_violation_mean: rollout/moe/avg_vio/avg
none: rollout/moe/{kind}_vio/{stat}
[async v1]
async/staleness_mean: training/off_policy/trajectory_staleness/mean
async/staleness_max: training/off_policy/trajectory_staleness/max
async/staleness_min: training/off_policy/trajectory_staleness/min
none: training/off_policy/trajectory_staleness_worst/{stat}
async/version_span_mean: training/off_policy/trajectory_spans/mean
async/version_span_max: training/off_policy/trajectory_spans/max
none: training/off_policy/trajectory_spans/min
async/dropped_samples: training/off_policy/evicted_samples
data/groups_filtered: training/filter_groups/evicted_samples [DAPO v1]
data/generation_batches: train/num_gen_batches [DAPO]
[fully async]
progress/weight_version: fully_async/count/current_param_version
none: fully_async/count/stale_trajectory_processed
async/dropped_samples: fully_async/count/dropped_stale_samples
progress/samples: fully_async/count/total_generated_samples
async/partial_fraction: fully_async/partial/partial_ratio
async/version_span_max (transform=x + 1): fully_async/partial/max_partial_span
async/trainer_idle_fraction: fully_async/trainer/idle_ratio
async/rollout_idle_fraction: fully_async/rollouter/idle_ratio
time/generation_sample_mean_s: fully_async/processing_time/avg
time/generation_sample_max_s: fully_async/processing_time/max
time/generation_sample_min_s: fully_async/processing_time/min
none: fully_async/processing_time/{stat}
async/queue_size: fully_async/monitor/queue/mq_queue_size
rollout/running_requests: fully_async/monitor/active_tasks_size
none: fully_async/static/{key}
[distillation]
distill/loss: distillation/loss
none: distillation/loss_min | distillation/loss_max
distill/kl: distillation/abs_loss
distill/student_mass: distillation/student_mass
distill/teacher_mass: distillation/teacher_mass
distill/overlap_ratio: distillation/overlap_ratio
none: distillation/overlap_token_advantage
[SFT]
lm/loss: train/loss
optim/grad_norm: train/grad_norm
optim/learning_rate: train/lr
optim/learning_rate (scale=0.001; versions=<0.9): train/lr(1e-3)
time/step_s (versions=<0.9): train/time(s)
throughput/mfu: train/mfu  # ratio
data/tokens_per_step: train/global_tokens
progress/tokens (scale=1000000000): train/total_tokens(B)
eval/loss: val/loss
[]
async/dropped_samples: training/off_policy/evicted_samples
async/queue_size: dynamic_resource/mq_size
none: dynamic_resource/{what} | hybrid/{what} | separate_async/{part}/{what}  # who of the pool
  works on what
none: fully_async/rollouter/{what} | fully_async/partial/{what} | fully_async/total_wait_time
  | fully_async/count/{what} | fully_async/monitor/queue/{what}  # a count or a time of the
  rollouter alone
async/evicted_samples: training/rollout_failure/evicted_samples
none: training/filter_groups/{what}
  | training/off_policy/evicted_samples_staleness/{stat}  # samples taken out, by the reason
none: distillation/{side}_mass_{stat}  # an extreme of one token
none: rollout/moe/{what}  # whether experts were recorded at all
"""

FRAMEWORK = Framework(
    id="verl",
    title="verl",
    version="0.9.1 wheel",
    names=("volcengine-verl",),
    kind="llm",
    marks=("critic/rewards/mean",),
    aliases=aliases(NAMES),
)
