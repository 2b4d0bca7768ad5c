"""Names that TRL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
DPO_CPO_SIMPO = DPO | CPO | SimPO | ORPO | KTO | BCO | TPO | OnlineDPO | XPO | NashMD
lm/loss: loss [SFT]
preference/loss: loss [DPO | KTO | CPO | SimPO | ORPO | BCO | TPO | OnlineDPO | NashMD | XPO]
rm/loss: loss [Reward | PRM]
policy/loss_total: loss [GRPO | RLOO]
distill/loss: loss [GKD | Distillation]
optim/grad_norm: grad_norm
optim/learning_rate: learning_rate
progress/epoch: epoch
progress/tokens (versions=>=0.16): num_tokens [SFT | DPO | KTO | Reward | GRPO | RLOO
  | Distillation]
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
preference/chosen_logprob: logps/chosen
preference/rejected_logprob: logps/rejected
preference/chosen_logits: logits/chosen [DPO | CPO | SimPO | ORPO | KTO | BCO | TPO]
preference/rejected_logits: logits/rejected [DPO | CPO | SimPO | ORPO | KTO | BCO | TPO]
preference/accuracy: rewards/accuracy  # of forks
preference/margin: rewards/margin  # of forks
preference/nll_loss (always): nll_loss [CPO | SimPO | ORPO]
preference/nll_loss: nll_loss [DPO]  # with rpo_alpha
preference/log_odds_ratio (always): log_odds_ratio [ORPO]
preference/log_odds_chosen: log_odds_chosen [ORPO]
preference/kl (always): kl [KTO]
none (always): delta [BCO]
reward/score_mean (always): reward [GRPO | RLOO]  # mean over completions of sum_i w_i r_i
reward/std (versions=>=0.27): reward_std [GRPO | RLOO]  # unbiased std over the batch
reward/group_std_mean (versions=0.14 to 0.26): reward_std [GRPO]  # mean over groups of unbiased std
[GRPO | RLOO]
reward/zero_std_fraction (versions=>=0.18; always): frac_reward_zero_std  # mean(isclose(group std,
  0))
reward/component_mean (versions=>=0.17; component={func}): rewards/{func}/mean
reward/component_std (versions=>=0.17; component={func}): rewards/{func}/std
reward/component_mean (versions=0.14 to 0.16; component={func}): rewards/{func} [GRPO]
length/response_mean (versions=>=0.14): completion_length [GRPO]  # of TRL itself up to 0.16, of
  Unsloth and forks in later ones too
[GRPO | RLOO | Distillation]
length/response_mean (versions=>=0.17; always): completions/mean_length
length/response_min (versions=>=0.17): completions/min_length
length/response_max (versions=>=0.17): completions/max_length
length/response_clip_ratio (versions=>=0.17): completions/clipped_ratio  # mean(truncated)
length/response_terminated_mean (versions=>=0.17): completions/mean_terminated_length
length/response_terminated_min (versions=>=0.17): completions/min_terminated_length
length/response_terminated_max (versions=>=0.17): completions/max_terminated_length
policy/kl_ref: kl [GRPO]  # mean(exp(ref-pi) - (ref-pi) - 1)
policy/kl_ref (versions=>=0.22): kl [RLOO]  # mean(old - ref) over tokens
policy/entropy (versions=>=0.20): entropy [GRPO | RLOO]  # H from logits
[GRPO | RLOO | GMPO | AsyncGRPO]
policy/clip_fraction_low (versions=>=0.17): clip_ratio/low_mean
policy/clip_fraction_low_min (versions=>=0.17): clip_ratio/low_min
policy/clip_fraction_high (versions=>=0.17): clip_ratio/high_mean
policy/clip_fraction_high_max (versions=>=0.17): clip_ratio/high_max
policy/clip_fraction (versions=>=0.17): clip_ratio/region_mean
[GRPO]
policy/clip_fraction (versions=0.16 and Liger path up to 1.x): clip_ratio
policy/clip_fraction (kind=cispo): cispo_clip_ratio
none: vespo/phi_seq_mean
policy/loss: policy_loss
policy/entropy_coef: entropy_coef
time/step_s (versions=>=0.26; always): step_time [GRPO | RLOO | Distillation]
mismatch/logprob_diff_mean (versions=>=0.23): sampling/sampling_logp_difference/mean
mismatch/logprob_diff_max (versions=>=0.23): sampling/sampling_logp_difference/max
mismatch/is_weight_min (versions=>=0.23): sampling/importance_sampling_ratio/min
mismatch/is_weight_mean (versions=>=0.23): sampling/importance_sampling_ratio/mean
mismatch/is_weight_max (versions=>=0.23): sampling/importance_sampling_ratio/max
agent/tool_calls_mean (versions=>=0.26): tools/call_frequency [GRPO | Distillation]
agent/tool_failure_rate (versions=>=0.26): tools/failure_frequency [GRPO | Distillation]
[Reward]
rm/score_min (versions=>=0.24): min_reward
rm/score_mean (versions=>=0.24): mean_reward
rm/score_max (versions=>=0.24): max_reward
rm/accuracy (versions=>=0.24): accuracy
rm/margin (versions=>=0.24): margin
eval/rm/accuracy: eval_accuracy [Reward | PRM]
none: eval_{metric} []
eval/win_rate: eval_win_rate | eval_avg_win_prob [WinRateCallback]
policy/kl_ref_sequence (versions=0.9 (PPOv2) to 1.12, RLOO <= 0.21): objective/kl [PPO | RLOO-old
  | OnlineDPO | XPO]  # mean over sequences of sum(logp - ref_logp)
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
length/stop_token_count: val/num_eos_tokens
length/stop_rate: val/contain_eos_token [OnlineDPO]
length/stop_rate: val/model_contain_eos_token [XPO | NashMD]
none: val/ref_contain_eos_token [XPO | NashMD]
optim/learning_rate: lr
throughput/episodes_per_s: eps
progress/episodes: episode
preference/beta (always): beta [OnlineDPO | XPO | NashMD]
[XPO]
preference/loss: loss/dpo
none: loss/xpo
reward/score_mean: objective/model_scores
none: objective/ref_scores | alpha
[NashMD]
policy/loss: loss/score
policy/kl_loss: loss/kl
outcome/win_rate: rewards/probabilities
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
reward/score_mean (versions=<=0.11): ppo/mean_scores
reward/score_std (versions=<=0.11): ppo/std_scores
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
returns/mean (versions=<=0.11): ppo/returns/mean
returns/var (versions=<=0.11): ppo/returns/var
value/pred_mean (versions=<=0.11): ppo/val/vpred
value/error (versions=<=0.11): ppo/val/error
value/clip_fraction (versions=<=0.11): ppo/val/clipfrac
value/mean (versions=<=0.11): ppo/val/mean
value/var (versions=<=0.11): ppo/val/var
value/explained_variance (versions=<=0.11): ppo/val/var_explained  # 1 - val/error / returns/var
policy/learning_rate (versions=<=0.11): ppo/learning_rate
length/prompt_mean (versions=<=0.11): tokens/queries_len_mean
length/prompt_std (versions=<=0.11): tokens/queries_len_std
length/prompt_mean (versions=<=0.11; stat=distribution): tokens/queries_dist
length/response_mean (versions=<=0.11): tokens/responses_len_mean
length/response_std (versions=<=0.11): tokens/responses_len_std
length/response_mean (versions=<=0.11; stat=distribution): tokens/responses_dist
reward/score_mean (versions=<=0.11): env/reward_mean
reward/score_std (versions=<=0.11): env/reward_std
reward/score_mean (versions=<=0.11; stat=distribution): env/reward_dist  # array
time/logprob_s (versions=<=0.11): time/ppo/forward_pass
time/reward_s (versions=<=0.11): time/ppo/compute_rewards
time/advantage_s (versions=<=0.11): time/ppo/compute_advantages
time/policy_update_s (versions=<=0.11): time/ppo/optimize_step
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
async/staleness_mean: sample/staleness_mean
async/staleness_max: sample/staleness_max
async/dropped_samples: sample/dropped_stale_total
async/queue_size: sample/rollout_queue_size
time/wait_s (stage=queue): sample/time_in_queue_s
length/total_mean: sample/forwarded_tokens_mean
length/total_max: sample/forwarded_tokens_max
data/padding_fraction: batch/pad_frac
balance/token_imbalance: batch/row_imbalance
data/tokens_per_step: batch/forwarded_tokens_per_step
data/samples_per_step: batch/samples_per_step
data/prompts_per_step: batch/groups_per_step [AsyncGRPO]
time/step_s: perf/step_s
time/training_s: perf/fwd_bwd_s
time/forward_s: perf/fwd_s
time/optimizer_s: perf/optimizer_s
time/wait_s: perf/rollout_wait_s
time/weight_sync_s: perf/weight_sync_s
throughput/tokens_per_s (clock=fwd_bwd): perf/forwarded_tok_s_fwd_bwd
throughput/tokens_per_s (clock=wall): perf/forwarded_tok_s_wall_clock
throughput/mfu (scale=0.01; clock=fwd_bwd): perf/mfu_fwd_bwd  # 100 * flops per token * tokens per s
  / (peak * devices)
throughput/mfu (scale=0.01; clock=wall): perf/mfu_wall_clock  # as above
time/stage_s (stage={method}): profiling/Time taken: {method} [GRPO | RLOO | OnlineDPO]
[AsyncGRPO | AsyncDistillation | IW-OPD]
throughput/generation_tokens_per_s: rollout/generated_tok_s
rollout/running_requests: rollout/inflight
time/reward_s: rollout/score_s
time/stage_s: perf/weight_sync_{stage}_s
time/tool_calls_s: tools/latency_s | tools/{tool}/latency_s
outcome/success_rate: rollout/correctness_mean
agent/turn_limit_rate: tools/loop_exhausted_frac
data/packing_ratio: batch/packing_ratio
data/batch_fill_ratio: batch/row_fill_frac
data/tokens_per_step: batch/trained_tokens_per_step
distill/teacher_entropy: teacher_entropy | teacher_entropy/{teacher}
distill/loss: {mode}/distillation_loss
none: batch/dropped_oversize_total | batch/masked_token_frac | batch/microbatches_per_step
  | batch/row_tokens_max | batch/row_tokens_mean | batch/samples_per_row
  | sample/trained_tokens_mean | rollout/samples_per_rollout  # how rows are packed, not how
  training goes
none: perf/trained_tok_s_wall_clock  # tokens that count in the loss, where others count all
rollout/retried_requests: rollout/vllm_retry_total
none: rollout/backpressure_s | rollout/score_block_s | rollout/score_wait_s
  | rollout/score_queue_size | teacher_score_s/{teacher}  # how the
  rollout worker keeps up with itself
none: rollout/drift_tokens_max | rollout/fork_frac | rollout/drift_tokens_mean
  | rollout/realign_frac  # how well a chat was put together again
none: tools/unknown_name_total | tools/parallel_calls_mean | tools/{tool}/call_total
  | tools/{tool}/failure_total  # a count since the start, or of one tool
none: jsd | teacher_jsd/{teacher} | teacher_token_frac/{teacher} | iw_opd/{what} | matched_loss
  | unmatched_loss  # a divergence other than the KL, or of one teacher
none: completions/{part}_{stat}_length  # length of one part of a completion
none: self_distillation/rewards/{what}  # rewards that the student is not trained on
none: implicit_reward | v_star  # means that single trainers add for their papers
"""

FRAMEWORK = Framework(
    id="trl",
    title="TRL",
    version="1.16.0",
    inherits=("transformers",),
    kind="llm",
    aliases=aliases(NAMES),
)
