"""verl, and a tool built on it."""

TOOLS = """
tool verl (kind=llm; version=0.9.1 wheel; names=volcengine-verl; marks=critic/rewards/mean): verl
progress/{step,epoch}: training/{global_step,epoch}
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
policy/{grad_norm,learning_rate}: actor/{grad_norm,lr}
system/gpu_memory_allocated_gb (versions=>=0.8): actor/perf/max_memory_allocated_gb
system/gpu_memory_reserved_gb (versions=>=0.8): actor/perf/max_memory_reserved_gb
system/memory_used_gb (versions=>=0.8): actor/perf/cpu_memory_used_gb
system/gpu_memory_allocated_gb (versions=<0.8 workers): perf/max_memory_allocated_gb
system/gpu_memory_reserved_gb (versions=<0.8 workers): perf/max_memory_reserved_gb
system/memory_used_gb (versions=<0.8 workers): perf/cpu_memory_used_gb
[PPO]
value/loss: critic/vf_loss  # 0.5*agg_loss(max(...))
value/loss (versions=>=0.8): critic/loss  # equal to vf_loss
value/{clip_fraction,pred_mean,grad_norm,learning_rate}:
  critic/{vf_clipfrac,vpred_mean,grad_norm,lr}
[]
reward/score_mean: critic/score/mean  # mean of token sums
reward/score_{max,min}: critic/score/{max,min}
reward/mean: critic/rewards/mean  # mean of token sums
reward/{max,min}: critic/rewards/{max,min}
advantage/{mean,max,min}: critic/advantages/{mean,max,min}
returns/{mean,max,min}: critic/returns/{mean,max,min}; value/mean: critic/values/mean [PPO]
value/mean: critic/value/mean  # in guides to verl
[PPO]
value/{max,min}: critic/values/{max,min}
value/explained_variance: critic/vf_explained_var  # 1 - var(R - V)/(var(R) + 1e-5), unbiased
  variances
[]
length/response_{mean,max,min}: response_length/{mean,max,min}
length/response_clip_ratio: response_length/clip_ratio  # mean(len == width)
length/response_nonaborted_mean: response_length_non_aborted/mean
length/response_{max,min,clip_ratio} (subset=non_aborted):
  response_length_non_aborted/{max,min,clip_ratio}
length/aborted_ratio: response/aborted_ratio
length/prompt_{mean,max,min,clip_ratio}: prompt_length/{mean,max,min,clip_ratio}
[multi-turn]
agent/turns_{mean,max,min}: num_turns/{mean,max,min}
agent/turns_{mean,max,min}: training/num_turns/{mean,max,min}
agent/tool_calls_mean: tool_call_counts/mean; none: tool_call_counts/max | tool_call_counts/min
[GDPO]
reward/component_{mean,std,max,min} (component={key}): gdpo/{key}/{mean,std,max,min}
[validation]
eval/mean_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-core/{data_source}/{variable}/mean@{n}
eval/best_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-core/{data_source}/{variable}/best@{n}/mean  # 1000 draws with replacement
none: val-core/{data_source}/{variable}/best@{n}/std
eval/maj_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-core/{data_source}/{variable}/maj@{n}/mean
none: val-core/{data_source}/{variable}/maj@{n}/std
eval/{mean,std}_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-aux/{data_source}/{variable}/{mean,std}@{n}
eval/best_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-aux/{data_source}/{variable}/best@{n}/mean  # as val-core
none: val-aux/{data_source}/{variable}/best@{n}/std
eval/worst_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-aux/{data_source}/{variable}/worst@{n}/mean
none: val-aux/{data_source}/{variable}/worst@{n}/std
eval/maj_at_n (dataset={data_source}; metric={variable}; n={n}):
  val-aux/{data_source}/{variable}/maj@{n}/mean
none: val-aux/{data_source}/{variable}/maj@{n}/std
eval/agent/turns_{mean,max,min}: val-aux/num_turns/{mean,max,min}
eval/score_mean (versions=2025-03 and before; dataset={data_source}): val/test_score/{data_source}
[]
balance/seqlen_{min,max,diff,balanced_min,balanced_max,mean}:
  global_seqlen/{min,max,minmax_diff,balanced_min,balanced_max,mean}
time/{step,generation,reward}_s: timing_s/{step,gen,reward}
time/old_logprob_s: timing_s/old_log_prob; time/ref_logprob_s: timing_s/ref
time/value_s: timing_s/values [PPO]; time/{advantage,policy_update}_s: timing_s/{adv,update_actor}
time/value_update_s: timing_s/update_critic [PPO]
time/{weight_sync,checkpoint}_s: timing_s/{update_weights,save_checkpoint}
time/eval_s: timing_s/testing; time/stage_s (stage=start_profile): timing_s/start_profile
time/stage_s (stage=stop_profile): timing_s/stop_profile; time/stage_s: timing_s/{stage}
[agent loop]
time/generation_sample_{min,max,mean}_s: timing_s/agent_loop/generate_sequences/{min,max,mean}
time/tool_calls_s: timing_s/agent_loop/tool_calls/mean | timing_s/agent_loop/tool_calls/{stat}
time/score_sample_mean_s: timing_s/agent_loop/compute_score/mean
none: timing_s/agent_loop/compute_score/{stat}
rollout/preemptions_mean: timing_s/agent_loop/num_preempted/mean
none: timing_s/agent_loop/num_preempted/{stat}
time/slowest_sample_s: timing_s/agent_loop/slowest/{part}
[]
time/per_token_ms: timing_per_token_ms/{stage}; data/tokens_per_step: perf/total_num_tokens
time/step_s: perf/time_per_step
throughput/tokens_per_s_per_device: perf/throughput  # tokens / (step time * GPUs)
throughput/mfu: perf/mfu/actor  # estimated FLOP/s / peak / world size
throughput/mfu_inference: perf/mfu/actor_infer  # forward pass for old log-probabilities
throughput/mfu_value: perf/mfu/critic [PPO]
throughput/mfu (versions=2025-03 and before): mfu/actor  # as above
throughput/mfu_value (versions=2025-03 and before): mfu/critic [PPO]
mismatch/prob_diff_{mean,max,std}: training/rollout_probs_diff_{mean,max,std}
none: training/rollout_probs_diff_valid
mismatch/prob_correlation: training/rollout_actor_probs_pearson_corr
mismatch/kl: rollout_corr/kl  # masked mean(lp_rollout - lp_train)
mismatch/{k3_kl,ppl_train}: rollout_corr/{k3_kl,training_ppl}
policy/nll_mean: rollout_corr/training_log_ppl; mismatch/ppl_rollout: rollout_corr/rollout_ppl
none: rollout_corr/rollout_log_ppl
mismatch/log_ppl_diff_{mean,abs,max,min}: rollout_corr/log_ppl_{diff,abs_diff,diff_max,diff_min}
mismatch/{ppl_ratio,chi2_token,chi2_sequence}: rollout_corr/{ppl_ratio,chi2_token,chi2_seq}
mismatch/is_weight_{mean,max,min,std}: rollout_corr/rollout_is_{mean,max,min,std}
mismatch/is_weight_fraction_{high,low}: rollout_corr/rollout_is_ratio_fraction_{high,low}
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
rollout/spec_accept_{rate,length}: rollout/spec_accept_{rate,length} [speculative decoding]
[MoE]
moe/load_violation_max: rollout/moe/max_vio/max; moe/load_violation_mean: rollout/moe/avg_vio/avg
none: rollout/moe/{kind}_vio/{stat}
[async v1]
async/staleness_{mean,max,min}: training/off_policy/trajectory_staleness/{mean,max,min}
none: training/off_policy/trajectory_staleness_worst/{stat}
async/version_span_{mean,max}: training/off_policy/trajectory_spans/{mean,max}
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
async/{trainer,rollout}_idle_fraction: fully_async/{trainer,rollouter}/idle_ratio
time/generation_sample_{mean,max,min}_s: fully_async/processing_time/{avg,max,min}
none: fully_async/processing_time/{stat}; async/queue_size: fully_async/monitor/queue/mq_queue_size
rollout/running_requests: fully_async/monitor/active_tasks_size; none: fully_async/static/{key}
[distillation]
distill/loss: distillation/loss; none: distillation/loss_min | distillation/loss_max
distill/{kl,student_mass,teacher_mass,overlap_ratio}:
  distillation/{abs_loss,student_mass,teacher_mass,overlap_ratio}
none: distillation/overlap_token_advantage
[SFT]
lm/loss: train/loss; optim/{grad_norm,learning_rate}: train/{grad_norm,lr}
optim/learning_rate (scale=0.001; versions=<0.9): train/lr(1e-3)
time/step_s (versions=<0.9): train/time(s)
throughput/mfu: train/mfu  # ratio
data/tokens_per_step: train/global_tokens; progress/tokens (scale=1000000000): train/total_tokens(B)
eval/loss: val/loss
[]
async/dropped_samples: training/off_policy/evicted_samples
async/queue_size: dynamic_resource/mq_size
none: dynamic_resource/{what} | hybrid/{what} | separate_async/{part}/{what}  # who of the pool
  works on what
none: fully_async/rollouter/{what} | fully_async/partial/{what} | fully_async/total_wait_time |
  fully_async/count/{what} | fully_async/monitor/queue/{what}  # a count or a time of the rollouter
  alone
async/evicted_samples: training/rollout_failure/evicted_samples
none: training/filter_groups/{what} | training/off_policy/evicted_samples_staleness/{stat}  #
  samples taken out, by the reason
none: distillation/{side}_mass_{stat}  # an extreme of one token
none: rollout/moe/{what}  # whether experts were recorded at all

tool rllm (kind=llm; version=0.3.0.pre (repository snapshot 2026-08-15)): rLLM
reward/score_mean: reward/{role}/mean
reward/std: reward/{role}/std  # population
reward/{max,min}: reward/{role}/{max,min}
advantage/{mean,std,max,min,zero_fraction}: advantage/{role}/{mean,std,max,min,fraction_zero}
reward/group_mixed_fraction: batch/{role}/fractions/effective
reward/group_all_correct_fraction: batch/{role}/fractions/too_easy
reward/group_all_wrong_fraction: batch/{role}/fractions/too_hard
data/prompts_per_step: batch/{role}/total
none: batch/{role}/informative | batch/{role}/group_reward_mean/p{p} |
  batch/{role}/group_reward_std/p{p} | batch/termination_reason/{reason} | batch/{key}
[verl workflow trainer]
reward/group_all_wrong_fraction: batch/solve_none
reward/group_{all_correct,mixed}_fraction: batch/solve_{all,partial}
data/prompts_per_step: batch/num_tasks
[]
agent/turns_{mean,max,min}: batch/steps_per_traj/{mean,max,min}
agent/tokens_per_turn_mean: batch/step_response_length/mean
none: batch/action_token_ratio/mean | groups/num_trajs_before_filter
data/samples_per_step: groups/num_trajs_after_filter; data/prompts_per_step: groups/num_groups
data/groups_filtered: groups/dropped_zero_adv [async]
mismatch/logprob_diff_mean: train/kl_sample_train_v1 [tinker]
mismatch/kl: train/kl_sample_train_v2 [tinker]  # 0.5*mean(d^2)
policy/nll_mean: train/entropy [tinker | fireworks]
lm/perplexity: train/perplexity [tinker | fireworks]
[fireworks]
data/{samples,tokens}_per_step: train/{num_sequences,active_tokens}
mismatch/kl: offpolicy/kl  # mean(rollout - old)
mismatch/k3_kl: offpolicy/k3_kl
mismatch/logprob_diff_{mean,max}: offpolicy/logprob_abs_diff/{mean,max}
mismatch/prob_diff_mean: offpolicy/prob_abs_diff/mean
mismatch/prob_correlation: offpolicy/prob_pearson_corr
mismatch/is_weight_mean: offpolicy/ratio/mean; none: offpolicy/{verl_key}
[async]
progress/weight_version: async/weight_version; async/queue_size: async/buffer_qsize
data/groups_filtered (where=buffer): async/buffer_filtered
async/trainer_idle_fraction: async/trainer_idle_ratio
rollout/running_requests: async/in_flight_groups
[tinker]
progress/{step,epoch}: progress/{batch,epoch}; policy/learning_rate: progress/lr
progress/fraction: progress/done_frac; time/step_s: time/step []; time/stage_s: time/{stage} []
[validation]
eval/score_mean (dataset={data_source}): val/{data_source}/pass@1
eval/any_correct_at_n (dataset={data_source}; n={n}): val/{data_source}/pass@{n}  # mean(any)
none: val/{data_source}/{key}; eval/reward/mean: val/reward/{role}/mean
"""
