"""Tools built on Hugging Face's Trainer."""

TOOLS = """
tool transformers (kind=llm; version=5.22.2 (names unchanged since 4.x except where noted); names=hf
  | hf-trainer | huggingface; marks=loss grad_norm learning_rate epoch | train/loss
  train/learning_rate train/epoch | train/loss train/epoch train/global_step | eval_runtime
  eval_samples_per_second | eval/runtime eval/samples_per_second | train_runtime
  train_samples_per_second | total_flos): Hugging Face Transformers Trainer
optim/loss: loss  # sum of step losses / steps since last log; of whatever task is trained
lm/loss: loss [SFT | pre-training]  # sum of step losses / steps since last log
optim/grad_norm: grad_norm; optim/learning_rate: learning_rate; progress/epoch: epoch
progress/step: step | train/global_step; progress/tokens: num_input_tokens_seen
throughput/tokens_per_s: train_tokens_per_second; eval/loss: eval_loss
eval/loss (split=test): test_loss
eval/supervised/accuracy: eval_accuracy  # of compute_metrics
eval/supervised/metric (name={metric}): eval_{metric}; eval/loss: eval_{dataset}_loss
time/eval_s: eval_runtime; throughput/eval_{samples,steps}_per_s: eval_{samples,steps}_per_second
none: eval_model_preparation_time | eval_samples | train_samples; time/elapsed_s: train_runtime
throughput/{samples,updates}_per_s: train_{samples,steps}_per_second
optim/loss_run_mean: train_loss; throughput/total_flops: total_flos

tool trl (kind=llm; version=1.16.0; inherits=transformers): TRL
DPO_CPO_SIMPO = DPO | CPO | SimPO | ORPO | KTO | BCO | TPO | OnlineDPO | XPO | NashMD
lm/loss: loss [SFT]
preference/loss: loss [DPO | KTO | CPO | SimPO | ORPO | BCO | TPO | OnlineDPO | NashMD | XPO]
rm/loss: loss [Reward | PRM]; policy/loss_total: loss [GRPO | RLOO]
distill/loss: loss [GKD | Distillation]; optim/grad_norm: grad_norm
optim/learning_rate: learning_rate; progress/epoch: epoch
progress/tokens (versions=>=0.16): num_tokens [SFT | DPO | KTO | Reward | GRPO | RLOO |
  Distillation]
lm/token_accuracy (versions=SFT >=0.15, DPO >=0.29): mean_token_accuracy [SFT | DPO | TPO]
lm/entropy (versions=SFT >=0.22, DPO >=0.29): entropy [SFT | DPO | KTO | TPO | Distillation]
lm/aux_loss: aux_loss [SFT | DPO | KTO | GRPO | RLOO]
[DPO_CPO_SIMPO]
preference/chosen_reward (always): rewards/chosen  # DPO: beta*(logp_pi - logp_ref); CPO, ORPO:
  beta*logp_pi; SimPO: beta*logp_pi/length
preference/rejected_reward: rewards/rejected  # as rewards/chosen
preference/margin: rewards/margins  # pairs: mean of differences; KTO, BCO: difference of the two
  means
preference/accuracy: rewards/accuracies [DPO | CPO | SimPO | ORPO | TPO | OnlineDPO | XPO | NashMD]
  # mean(chosen > rejected)
preference/{chosen,rejected}_logprob: logps/{chosen,rejected}
preference/chosen_logits: logits/chosen [DPO | CPO | SimPO | ORPO | KTO | BCO | TPO]
preference/rejected_logits: logits/rejected [DPO | CPO | SimPO | ORPO | KTO | BCO | TPO]
preference/{accuracy,margin}: rewards/{accuracy,margin}  # of forks
preference/nll_loss (always): nll_loss [CPO | SimPO | ORPO]
preference/nll_loss: nll_loss [DPO]  # with rpo_alpha
preference/log_odds_ratio (always): log_odds_ratio [ORPO]
preference/log_odds_chosen: log_odds_chosen [ORPO]; preference/kl (always): kl [KTO]
none (always): delta [BCO]
reward/score_mean (always): reward [GRPO | RLOO]  # mean over completions of sum_i w_i r_i
reward/std (versions=>=0.27): reward_std [GRPO | RLOO]  # unbiased std over the batch
reward/group_std_mean (versions=0.14 to 0.26): reward_std [GRPO]  # mean over groups of unbiased std
[GRPO | RLOO]
reward/zero_std_fraction (versions=>=0.18; always): frac_reward_zero_std  # mean(isclose(group std,
  0))
reward/component_{mean,std} (versions=>=0.17; component={func}): rewards/{func}/{mean,std}
reward/component_mean (versions=0.14 to 0.16; component={func}): rewards/{func} [GRPO]
length/response_mean (versions=>=0.14): completion_length [GRPO]  # of TRL itself up to 0.16, of
  Unsloth and forks in later ones too
[GRPO | RLOO | Distillation]
length/response_mean (versions=>=0.17; always): completions/mean_length
length/response_{min,max} (versions=>=0.17): completions/{min,max}_length
length/response_clip_ratio (versions=>=0.17): completions/clipped_ratio  # mean(truncated)
length/response_terminated_{mean,min,max} (versions=>=0.17):
  completions/{mean,min,max}_terminated_length
policy/kl_ref: kl [GRPO]  # mean(exp(ref-pi) - (ref-pi) - 1)
policy/kl_ref (versions=>=0.22): kl [RLOO]  # mean(old - ref) over tokens
policy/entropy (versions=>=0.20): entropy [GRPO | RLOO]  # H from logits
[GRPO | RLOO | GMPO | AsyncGRPO]
policy/clip_fraction_{low,low_min,high,high_max} (versions=>=0.17):
  clip_ratio/{low_mean,low_min,high_mean,high_max}
policy/clip_fraction (versions=>=0.17): clip_ratio/region_mean
[GRPO]
policy/clip_fraction (versions=0.16 and Liger path up to 1.x): clip_ratio
policy/clip_fraction (kind=cispo): cispo_clip_ratio; none: vespo/phi_seq_mean
policy/loss: policy_loss; policy/entropy_coef: entropy_coef
time/step_s (versions=>=0.26; always): step_time [GRPO | RLOO | Distillation]
mismatch/logprob_diff_{mean,max} (versions=>=0.23): sampling/sampling_logp_difference/{mean,max}
mismatch/is_weight_{min,mean,max} (versions=>=0.23):
  sampling/importance_sampling_ratio/{min,mean,max}
agent/tool_calls_mean (versions=>=0.26): tools/call_frequency [GRPO | Distillation]
agent/tool_failure_rate (versions=>=0.26): tools/failure_frequency [GRPO | Distillation]
[Reward]
rm/score_{min,mean,max} (versions=>=0.24): {min,mean,max}_reward
rm/accuracy (versions=>=0.24): accuracy; rm/margin (versions=>=0.24): margin
eval/rm/accuracy: eval_accuracy [Reward | PRM]; none: eval_{metric} []
eval/win_rate: eval_win_rate | eval_avg_win_prob [WinRateCallback]
policy/kl_ref_sequence (versions=0.9 (PPOv2) to 1.12, RLOO <= 0.21): objective/kl [PPO | RLOO-old |
  OnlineDPO | XPO]  # mean over sequences of sum(logp - ref_logp)
policy/entropy_sequence: objective/entropy [PPO | RLOO-old | OnlineDPO | XPO | NashMD]  # mean over
  sequences of sum(-logp)
[PPO | RLOO-old | OnlineDPO]
reward/kl_penalty_mean: objective/non_score_reward
reward/mean: objective/rlhf_reward  # scores + non_score_reward
reward/score_mean: objective/scores
preference/score_margin: objective/scores_margin [OnlineDPO | XPO]
[PPO | RLOO-old]
policy/approx_kl: policy/approxkl_avg  # 0.5*mean((new-old)^2)
policy/clip_fraction: policy/clipfrac_avg  # masked mean
policy/entropy: policy/entropy_avg  # H from logits
policy/loss: loss/policy_avg
value/loss (always): loss/value_avg [PPO]  # 0.5*masked mean(max(...))
value/clip_fraction: val/clipfrac_avg [PPO]
policy/ratio_mean: val/ratio  # mean exp(new-old)
policy/ratio_var: val/ratio_var  # var over epochs and mini-batches
length/stop_token_count: val/num_eos_tokens; length/stop_rate: val/contain_eos_token [OnlineDPO]
length/stop_rate: val/model_contain_eos_token [XPO | NashMD]
none: val/ref_contain_eos_token [XPO | NashMD]; optim/learning_rate: lr
throughput/episodes_per_s: eps; progress/episodes: episode
preference/beta (always): beta [OnlineDPO | XPO | NashMD]
[XPO]
preference/loss: loss/dpo; none: loss/xpo; reward/score_mean: objective/model_scores
none: objective/ref_scores | alpha
[NashMD]
policy/loss: loss/score; policy/kl_loss: loss/kl; outcome/win_rate: rewards/probabilities
none: mixture_coef
[PPO-legacy]
policy/kl_ref_sequence (versions=<=0.11): objective/kl  # mean over sequences of sum(logp -
  ref_logp)
policy/kl_ref_sequence (versions=<=0.11; stat=distribution): objective/kl_dist  # array
policy/kl_coef (versions=<=0.11): objective/kl_coef
policy/entropy_sequence (versions=<=0.11): objective/entropy  # mean over sequences of
  sum(-logp*mask)
policy/logprob_mean (versions=<=0.11): objective/logprobs
policy/logprob_ref_mean (versions=<=0.11): objective/ref_logprobs
reward/kl_penalty_mean (versions=<=0.11): ppo/mean_non_score_reward
reward/score_{mean,std} (versions=<=0.11): ppo/{mean,std}_scores
policy/loss (versions=<=0.11): ppo/loss/policy
value/loss (versions=<=0.11): ppo/loss/value  # 0.5*masked mean(max(...))
optim/loss (versions=<=0.11): ppo/loss/total  # sum
policy/entropy (versions=<=0.11): ppo/policy/entropy  # masked mean
policy/approx_kl (versions=<=0.11): ppo/policy/approxkl  # 0.5*masked mean((new-old)^2)
policy/kl_old (versions=<=0.11): ppo/policy/policykl  # masked mean(old - new)
policy/clip_fraction (versions=<=0.11): ppo/policy/clipfrac  # masked mean
advantage/mean (versions=<=0.11; stat=distribution): ppo/policy/advantages
advantage/mean (versions=<=0.11): ppo/policy/advantages_mean
policy/ratio_mean (versions=<=0.11): ppo/policy/ratio  # array
returns/{mean,var} (versions=<=0.11): ppo/returns/{mean,var}
value/{pred_mean,error,clip_fraction,mean,var} (versions=<=0.11):
  ppo/val/{vpred,error,clipfrac,mean,var}
value/explained_variance (versions=<=0.11): ppo/val/var_explained  # 1 - val/error / returns/var
policy/learning_rate (versions=<=0.11): ppo/learning_rate
length/prompt_{mean,std} (versions=<=0.11): tokens/queries_len_{mean,std}
length/prompt_mean (versions=<=0.11; stat=distribution): tokens/queries_dist
length/response_{mean,std} (versions=<=0.11): tokens/responses_len_{mean,std}
length/response_mean (versions=<=0.11; stat=distribution): tokens/responses_dist
reward/score_{mean,std} (versions=<=0.11): env/reward_{mean,std}
reward/score_mean (versions=<=0.11; stat=distribution): env/reward_dist  # array
time/{logprob,reward,advantage,policy_update}_s (versions=<=0.11):
  time/ppo/{forward_pass,compute_rewards,compute_advantages,optimize_step}
time/stage_s (versions=<=0.11; stage=calc_stats): time/ppo/calc_stats
time/step_s (versions=<=0.11): time/ppo/total
policy/approx_kl (versions=<=0.23): approx_kl [DDPO]  # 0.5*mean((new-old)^2)
policy/clip_fraction (versions=<=0.23): clipfrac [DDPO]  # mean(abs(r-1)>eps)
reward/mean (versions=<=0.23): reward_mean [DDPO | AlignProp]
reward/std (versions=<=0.23): reward_std [DDPO | AlignProp]  # std
distill/loss (kind=on_policy): on_policy_loss [GOLD | GKD | IW-OPD]
distill/loss (kind=off_policy): off_policy_loss [GOLD | GKD | IW-OPD]
none: self_distillation/{stat} [SDPO | SDFT]
reward/zero_std_fraction: self_distillation/flat_group_fraction [SDPO]
[AsyncGRPO]
policy/ratio_mean: ratio  # token mean
policy/approx_kl: kl  # mean((r-1) - log r)
policy/entropy: entropy
[AsyncGRPO | AsyncDistillation]
async/staleness_{mean,max}: sample/staleness_{mean,max}
async/dropped_samples: sample/dropped_stale_total; async/queue_size: sample/rollout_queue_size
time/wait_s (stage=queue): sample/time_in_queue_s
length/total_{mean,max}: sample/forwarded_tokens_{mean,max}; data/padding_fraction: batch/pad_frac
balance/token_imbalance: batch/row_imbalance
data/{tokens,samples}_per_step: batch/{forwarded_tokens,samples}_per_step
data/prompts_per_step: batch/groups_per_step [AsyncGRPO]
time/{step,training,forward,optimizer,wait,weight_sync}_s:
  perf/{step,fwd_bwd,fwd,optimizer,rollout_wait,weight_sync}_s
throughput/tokens_per_s (clock=fwd_bwd): perf/forwarded_tok_s_fwd_bwd
throughput/tokens_per_s (clock=wall): perf/forwarded_tok_s_wall_clock
throughput/mfu (scale=0.01; clock=fwd_bwd): perf/mfu_fwd_bwd  # 100 * flops per token * tokens per s
  / (peak * devices)
throughput/mfu (scale=0.01; clock=wall): perf/mfu_wall_clock  # as above
time/stage_s (stage={method}): profiling/Time taken: {method} [GRPO | RLOO | OnlineDPO]
[AsyncGRPO | AsyncDistillation | IW-OPD]
throughput/generation_tokens_per_s: rollout/generated_tok_s
rollout/running_requests: rollout/inflight; time/reward_s: rollout/score_s
time/stage_s: perf/weight_sync_{stage}_s
time/tool_calls_s: tools/latency_s | tools/{tool}/latency_s
outcome/success_rate: rollout/correctness_mean; agent/turn_limit_rate: tools/loop_exhausted_frac
data/packing_ratio: batch/packing_ratio; data/batch_fill_ratio: batch/row_fill_frac
data/tokens_per_step: batch/trained_tokens_per_step
distill/teacher_entropy: teacher_entropy | teacher_entropy/{teacher}
distill/loss: {mode}/distillation_loss
none: batch/dropped_oversize_total | batch/masked_token_frac | batch/microbatches_per_step |
  batch/row_tokens_max | batch/row_tokens_mean | batch/samples_per_row | sample/trained_tokens_mean
  | rollout/samples_per_rollout  # how rows are packed, not how training goes
none: perf/trained_tok_s_wall_clock  # tokens that count in the loss, where others count all
rollout/retried_requests: rollout/vllm_retry_total
none: rollout/backpressure_s | rollout/score_block_s | rollout/score_wait_s |
  rollout/score_queue_size | teacher_score_s/{teacher}  # how the rollout worker keeps up with
  itself
none: rollout/drift_tokens_max | rollout/fork_frac | rollout/drift_tokens_mean |
  rollout/realign_frac  # how well a chat was put together again
none: tools/unknown_name_total | tools/parallel_calls_mean | tools/{tool}/call_total |
  tools/{tool}/failure_total  # a count since the start, or of one tool
none: jsd | teacher_jsd/{teacher} | teacher_token_frac/{teacher} | iw_opd/{what} | matched_loss |
  unmatched_loss  # a divergence other than the KL, or of one teacher
none: completions/{part}_{stat}_length  # length of one part of a completion
none: self_distillation/rewards/{what}  # rewards that the student is not trained on
none: implicit_reward | v_star  # means that single trainers add for their papers

tool unsloth (kind=llm; version=unsloth 2026.10.9 and unsloth_zoo 2026.10.9 wheels; inherits=trl |
  transformers): Unsloth
[GRPO]
length/response_mean: completion_length
policy/kl_ref: kl  # token mean k3
data/filtered_fraction: frac_reward_zero_std_excluded
mismatch/kl: sampling/rollout_kl_k1/mean  # mean(rollout - train)
mismatch/k3_kl: sampling/rollout_kl_k3/mean; none: sampling/rollout_kl_k3/max
mismatch/effective_sample_size: sampling/importance_sampling_ess
mismatch/masked_fraction: sampling/importance_sampling_rejected_frac
mismatch/masked_fraction (level=sequence): sampling/importance_sampling_rejected_seq_frac
mismatch/logprob_diff_{mean,max}: sampling/sampling_logp_difference/{mean,max}
mismatch/is_weight_mean: sampling/importance_sampling_ratio/mean
policy/clip_fraction: clip_ratio/region_mean | cispo_clip_ratio  # token mean
[MLX]
throughput/tokens_per_s: tokens_per_second; system/gpu_memory_allocated_gb: peak_memory_gb
progress/tokens: trained_tokens; lm/loss: loss; eval/perplexity: eval_perplexity

tool axolotl (kind=llm; version=0.19.0 wheel (pins transformers 5.16.1 and trl 1.9.0); inherits=trl
  | transformers): Axolotl
lm/perplexity: ppl; eval/perplexity: eval_ppl; system/gpu_memory_active_gb: memory/max_active (GiB)
system/gpu_memory_allocated_gb: memory/max_allocated (GiB)
system/gpu_memory_reserved_gb: memory/device_reserved (GiB)
system/gpu_memory_active_gb (versions=2025 releases): memory/max_mem_active(gib)
system/gpu_memory_allocated_gb (versions=2025 releases): memory/max_mem_allocated(gib)
system/gpu_memory_reserved_gb (versions=2025 releases): memory/device_mem_reserved(gib)
throughput/train_tokens_per_s_per_device: tokens/train_per_sec_per_gpu; none: tokens/trainable
progress/tokens: tokens/total
[ORPO]
preference/{chosen,rejected}_logprob: {chosen,rejected}_geometric_mean
preference/log_odds_ratio: log_odds_ratio; preference/log_odds_chosen: log_odds
[GRPO async]
async/queue_size: replay_buffer_size
none: replay_buffer_replacements | reroll_buffered | reroll_buffer_size
optim/skipped_updates: skipped_zero_adv_batches
[NeMo-Gym]
reward/score_mean: rollout/reward/mean; outcome/success_rate: rollout/reward/nonzero_frac
agent/turns_mean: rollout/num_turns/mean; data/samples_per_step: rollout/n_samples
[EBFT]
policy/loss: ebft/rl_loss; lm/loss: ebft/ce_loss; reward/mean: ebft/mean_reward
none: ebft/alignment | ebft/diversity | ebft/cfm_loss; advantage/std: ebft/advantages_std
none: num_lora_restarts [ReLoRA]

tool llamafactory (kind=llm; version=0.9.5 wheel; inherits=trl | transformers; names=llama-factory):
  LLaMA-Factory
progress/{step,total_steps}: {current,total}_steps; progress/fraction (scale=0.01): percentage
lm/loss: loss [SFT | PT]; preference/loss: loss [DPO | KTO | ORPO | SimPO]; rm/loss: loss [RM]
optim/loss: loss [PPO]  # mean of ppo/loss/total
eval/loss: eval_loss; eval/loss (split=predict): predict_loss; reward/score_mean: reward [PPO]
preference/accuracy: accuracy [DPO | ORPO | SimPO]; optim/learning_rate: lr; progress/epoch: epoch
time/{elapsed,remaining}_s: {elapsed,remaining}_time; throughput/tokens_per_s: throughput
progress/tokens: total_tokens; system/gpu_memory_{allocated,reserved}_gb: vram_{allocated,reserved}
throughput/tokens_per_s_per_device: effective_tokens_per_sec [SFT | DPO]  # tokens / time / devices
preference/{chosen,rejected}_reward: rewards/{chosen,rejected} [DPO | KTO | ORPO | SimPO]  # as TRL
preference/accuracy: rewards/accuracies [DPO | ORPO | SimPO]
[DPO | KTO | ORPO | SimPO]
preference/margin: rewards/margins; preference/{chosen,rejected}_logprob: logps/{chosen,rejected}
preference/{chosen,rejected}_logits: logits/{chosen,rejected}; preference/nll_loss: sft_loss [ORPO]
preference/log_odds_ratio (scale=-1): odds_ratio_loss [ORPO]; preference/kl: kl [KTO]
eval/lm/token_accuracy: eval_accuracy [SFT]; eval/rm/accuracy: eval_accuracy [RM]
eval/perplexity: eval_perplexity [PT]; eval/score_mean (metric=rouge-1): predict_rouge-1 [SFT]

tool ms-swift (kind=llm; version=4.6.0 wheel; inherits=trl | transformers; names=swift): ms-swift
progress/step: global_step/max_steps; progress/step: iteration [Megatron]
time/{elapsed,remaining}_s: {elapsed,remaining}_time; system/gpu_memory_reserved_gb: memory(GiB)
time/step_s: train_speed(s/it); throughput/updates_per_s (versions=2.x and 3.x): train_speed(iter/s)
progress/fraction (versions=2.x and 3.x): percentage
progress/step (versions=2.x): steps[global_step/max_steps]; lm/token_accuracy: token_acc [SFT | PT]
lm/sequence_accuracy: seq_acc [SFT]; lm/token_accuracy: acc [SFT | decision]
lm/loss: loss_{channel} [SFT]; lm/aux_loss: aux_loss [SFT | DPO]
throughput/mfu: MFU  # total_flos / time / (measured peak * devices)
[GRPO]
reward/score_mean: reward
reward/group_std_mean: reward_std  # unbiased
reward/zero_std_fraction: frac_reward_zero_std
reward/component_{mean,std} (component={func}): rewards/{func}/{mean,std}
policy/kl_ref: kl  # token mean
distill/kl: teacher_kl [GRPO | OPD]
length/response_{mean,min,max,clip_ratio}:
  completions/{mean_length,min_length,max_length,clipped_ratio}
agent/turns_mean: num_turns [GRPO multi-turn]; policy/entropy: entropy/mean
policy/entropy_{max,min,threshold}: entropy/{max,min,threshold}
policy/clip_fraction_{low,low_min,high,high_max}: clip_ratio/{low_mean,low_min,high_mean,high_max}
policy/clip_fraction: clip_ratio/region_mean; policy/clip_fraction (kind=cispo): cispo_clip_ratio
mismatch/kl: rollout_correction/kl  # masked mean
mismatch/{k3_kl,ppl_train}: rollout_correction/{k3_kl,training_ppl}
mismatch/ppl_rollout: rollout_correction/rollout_ppl
mismatch/log_ppl_diff_mean: rollout_correction/log_ppl_diff
mismatch/{ppl_ratio,chi2_token,chi2_sequence}: rollout_correction/{ppl_ratio,chi2_token,chi2_seq}
mismatch/is_weight_mean: rollout_correction/is_weight_mean
mismatch/effective_sample_size: rollout_correction/ess
mismatch/masked_fraction: rollout_correction/clipped_frac; none: fipo/{key} [FIPO]
preference/chosen_reward: rewards/chosen [DPO | KTO | ORPO | CPO | SimPO]  # as TRL
preference/rejected_reward: rewards/rejected [DPO | KTO | ORPO | CPO | SimPO]  # as TRL
preference/accuracy: rewards/accuracies [DPO | ORPO | CPO | SimPO]
[DPO | KTO | ORPO | CPO | SimPO]
preference/margin: rewards/margins; preference/{chosen,rejected}_logprob: logps/{chosen,rejected}
none: logps_mean/{split} [DPO]; preference/{chosen,rejected}_logits: logits/{chosen,rejected}
preference/nll_loss: nll_loss [DPO | CPO | ORPO]
[RM]
rm/score_{chosen,rejected}_mean: rewards/{chosen,rejected}
rm/{accuracy,margin}: rewards/{accuracies,margins}; rm/center_loss: center_rewards_loss
[]
mismatch/log_ppl_diff_{abs,max,min}: rollout_correction/log_ppl_{abs_diff,diff_max,diff_min}
none: rollout_correction/rollout_log_ppl  # the logarithm of the perplexity that is bound
none: future_kl | influence_weight | rlsd_lambda | sdar/coef  # weights of single algorithms
none: n_steps | record_acc | rollout_correction  # counters of its own bookkeeping
"""
