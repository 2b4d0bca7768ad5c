"""Names that Open Instruct logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
progress/episodes: episode [GRPO | RM]
progress/episodes: global_step [GRPO]
progress/step: training_step [GRPO | DPO]
progress/epoch: epoch [GRPO | DPO | RM]
[GRPO]
policy/learning_rate: lr
policy/grad_norm: optim/grad_norm
reward/mean: scores
reward/score_mean: objective/verifiable_reward
outcome/success_rate: objective/verifiable_correct_rate
reward/component_mean (component={verifier}): objective/{verifier}_reward
outcome/success_rate (component={verifier}): objective/{verifier}_correct_rate
reward/component_mean (component=format): val/format_scores
policy/kl_ref (estimator=k1): objective/kl0_avg  # token-weighted mean(new - ref)
policy/kl_ref (estimator=k2): objective/kl1_avg  # mean(0.5*(new - ref)^2)
policy/kl_ref (estimator=k3): objective/kl2_avg  # mean(expm1(-(new - ref)) + (new - ref))
policy/kl_ref (estimator=ratio_k1): objective/kl3_avg  # mean(ratio*(new - ref))
policy/kl_loss: loss/kl_avg
policy/loss: loss/policy_avg
policy/loss_total: loss/total_avg
policy/clip_fraction: policy/clipfrac_avg  # token-weighted mean
policy/entropy: policy/entropy_avg  # token-weighted mean
policy/ratio_mean: val/ratio  # token-weighted mean
policy/ratio_var: val/ratio_var  # weighted variance
mismatch/is_weight_mean: val/rho_weight
mismatch/is_weight_fraction_high (action=clip): val/rho_clipfrac
mismatch/masked_fraction: val/rho_drop_frac
mismatch/is_weight_fraction_low: val/rho_drop_low_frac
mismatch/is_weight_fraction_high (action=drop): val/rho_drop_high_frac
mismatch/is_weight_mean (stat=distribution): val/rho_hist
mismatch/logprob_diff_mean: debug/vllm_vs_local_logprob_diff_mean
mismatch/logprob_diff_max: debug/vllm_vs_local_logprob_diff_max
mismatch/logprob_diff_std: debug/vllm_vs_local_logprob_diff_std
mismatch/kl: debug/vllm_local_reverse_kl  # mean(p_vllm*(lp_vllm - lp_local))
data/batch_fill_ratio: real_batch_size_ratio
none: unsolved_batch_size_ratio
data/packing_ratio: packed_ratio
data/prompts_per_step: val/total_reward_groups
length/response_mean: val/sequence_lengths
length/response_min: val/sequence_lengths_min
length/response_max: val/sequence_lengths_max
length/response_correct_mean: val/sequence_lengths_solved
length/response_incorrect_mean: val/sequence_lengths_unsolved
length/stop_rate: val/stop_rate
advantage/mean: val/advantages_mean
advantage/min: val/advantages_min
advantage/max: val/advantages_max
none: val/solve_rate_hist
data/groups_filtered: batch/filtered_prompts
none: batch/filtered_prompts_zero | batch/filtered_prompts_solved | batch/filtered_prompts_nonzero
data/filtered_fraction: batch/filtered_prompts_pct
outcome/success_rate (source=batch): batch/percent_solved_mean
data/prompts_per_step: batch/total_prompts
none: batch/no_resampled_prompts | model_step_mean
async/staleness_mean: num_steps_off_policy
async/dropped_samples: stale_results_dropped
[tools]
agent/tool_calls_mean: tools/{name}/avg_calls_per_rollout
agent/tool_failure_rate: tools/{name}/failure_rate
agent/tool_runtime_s: tools/{name}/avg_runtime
[GRPO]
progress/tokens: val/num_total_tokens
data/tokens_per_step: val/num_step_tokens
throughput/tokens_per_s (window=run): learner_tokens_per_second_overall
throughput/tokens_per_s: learner_tokens_per_second_step
throughput/generation_tokens_per_s: val/actor_tokens_per_second
throughput/mfu_generation (scale=0.01): actor_mfu
throughput/mbu (scale=0.01): actor_mbu
throughput/mfu (scale=0.01): learner_mfu  # 100*ratio
time/step_s: time/total
time/training_s: time/training
time/checkpoint_s: time/saving
time/weight_sync_s: time/weight_sync
time/wait_s: time/trainer_waiting_for_data
time/stage_s (stage=generation_waiting_for_trainer): time/generation_waiting_for_trainer
time/generation_sample_mean_s: time/group_generation_mean
time/generation_sample_max_s: time/group_generation_max
time/generation_sample_min_s: time/group_generation_min
eval/score_mean: eval/scores
eval/mean_at_n (n=1): eval/pass_at_1
eval/any_correct_at_n: eval/pass_at_{n}  # mean(c > 0)
eval/pass_at_k: eval/pass_at_{k}_unbiased  # 1 - C(n-c,k)/C(n,k)
eval/length/response_mean: eval/sequence_lengths
eval/length/stop_rate: eval/stop_rate
throughput/generation_tokens_per_s (split=eval): eval/actor_tokens_per_second
lm/loss: train_loss [SFT]
preference/loss: train_loss [DPO]
optim/learning_rate: learning_rate [SFT | DPO]
[SFT]
progress/tokens: total_tokens
none: total_pred_tokens
throughput/tokens_per_s_per_device: per_device_tps  # tokens / devices / time
none: per_device_tps_including_padding
system/gpu_memory_reserved_gb: reserved_mem_GiB
system/gpu_memory_allocated_gb: allocated_mem_GiB
lm/aux_loss: aux_loss [SFT | DPO]
[DPO]
preference/chosen_reward: rewards/chosen  # beta*(pi - ref)
preference/rejected_reward: rewards/rejected  # beta*(pi - ref)
preference/average_reward: rewards/average
preference/accuracy: rewards/accuracy
preference/margin: rewards/margin
preference/chosen_logprob: logps/chosen
preference/rejected_logprob: logps/rejected
throughput/mfu (scale=0.01): perf/mfu_step  # 100*ratio
throughput/tokens_per_s: perf/tokens_per_second_step
throughput/tokens_per_s (window=run): perf/tokens_per_second_avg
data/padding_fraction: train/padding_fraction [DPO olmo-core]
[RM]
rm/loss: train/rm/loss
rm/accuracy: train/rm/accuracy
rm/score_chosen_mean: train/rm/chosen_rewards
rm/score_rejected_mean: train/rm/rejected_rewards
rm/margin: train/rm/reward_margin
optim/learning_rate: train/rm/lr
eval/rm/accuracy: eval/rm/accuracy
eval/rm/loss: eval/rm/loss
eval/rm/score_chosen_mean: eval/rm/chosen_rewards
eval/rm/score_rejected_mean: eval/rm/rejected_rewards
eval/rm/margin: eval/rm/reward_margin
"""

FRAMEWORK = Framework(
    id="open-instruct",
    title="Open Instruct",
    version="repository snapshot 2026-08-20",
    kind="llm",
    aliases=aliases(NAMES),
)
