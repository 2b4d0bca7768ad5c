"""Reinforcement learning of language models, with generation beside training."""

TOOLS = """
tool areal (kind=llm; version=1.0.4 wheel): AReaL
[PPO | GRPO]
reward/score_{mean,min,max}: ppo_actor/task_reward/{avg,min,max}
reward/mean: ppo_actor/final_reward/avg  # token mean
reward/kl_penalty_mean: ppo_actor/kl_rewards/avg
advantage/{mean,min,max}: ppo_actor/advantages/{avg,min,max}
length/total_{mean,max,min}: ppo_actor/seq_len/{avg,max,min}
length/prompt_{mean,max,min}: ppo_actor/prompt_len/{avg,max,min}
length/response_clip_ratio: ppo_actor/no_eos_ratios/avg
length/response_{correct,incorrect}_mean: ppo_actor/{correct,incorrect}_seq_len/avg
none: ppo_actor/correct_n_seqs | ppo_actor/incorrect_n_seqs
data/{samples,tokens}_per_step: ppo_actor/n_{seqs,tokens}; none: ppo_actor/n_valid_tokens
policy/clip_range: ppo_actor/eps_clip; none: ppo_actor/{flag}
policy/loss: ppo_actor/update/actor_loss/avg
policy/ratio_mean: ppo_actor/update/importance_weight/avg  # token mean
policy/ratio_{min,max}: ppo_actor/update/importance_weight/{min,max}
policy/kl_old (scale=-1): ppo_actor/update/approx_kl/avg  # token mean(new - prox)
policy/clip_fraction: ppo_actor/update/clip_ratio/avg  # token mean
policy/clip_fraction_dual: ppo_actor/update/dual_clip_ratio/avg
policy/entropy: ppo_actor/update/entropy/avg  # token mean
policy/entropy_{min,max}: ppo_actor/update/entropy/{min,max}
policy/logprob_mean: ppo_actor/update/new_logp/avg; none: ppo_actor/update/old_logp/avg
[decoupled PPO]
mismatch/is_weight_{mean,max,min}: ppo_actor/update/behave_imp_weight/{avg,max,min}
mismatch/kl (scale=-1): ppo_actor/update/behave_approx_kl/avg  # token mean(prox - behave)
mismatch/masked_fraction: ppo_actor/update/rs_filtered_fraction
[async]
mismatch/kl (source=compute_logp): ppo_actor/update/compute_logp/kl_div_direct/avg  # token mean(old
  - new)
none: ppo_actor/update/compute_logp/kl_div_taylor/avg
mismatch/k3_kl: ppo_actor/update/compute_logp/kl_div_dual/avg
async/staleness_{mean,max,min}: ppo_actor/update/version_stats/sample_staleness_theta_{avg,max,min}
none: ppo_actor/update/version_stats/sample_staleness_proximal_{stat}
progress/weight_version: ppo_actor/update/version_stats/v_theta
distill/kl: ppo_actor/update/rkl_loss/avg [distillation]
[PPO | GRPO]
policy/{grad_norm,learning_rate}: ppo_actor/update/{grad_norm,lr}
optim/update_success_rate: ppo_actor/update/update_successful
[PPO]
value/loss: ppo_critic/critic_loss/avg  # token mean
value/clip_fraction: ppo_critic/clip_ratio/avg; value/pred_mean: ppo_critic/new_value/avg
value/mean: ppo_critic/old_value/avg; returns/mean: ppo_critic/target_value/avg
value/{grad_norm,learning_rate}: ppo_critic/{grad_norm,lr}
reward/score_mean: rollout/reward [PPO | GRPO]; agent/turns_mean: rollout/num_turns [multi-turn]
none: rollout/accepted | rollout/rejected [async]; eval/score_mean: eval-rollout/reward [evaluation]
[]
time/generation_s: timeperf/rollout; time/{old,ref}_logprob_s: timeperf/{recompute,ref}_logp
time/value_s: timeperf/critic_values [PPO]
time/{advantage,policy_update}_s: timeperf/{compute_advantage,train_step}
time/value_update_s: timeperf/critic_train_step [PPO]; time/weight_sync_s: timeperf/update_weights
time/checkpoint_s: timeperf/save; time/checkpoint_s (kind=recover): timeperf/checkpoint_for_recover
time/eval_s: timeperf/eval; time/stage_s: timeperf/{stage}
[SFT]
lm/{loss,perplexity}: sft/{loss,ppl}/avg; optim/{grad_norm,learning_rate}: sft/{grad_norm,lr}
eval/{loss,perplexity}: sft-eval/{loss,ppl}/avg
[RM]
rm/{loss,accuracy}: rw/{loss,correct_ratio}/avg; rm/score_chosen_mean: rw/pos_score/avg
rm/score_rejected_mean: rw/neg_score/avg; eval/rm/accuracy: rw-eval/correct_ratio/avg
[DPO]
preference/loss: dpo/loss/avg
preference/{chosen,rejected}_reward: dpo/{chosen,rejected}_reward/avg  # beta*(pi - ref)
preference/{accuracy,margin}: dpo/reward_{accuracy,margin}/avg; none: dpo-eval/{key}/avg
[]
none: ckpt/async_save_queue_depth
none: ppo_actor/update/clipped_new_logp/avg | ppo_actor/update/clipped_old_logp/avg |
  ppo_critic/update/clipped_{value}/avg  # only the tokens that were clipped
none: ppo_actor/update/sapo_{gate}/avg  # gates of one algorithm
none: ppo_actor/update/{part}_logp_gt/avg | ppo_actor/update/compute_logp/kl_div_direct/avg |
  ppo_actor/update/v_{which}/avg | ppo_actor/update/vocab_{stat}_logits/avg |
  ppo_critic/update/target_value/avg | ppo_actor/update/num_micro_batches  # parts of a check of the
  engine

tool prime-rl (kind=llm; version=0.8.0 (repository snapshot 2026-08-21)): prime-rl
[RL]
policy/loss_total: loss/mean
policy/entropy: entropy/all/mean | entropy/{env}/mean  # token mean
mismatch/k3_kl: mismatch_kl/all/mean; none: mismatch_kl/all/max
mismatch/k3_kl: mismatch_kl/{env}/mean; none: masked_mismatch_kl/mean | unmasked_mismatch_kl/mean
policy/clip_fraction: is_masked/mean  # mean over sequences
policy/clip_fraction_{low,high}: is_masked_{low,high}/mean
none: masked_advantage_positive/mean | masked_advantage_negative/mean
mismatch/kl_entropy_ratio: kl_ent_ratio/mean; distill/kl (scale=-1): ref_kl/mean [OPD]
policy/clip_fraction (against=reference): ref_kl/is_masked/mean [OPD]
moe/load_violation_max: max_vio/mean [MoE]; moe/routing_confidence: routing_confidence/mean [MoE]
[RL | SFT]
optim/{learning_rate,grad_norm}: optim/{lr,grad_norm}; throughput/tokens_per_s: perf/throughput
throughput/tokens_per_s_per_device: perf/throughput_per_gpu  # / world size
throughput/mfu (scale=0.01): perf/mfu  # 100*FLOP/s / peak / world size
system/gpu_memory_reserved_gb: perf/peak_memory; time/step_s: time/step
time/wait_s: time/wait_for_batch [RL]; time/data_s: time/load_data [RL]
time/training_s: time/forward_backward; time/weight_sync_s: time/broadcast_weights
time/checkpoint_s: time/save_ckpt
[RL]
time/data_processing_s: time/pack; time/stage_s (stage=wait_for_policy): time/wait_for_policy
data/tokens_per_step: progress/tokens; none: progress/input_tokens | progress/output_tokens
data/samples_per_step: progress/rollouts; data/prompts_per_step: progress/tasks
progress/{tokens,samples}: progress/total_{tokens,rollouts}; none: progress/total_tasks
async/staleness_{mean,max}: off_policy/{mean,max}
none: off_policy/in_flight/{stat} | off_policy/in_queue/{stat}
async/dropped_samples: off_policy/dropped; none: batch/{env}
reward/score_mean: train/{env}/{subset}/{agent}/reward/mean
none: train/{env}/{subset}/{agent}/reward/{stat}
length/response_mean: train/{env}/{subset}/{agent}/num_output_tokens/mean
length/{prompt,total}_mean: train/{env}/{subset}/{agent}/num_{input,total}_tokens/mean
agent/turns_{mean,max}: train/{env}/{subset}/{agent}/num_turns/{mean,max}
length/response_clip_ratio: train/{env}/{subset}/{agent}/is_truncated/mean
length/stop_rate: train/{env}/{subset}/{agent}/is_completed/mean
reward/component_mean (component={name}): train/{env}/{subset}/{agent}/rewards/{name}/mean
outcome/score_mean: train/{env}/{subset}/{agent}/metrics/{name}/mean
time/stage_s (stage={phase}): train/{env}/{subset}/{agent}/timing/{phase}/mean
agent/error_rate: train/{env}/all/{agent}/has_error/mean
reward/group_all_wrong_fraction: train/{env}/all/{agent}/solved_none
reward/group_{all_correct,mixed}_fraction: train/{env}/all/{agent}/solved_{all,some}
none: train/{env}/{subset}/{agent}/stop_condition/{name}
[evaluation]
eval/mean_at_n (dataset={env}; subset={subset}; agent={agent}; n={n}):
  eval/{env}/{subset}/{agent}/avg@{n}
eval/pass_at_k (dataset={env}; agent={agent}; k={k}): eval/{env}/effective/{agent}/pass@{k}  # 1 -
  C(n-c,k)/C(n,k)
eval/pass_hat_k (dataset={env}; agent={agent}; k={k}): eval/{env}/effective/{agent}/pass^{k}
progress/weight_version: eval/{env}/policy_version
[RL]
rollout/running_requests (where=dispatcher): dispatcher/inflight/train
async/staleness_max (where=in_flight): dispatcher/off_policy/max
progress/weight_version: watcher/policy_version
none: concurrency/max_inflight | inference/{scope}/{metric}/{stat}
rollout/{running,waiting}_requests: inference/agg/num_requests_{running,waiting}/mean
rollout/kv_cache_usage: inference/agg/kv_cache_usage_perc/mean
[RL | SFT]
system/disk_{free,used}_gb: system/ckpt_disk_{free,used}_gib
system/disk_free_ratio: system/ckpt_disk_free_ratio
[SFT]
lm/{loss,perplexity}: loss/{mean,perplexity}; optim/nan_count: loss/nan_count
eval/{loss,perplexity}: val/{loss,perplexity}
progress/{epoch,samples,tokens}: progress/{epoch,num_samples,num_tokens}
none: progress/{subset}/ratio_samples
[]
policy/entropy: entropy/all/mean; mismatch/kl: mismatch_kl/all/mean
async/staleness_mean: dispatcher/off_policy/mean; rollout/waiting_requests: dispatcher/queued/eval
time/weight_sync_s: watcher/last_update_weights_time; time/wait_s: watcher/last_wait_for_ckpt_time
none: event_loop_lag/{stat} | concurrency/{what} | dispatcher/{what}/{kind} | watcher/{what} |
  pool/{what} | curriculum/{env}/admission_rate | d2h_slot_wait | d2h_wait | optimizer_chunk |
  optimizer_kernel | output_slot_wait  # how the orchestrator itself runs
none: entropy/all | mismatch_kl/all  # a folder of statistics
none: ref_kl/is_masked | ref_kl/masked_mismatch_kl | ref_kl/unmasked_mismatch_kl  # of which tokens
  the mask of the reference holds
none: train/{env}/all/{what}/mean  # share of rollouts, beside the errors that are bound
none: dispatcher/mode | agent/harness | agent/model | system/ckpt_disk_total_gib  # settings

tool skyrl (kind=llm; version=0.3.0 (repository snapshot 2026-08-21, wheel 0.3.0);
  marks=reward/avg_raw_reward): SkyRL
progress/{step,epoch}: trainer/{global_step,epoch}
throughput/train_tokens_per_s_per_device: trainer/tokens_per_second_per_gpu
reward/score_mean: reward/avg_raw_reward; reward/group_any_correct_fraction: reward/avg_pass_at_{n}
reward/positive_mean: reward/mean_positive_reward
data/groups_filtered: reward/num_zero_variance_filtered [GRPO]
reward/mean: loss/avg_final_rewards  # mean of token sums
advantage/mean: loss/avg_raw_advantages; advantage/abs_mean: loss/avg_raw_advantages_abs
[KL in reward]
policy/kl_ref: loss/avg_kl  # k1, abs, k2 or k3
policy/kl_ref_max: loss/avg_kl_max; policy/kl_coef: loss/kl_loss_coef
[]
policy/loss_total: policy/final_loss; policy/loss: policy/policy_loss
policy/entropy: policy/policy_entropy  # masked mean
policy/kl_ref: policy/policy_kl [KL loss]  # mean of sequence means
policy/{learning_rate,grad_norm}: policy/{policy_lr,grad_norm}; none: policy/response_length
policy/clip_fraction: policy/loss_metrics/clip_ratio  # masked mean
[CISPO]
policy/ratio_mean: policy/loss_metrics/cispo/ratio_mean  # masked mean
policy/ratio_{max,min,clamped_mean}: policy/loss_metrics/cispo/ratio_{max,min,clamped_mean}
[off-policy correction]
mismatch/is_weight_{mean,std,max,min}: policy/loss_metrics/is_ratio_{mean,std,max,min}
mismatch/is_weight_fraction_high (level=token): policy/loss_metrics/tis_token_clip_high_ratio
mismatch/is_weight_fraction_high (level=sequence): policy/loss_metrics/tis_seq_clip_high_ratio
mismatch/masked_fraction: policy/loss_metrics/{kind}_masked_ratio
[]
mismatch/logprob_diff_{mean,max,std}: policy/rollout_train_logprobs_abs_diff_{mean,max,std}
none: policy/rollout_train_logprobs_abs_diff_min
mismatch/logprob_diff_mean (level=minibatch): policy/minibatch_rollout_logprobs_abs_diff_mean
[PPO]
value/loss: critic/critic_loss  # 0.5*mean of sequence means
value/{pred_mean,clip_fraction}: critic/values_{mean,clipfrac}
value/{learning_rate,grad_norm}: critic/{critic_lr,grad_norm}
[]
length/response_{mean,min,max,std}: generate/{avg,min,max,std}_num_tokens
length/response_correct_mean: generate/avg_tokens_non_zero_rewards
length/response_incorrect_mean: generate/avg_tokens_zero_rewards
length/response_mean (subset=assistant): generate/avg_assistant_tokens
agent/tokens_per_turn_mean: generate/tokens_per_turn_mean [multi-turn]
time/generation_sample_{mean,max}_s: generate/trajectory_time_{part}_{mean,max}
time/generation_sample_mean_s (part=group): generate/group_completion_time_mean [async]
time/group_p90_s: generate/group_completion_time_p90 [async]
none: generate/intra_group_completion_time_cv_mean [async]
data/samples_per_step: generate/batch_num_seq; none: generate/batch_padded_seq_len
none: environment/{key} [environments]
[evaluation]
eval/score_mean (dataset={data_source}): eval/{data_source}/avg_score
eval/any_correct_at_n (dataset={data_source}; n={n}): eval/{data_source}/pass_at_{n}  # mean(any)
eval/reward/positive_mean (dataset={data_source}): eval/{data_source}/mean_positive_reward
[async]
async/staleness_{mean,max,min}: async/staleness_{mean,max,min}
none: async/staleness_ratio | async/staleness_violation_count
async/accepted_fraction: async/keep_rate
data/groups_filtered (reason=stale): async/num_groups_dropped
async/queue_size: async/gen_buffer_qsize_at_wait_start
[]
time/{step,generation}_s: timing/{step,generate}; time/logprob_s: timing/fwd_logprobs_values_reward
time/advantage_s: timing/compute_advantages_and_returns; time/policy_update_s: timing/policy_train
time/value_update_s: timing/critic_train [PPO]; time/training_s: timing/train_critic_and_policy
time/{weight_sync,checkpoint,eval,data}_s: timing/{sync_weights,save_checkpoints,eval,data_loading}
time/stage_s: timing/{stage}
[SFT]
lm/loss: train/loss; optim/grad_norm: train/grad_norm
throughput/tokens_per_s: train/tokens_per_second
throughput/tokens_per_s_per_device: train/tokens_per_second_per_gpu  # / GPUs
data/tokens_per_step: train/actual_num_tokens; progress/tokens: train/total_tokens_processed
eval/loss: {dataset}/loss
[]
eval/any_correct_at_n: eval/all/pass_at_{n} | eval/{dataset}/pass_at_{n}
mismatch/masked_fraction: policy/{kind}_masked_ratio
time/generation_sample_{mean,max}_s: generate/trajectory_completion_time_{mean,max}
none: generate/group_completion_time_{stat} | generate/intra_group_completion_time_{stat} |
  generate/num_seq_{when}_merge | generate/tokens_per_turn_{stat} |
  generate/trajectory_completion_time_p90  # a statistic of groups or merged turns
none: reward_dropped/{what}  # of batches that were not trained on
none: moe/{what}  # one layer
none: train/batch_padded_seq_len | generate/{stat}_assistant_tokens | error/tracebacks |
  skyrl.ai/{what}  # how batches are laid out, or what stopped
system/memory_used_gb: ray/cpu_ram_used_gb.avg; progress/epoch: train/epoch
none: policy/{kind}_over_high_ratio | policy/{kind}_under_low_ratio |
  policy/tis_{level}_clip_high_ratio  # which bound masked a sample

tool slime (kind=llm; version=repository snapshot 2026-08-21 (the PyPI name slime 0.0.0 is another
  package)): slime
[PPO | GRPO | GSPO | CISPO | REINFORCE++]
policy/loss_total: train/loss; policy/loss: train/pg_loss
policy/clip_fraction: train/pg_clipfrac  # mean of sample means
policy/kl_old: train/ppo_kl  # mean(old - new)
policy/entropy: train/entropy_loss  # mean of sample means
policy/kl_ref: train/kl_loss  # k1, k2, k3, low_var_kl
[]
mismatch/logprob_diff_mean: train/train_rollout_logprob_abs_diff; policy/ratio_mean: train/ois
mismatch/is_weight_mean: train/tis; mismatch/masked_fraction (kind=tis): train/tis_clipfrac
none: train/tis_abs; mismatch/masked_fraction (kind=opsm): train/opsm_clipfrac
distill/kl: train/opd_reverse_kl [OPD]; policy/grad_norm: train/grad_norm
policy/learning_rate: train/lr-pg_{i}; data/samples_per_step: train/global_batch_size
none: train/mtp_loss [MTP]
[PPO]
value/loss: train/critic-value_loss  # mean of sample means(max(...))
value/{clip_fraction,grad_norm}: train/critic-{value_clipfrac,grad_norm}
value/learning_rate: train/critic-lr-pg_{i}; lm/loss: train/loss [SFT]
[]
reward/mean: rollout/rewards; reward/score_mean: rollout/raw_reward
length/{response,total}_mean: rollout/{response,total}_lengths
length/response_clip_ratio: rollout/truncated
{advantage,returns}/mean: rollout/{advantages,returns}; value/mean: rollout/values [PPO]
policy/logprob_mean: rollout/log_probs; policy/logprob_ref_mean: rollout/ref_log_probs
none: rollout/rollout_log_probs; policy/{kl_ref,entropy} (measured=rollout): rollout/{kl,entropy}
length/response_mean (source=samples): rollout/response_len/mean
length/response_{median,max,min}: rollout/response_len/{median,max,min}
none: rollout/zero_std/count_{reward} [GRPO-like]
length/repetition_fraction: rollout/repetition_frac
length/response_clip_ratio (source=samples): rollout/truncated_ratio
rollout/spec_accept_{rate,length}: rollout/spec_accept_{rate,length} [speculative decoding]
rollout/prefix_cache_hit_rate: rollout/prefix_cache_hit_rate
none: rollout/avg_cached_tokens_per_sample | rollout/error_cat/{category} |
  rollout/top_p_kept_vocab_per_token
data/groups_filtered: rollout/dynamic_filter/drop_{reason} [DAPO-style]
[multi-turn]
length/response_{mean,max,min,clip_ratio} (subset=raw):
  multi_turn/raw_response_length/response_length_{mean,max,min,clip_ratio}
length/response_mean (subset=without_observations):
  multi_turn/wo_obs_response_length/response_length_mean
agent/turns_mean: multi_turn/multi_turn_metric/round_number_mean
[]
reward/group_any_correct_fraction: passrate/pass@{k}; time/generation_s: perf/rollout_time
throughput/generation_tokens_per_s_per_device: perf/tokens_per_gpu_per_sec
throughput/generation_tokens_per_s_per_device (kind=effective):
  perf/effective_tokens_per_gpu_per_sec
none: perf/longest_sample_tokens_per_sec; time/tool_calls_s: perf/non_generation_time/mean [agents]
time/{training,wait,step}_s: perf/{train,train_wait,step}_time
async/trainer_idle_fraction: perf/wait_time_ratio; time/policy_update_s: perf/actor_train_time
throughput/tflops_per_device: perf/actor_train_tflops
throughput/tokens_per_s (stage=actor_train): perf/actor_train_tok_per_s
time/old_logprob_s: perf/log_probs_time; none: perf/log_probs_tflops
time/ref_logprob_s: perf/ref_log_probs_time; time/stage_s (stage={name}): perf/{name}_time
none: perf/request/{field}/{stat} [SGLang]
[evaluation]
eval/score_mean: eval/{dataset}; eval/length/response_clip_ratio: eval/{dataset}-truncated_ratio
eval/pass_at_k: eval/{dataset}-pass@{k}  # 1 - C(n-c,k)/C(n,k)
eval/length/response_mean: eval/{dataset}/response_len/mean
[]
rollout/running_requests: inflight_size
none: perf/update_weights_density | perf/update_weights_wire_bytes  # bytes on the wire
none: total_finished_reqs | total_finished_tokens  # counts since the start
none: train/mtp_loss | train/mtp_{i}_loss  # the loss of the draft heads
"""
