"""Reinforcement learning of language models on a cluster."""

TOOLS = """
tool nemo-rl (kind=llm; version=0.6.0 (repository snapshot 2026-08-22); names=nemo): NeMo-RL
policy/loss_total: loss [GRPO | PPO]; policy/grad_norm: grad_norm [GRPO | PPO]
policy/learning_rate: lr; optim/weight_decay: wd; reward/mean: reward [GRPO | PPO]
reward/mean (subset=filtered): filtered_reward [GRPO dynamic sampling]
[GRPO | PPO]
advantage/{mean,max,min}: advantages/{mean,max,min}
[GRPO]
advantage/sum: advantages/sum; reward/group_all_wrong_fraction (scale=0.01): baseline_reward/pct_0
reward/group_{all_correct,mixed}_fraction (scale=0.01): baseline_reward/pct_{1,mixed}
[GRPO | PPO]
policy/ratio_mean: probs_ratio  # token mean
policy/ratio_{min,max,clamped_mean}: probs_ratio_{min,max,clamped}
none: probs_ratio_clamped_min | probs_ratio_clamped_max
policy/kl_ref: kl_penalty  # token or sequence mean
mismatch/mult_prob_error: token_mult_prob_error; mismatch/k3_kl: gen_kl_error
mismatch/{kl_reverse,js_divergence}: {policy_kl,js_divergence}_error
mismatch/is_weight_mean: sampling_importance_ratio; mismatch/masked_fraction: is_oob_ratio
policy/entropy: approx_entropy  # -mean(exp(cur - gen)*cur)
policy/loss_positive_nll: positive_nll_loss [VAPO]
[]
data/samples_per_step: num_valid_samples; data/tokens_per_step (scope=global): global_valid_toks
data/samples_per_step (scope=global): global_valid_seqs
[GRPO | PPO]
length/prompt_mean: mean_prompt_length; data/tokens_per_step: total_num_tokens
none: max_seq_mult_prob_error | num_masked_seqs_by_logprob_error | masked_correct_pct
data/generation_batches: dynamic_sampling_num_gen_batches [GRPO dynamic sampling]
none: dynamic_sampling_num_discarded_valid_samples [GRPO dynamic sampling]
agent/invalid_tool_call_rate: invalid_tool_call_rate [agents]
none: malformed_thinking_rate [agents]; async/queue_size: buffer_size [async GRPO | async PPO]
async/staleness_mean: avg_trajectory_age [async GRPO | async PPO]
[rollout]
none: total_turns; agent/turns_{mean,max}: {avg,max}_turns_per_sample; none: turns_per_sample/p95
length/stop_rate: natural_termination_rate
length/response_clip_ratio: truncation_rate  # ratio
agent/turn_limit_rate: max_turns_reached_rate
length/{total,response}_mean: mean_{total,gen}_tokens_per_sample
length/response_max: max_gen_tokens_per_sample; agent/env_tokens_mean: mean_env_tokens_per_sample
agent/tokens_per_turn_mean: max_gen_tokens_per_turn/mean
reward/score_{mean,max,min}: {mean,max,min}_total_reward; none: {agent}/{key}/{stat} [NeMo-Gym]
none: moe/{name} [MoE]
[PPO]
value/loss: critic/loss  # clipped squared error
value/{grad_norm,learning_rate}: critic/{grad_norm,lr}; value/clip_fraction: critic/vf_clipfrac
{returns,value}/mean: critic/{returns,values}_mean; value/{min,max}: critic/values_{min,max}
value/error: critic/residual_sq_mean; none: critic/returns_sq_mean
value/explained_variance: critic/explained_var  # 1 - var(R - V)/max(var(R), 1e-8), population
  variances
[GRPO | PPO]
eval/score_mean: validation/accuracy; eval/length/response_mean: validation/avg_length
eval/any_correct_at_n: validation/pass_k  # mean(any)
[DPO]
preference/loss: loss | preference_loss; preference/nll_loss: sft_loss
preference/accuracy: accuracy  # mean(rc > rr)
preference/chosen_reward: rewards_chosen_mean  # other frameworks multiply by beta
preference/rejected_reward: rewards_rejected_mean  # other frameworks multiply by beta
[RM]
rm/loss: loss; rm/accuracy: accuracy
rm/score_{chosen,rejected}_mean: rewards_{chosen,rejected}_mean
none: validation-{dataset}/{metric} [DPO | RM]
[SFT]
lm/loss: loss; data/tokens_per_step: num_unmasked_tokens; eval/loss: validation/val_loss
throughput/mfu: train_fp_utilization [SFT | DPO | RM]  # FLOP/s / theoretical
distill/loss: loss [distillation]; time/step_s: timing/train/total_step_time []
time/generation_s: timing/train/generation [GRPO | PPO]
time/wait_s: timing/train/exposed_generation [async]
time/policy_update_s: timing/train/policy_training []
time/logprob_s: timing/train/policy_and_reference_logprobs [GRPO | PPO]
time/value_s: timing/train/value_inference [PPO]
time/value_update_s: timing/train/value_training [PPO]
[GRPO | PPO]
time/{reward,advantage,weight_sync}_s:
  timing/train/{reward_calculation,advantage_calculation,weight_sync}
time/weight_sync_s (stage=prepare_for_generation): timing/train/prepare_for_generation/total
[]
time/{data_processing,checkpoint}_s: timing/train/{data_processing,checkpointing}
time/stage_s: timing/train/{stage}
throughput/tokens_per_s_per_device (subset=valid): timing/train/valid_tokens_per_sec_per_gpu #
  global_valid_toks / step time / GPUs
time/eval_s: timing/validation/total_validation_time
[GRPO | PPO]
throughput/tokens_per_s_per_device: performance/tokens_per_sec_per_gpu  # tokens / step time / GPUs
throughput/{tokens,samples}_per_s: performance/{tokens,samples}_per_sec
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
system/gpu_memory_used_gb: ray/node.{i}.gpu.{j}.mem_gb; system/memory_used_gb: ray/node.{i}.mem_gb
async/trainer_idle_fraction: performance/training_worker_idle_time_ratio
throughput/tokens_per_s_per_device: performance/valid_tokens_per_sec_per_gpu
rollout/running_requests: rollout/inflight; time/stage_s: efficiency/{stage}_s
time/ref_logprob_s: timing/teacher_logprob_time
none: rollout/{what}_total | rollout/{what}_total/{kind} | rollout/max_consecutive_infra_drops |
  rollout/idle_s  # a count of what had to be done again
none: efficiency/{part}_pct  # where the wall clock went, in percent
none: r3/{what}  # whether routes could be replayed
none: histogram/{what}  # distributions, not numbers
none: on_policy_distillation/{what}  # which teacher answered
none: trajectory_duration_s/{stat} | max_gen_tokens_per_turn/{stat} | turns_per_sample/{stat} |
  trajectory_duration_s | turn_gen_tokens | turn_input_tokens | turn_total_tokens  # extremes of
  single trajectories
none: ce_loss | kl_loss | kl_common | l1_uncommon | draft_loss | draft_grad_norm | proj_accuracy #
  parts of the loss of single algorithms
none: {stat}_length_{side} | mean_length_reward_low | mean_reward_low  # one half of the group, by
  length or reward
none: num_assistant_messages | num_invalid_tool_calls | num_malformed_thinking |
  num_mask_sample_filtered | num_pending_samples  # counts of messages
time/setup_s: total_setup_time_s
none: {what}_init_time_s | other_setup_time_s | weight_t{what}  # one part of the set-up
none: wasted/{what} | idle/{what} | exposed_generation | inflight_batch_sizes |
  per_worker_token_counts | num_ranks | selected_teacher | data_exhausted | inflight_workers |
  last_checkpoint_step | last_successful_ckpt_save_completion  # where time or samples went, beside
  the shares that are bound

tool open-instruct (kind=llm; version=repository snapshot 2026-08-20): Open Instruct
progress/episodes: episode [GRPO | RM]; progress/episodes: global_step [GRPO]
progress/step: training_step [GRPO | DPO]; progress/epoch: epoch [GRPO | DPO | RM]
[GRPO]
policy/learning_rate: lr; policy/grad_norm: optim/grad_norm; reward/mean: scores
reward/score_mean: objective/verifiable_reward
outcome/success_rate: objective/verifiable_correct_rate
reward/component_mean (component={verifier}): objective/{verifier}_reward
outcome/success_rate (component={verifier}): objective/{verifier}_correct_rate
reward/component_mean (component=format): val/format_scores
policy/kl_ref (estimator=k1): objective/kl0_avg  # token-weighted mean(new - ref)
policy/kl_ref (estimator=k2): objective/kl1_avg  # mean(0.5*(new - ref)^2)
policy/kl_ref (estimator=k3): objective/kl2_avg  # mean(expm1(-(new - ref)) + (new - ref))
policy/kl_ref (estimator=ratio_k1): objective/kl3_avg  # mean(ratio*(new - ref))
policy/{kl_loss,loss,loss_total}: loss/{kl,policy,total}_avg
policy/{clip_fraction,entropy}: policy/{clipfrac,entropy}_avg  # token-weighted mean
policy/ratio_mean: val/ratio  # token-weighted mean
policy/ratio_var: val/ratio_var  # weighted variance
mismatch/is_weight_mean: val/rho_weight
mismatch/is_weight_fraction_high (action=clip): val/rho_clipfrac
mismatch/masked_fraction: val/rho_drop_frac; mismatch/is_weight_fraction_low: val/rho_drop_low_frac
mismatch/is_weight_fraction_high (action=drop): val/rho_drop_high_frac
mismatch/is_weight_mean (stat=distribution): val/rho_hist
mismatch/logprob_diff_{mean,max,std}: debug/vllm_vs_local_logprob_diff_{mean,max,std}
mismatch/kl: debug/vllm_local_reverse_kl  # mean(p_vllm*(lp_vllm - lp_local))
data/batch_fill_ratio: real_batch_size_ratio; none: unsolved_batch_size_ratio
data/packing_ratio: packed_ratio; data/prompts_per_step: val/total_reward_groups
length/response_mean: val/sequence_lengths
length/response_{min,max,correct_mean,incorrect_mean}:
  val/sequence_lengths_{min,max,solved,unsolved}
length/stop_rate: val/stop_rate; advantage/{mean,min,max}: val/advantages_{mean,min,max}
none: val/solve_rate_hist; data/groups_filtered: batch/filtered_prompts
none: batch/filtered_prompts_zero | batch/filtered_prompts_solved | batch/filtered_prompts_nonzero
data/filtered_fraction: batch/filtered_prompts_pct
outcome/success_rate (source=batch): batch/percent_solved_mean
data/prompts_per_step: batch/total_prompts; none: batch/no_resampled_prompts | model_step_mean
async/staleness_mean: num_steps_off_policy; async/dropped_samples: stale_results_dropped
[tools]
agent/tool_calls_mean: tools/{name}/avg_calls_per_rollout
agent/tool_{failure_rate,runtime_s}: tools/{name}/{failure_rate,avg_runtime}
[GRPO]
progress/tokens: val/num_total_tokens; data/tokens_per_step: val/num_step_tokens
throughput/tokens_per_s (window=run): learner_tokens_per_second_overall
throughput/tokens_per_s: learner_tokens_per_second_step
throughput/generation_tokens_per_s: val/actor_tokens_per_second
throughput/{mfu_generation,mbu} (scale=0.01): actor_{mfu,mbu}
throughput/mfu (scale=0.01): learner_mfu  # 100*ratio
time/{step,training,checkpoint,weight_sync}_s: time/{total,training,saving,weight_sync}
time/wait_s: time/trainer_waiting_for_data
time/stage_s (stage=generation_waiting_for_trainer): time/generation_waiting_for_trainer
time/generation_sample_{mean,max,min}_s: time/group_generation_{mean,max,min}
eval/score_mean: eval/scores; eval/mean_at_n (n=1): eval/pass_at_1
eval/any_correct_at_n: eval/pass_at_{n}  # mean(c > 0)
eval/pass_at_k: eval/pass_at_{k}_unbiased  # 1 - C(n-c,k)/C(n,k)
eval/length/{response_mean,stop_rate}: eval/{sequence_lengths,stop_rate}
throughput/generation_tokens_per_s (split=eval): eval/actor_tokens_per_second
lm/loss: train_loss [SFT]; preference/loss: train_loss [DPO]
optim/learning_rate: learning_rate [SFT | DPO]
[SFT]
progress/tokens: total_tokens; none: total_pred_tokens
throughput/tokens_per_s_per_device: per_device_tps  # tokens / devices / time
none: per_device_tps_including_padding
system/gpu_memory_{reserved,allocated}_gb: {reserved,allocated}_mem_GiB
lm/aux_loss: aux_loss [SFT | DPO]
[DPO]
preference/{chosen,rejected}_reward: rewards/{chosen,rejected}  # beta*(pi - ref)
preference/{average_reward,accuracy,margin}: rewards/{average,accuracy,margin}
preference/{chosen,rejected}_logprob: logps/{chosen,rejected}
throughput/mfu (scale=0.01): perf/mfu_step  # 100*ratio
throughput/tokens_per_s: perf/tokens_per_second_step
throughput/tokens_per_s (window=run): perf/tokens_per_second_avg
data/padding_fraction: train/padding_fraction [DPO olmo-core]
[RM]
rm/{loss,accuracy}: train/rm/{loss,accuracy}
rm/score_{chosen,rejected}_mean: train/rm/{chosen,rejected}_rewards
rm/margin: train/rm/reward_margin; optim/learning_rate: train/rm/lr
eval/rm/{accuracy,loss}: eval/rm/{accuracy,loss}
eval/rm/score_{chosen,rejected}_mean: eval/rm/{chosen,rejected}_rewards
eval/rm/margin: eval/rm/reward_margin

tool openrlhf (kind=llm; version=0.11.2 wheel): OpenRLHF
[PPO | REINFORCE++ | RLOO | GRPO]
policy/loss: policy_loss
policy/entropy: entropy_loss  # H from logits, token mean
policy/clip_fraction: ppo_clip_ratio  # masked mean(surr2 < surr1)
policy/kl_old: ppo_kl  # masked mean(old - new)
mismatch/kl: vllm_kl  # masked mean(lp_vllm - lp_old)
mismatch/masked_fraction: is_filter_ratio
policy/kl_ref: kl  # k1, k2 or k3 per token, masked mean
policy/kl_ref (estimator=k1): logprobs_diff  # masked mean(logp - ref)
reward/score_mean: reward  # mean over samples
outcome/success_rate: score; returns/mean: return
reward/group_std_mean: group_reward_std [RLOO | GRPO | REINFORCE++-baseline]  # mean over samples,
  unbiased
length/{response,total}_mean: {response,total}_length
length/response_clip_ratio: truncated  # mean(finish_reason == length)
length/response_clip_ratio (kind=context_full): response_clip_ratio  # mean(total_length >= window)
policy/{learning_rate,grad_norm}: actor_{lr,grad_norm}
[PPO]
value/loss: critic_loss  # 0.5*mean(max(...))
value/pred_mean: values; value/{learning_rate,grad_norm}: critic_{lr,grad_norm}
[PPO | REINFORCE++ | RLOO | GRPO]
reward/score_mean: rollout/reward_mean
reward/std: rollout/reward_std  # unbiased
length/response_mean: rollout/response_length_mean
length/response_clip_ratio: rollout/truncated_rate; data/samples_per_step: rollout/num_samples
data/filtered_fraction (transform=1 - x/100): dynamic_filtering_pass_rate [DAPO-style]
time/{experience,training,weight_sync,generation,step}_s:
  timing/{make_experience,ppo_train,broadcast,generation,step_total}
[evaluation]
eval/score_mean: eval_{dataset}_pass1
eval/any_correct_at_n: eval_{dataset}_pass{n}  # mean(max)
eval/length/response_mean: eval_{dataset}_response_length_mean
eval/length/response_clip_ratio: eval_{dataset}_truncated_rate
eval/length/response_mean: eval_response_length_mean
eval/length/response_clip_ratio: eval_truncated_rate; none: eval_num_samples
[DPO]
preference/loss: loss
preference/accuracy: acc  # mean(chosen > rejected)
preference/{chosen,rejected}_reward: {chosen,reject}_reward  # beta*(pi - ref)
preference/nll_loss: nll_loss; preference/{loss,accuracy}: {loss,acc}_mean
[RM]
rm/loss: loss; rm/accuracy: acc; rm/score_{chosen,rejected}_mean: {chosen,reject}_reward
rm/{loss,accuracy}: {loss,acc}_mean; eval/loss: eval_loss [DPO | RM]
eval/rm/score_{mean,std}: reward_{mean,std}
[SFT]
lm/loss: gpt_loss | loss_mean; eval/loss: eval gpt_loss; lm/aux_loss: aux_loss [SFT | RM]
optim/learning_rate: lr [SFT | RM | DPO]; optim/grad_norm: grad_norm [SFT | RM | DPO]
[]
none: generated_samples | train/generated_samples  # a table of texts
none: num_action_tokens  # tokens of one batch, before padding is left out
"""
