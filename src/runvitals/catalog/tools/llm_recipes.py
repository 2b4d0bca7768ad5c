"""Smaller libraries and recipes that train language models."""

TOOLS = """
tool torchtune (kind=llm; version=0.7.0 repository snapshot (2026-04)): torchtune
lm/loss: loss [SFT | LoRA | QAT]; preference/loss: loss [DPO]; optim/loss: loss [PPO]
policy/loss_total: loss [GRPO]; eval/loss: val_loss [SFT | LoRA | QAT]; optim/learning_rate: lr
optim/grad_norm: grad_norm [SFT | LoRA | QAT | GRPO]
throughput/tokens_per_s_per_device: tokens_per_second_per_gpu [SFT | LoRA | QAT | DPO | KD] # tokens
  / (time * devices)
system/gpu_memory_{active,allocated,reserved}_gb: peak_memory_{active,alloc,reserved}
[DPO]
preference/{chosen,rejected}_reward: rewards/{chosen,rejected}  # beta*(pi - ref)
preference/accuracy: rewards/accuracies
preference/margin: rewards/margins  # chosen - rejected
preference/{chosen,rejected}_logprob: log_probs/{chosen,rejected}
preference/{chosen,rejected}_logits: logits/{chosen,rejected}; lm/loss: class_loss [KD]
distill/loss: kd_loss [KD]; reward/score_mean: scores [PPO]
length/stop_token_count: num_stop_tokens [PPO | GRPO]
[PPO]
reward/mean: rlhf_reward  # scores + kl_reward
policy/kl_ref_sequence: kl  # mean(sum(pi - ref))
reward/kl_penalty_mean: kl_reward; policy/loss: policy_loss
value/loss: value_loss  # 0.5*masked mean(max(...))
[PPO | GRPO]
policy/clip_fraction: clipfrac  # masked mean
policy/ratio_mean: ratios
policy/approx_kl: approx_policy_kl  # 0.5*mean((new-old)^2)
length/response_mean: response_lengths
throughput/generation_tokens_per_s_per_device: tokens_per_second_per_gpu_trajectory [PPO]
throughput/train_tokens_per_s_per_device: tokens_per_second_per_gpu_ppo [PPO]
[GRPO]
reward/mean: rewards; outcome/success_rate: successes; policy/loss (scale=-1): policy_loss
policy/kl_ref: kl_loss  # masked mean
[async GRPO]
reward/mean: postprocessing_worker_rewards/rewards_mean
outcome/success_rate: postprocessing_worker_rewards/successes_mean
async/queue_size (queue=rollout): queues/rollout_queue_size
async/queue_size (queue=replay): queues/train_replay_buffer_size
async/staleness_mean: queues/train_worker_policy_age_mean
policy/loss_total: train_worker_training/loss
policy/loss (scale=-1): train_worker_training/policy_loss
policy/kl_ref: train_worker_training/kl_loss; policy/ratio_mean: train_worker_training/ratios
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
system/gpu_memory_{active,allocated,reserved}_gb:
  train_worker_performance/memory/peak_memory_{active,alloc,reserved}
time/generation_s: datacollector_worker_performance/total_rollout_time (s)
throughput/generation_tokens_per_s: datacollector_worker_performance/tokens_per_second

tool torchforge (kind=llm; version=0.1.0 (repository snapshot 2025-11-15); names=forge): torchforge
[GRPO]
policy/{loss_total,learning_rate}: rl_trainer/{avg_loss,learning_rate}
time/training_s: rl_trainer_perf/step/total_duration_avg_s
time/stage_s (stage=trainer/{part}): rl_trainer_perf/step/{part}/duration_avg_s
system/gpu_memory_allocated_gb: rl_trainer_perf/step/memory_peak_max_gb
time/weight_sync_s: rl_trainer_perf/push_weights/total_duration_avg_s
none: generator/generate/count_requests
data/samples_per_step: generator/generate/count_sequences_completed
data/tokens_per_step: generator/generate/sum_tokens_generated
length/response_mean: generator/generate/avg_tokens_generated
time/generation_sample_{mean,max}_s: generator_perf/generate/total_duration_{avg,max}_s
rollout/waiting_requests: generator_perf/update_weights/avg_pending_requests
none: generator/update_weights/count_weight_updates
data/samples_per_step (where=buffer): buffer/add/count_episodes_added
async/staleness_{mean,max,min}: buffer/sample/{avg,max,min}_sampled_policy_age
none: buffer/sample/avg_data_utilization | buffer/sample/avg_buffer_utilization
async/dropped_samples: buffer/evict/sum_episodes_evicted
reward/component_{mean,std} (component={func}): reward/evaluate_response/{avg,std}_{func}_reward
none: reward/evaluate_response/sum_{func}_reward | reward/evaluate_response/count_{func}_calls
reward/score_mean: reward/evaluate_response/avg_total_reward
time/ref_logprob_s: reference_perf/forward/total_duration_avg_s
length/total_mean (where=reference): reference_perf/forward/avg_sequence_length
time/stage_s (stage=rollouts/{part}): main_perf/continuous_rollouts/{part}/duration_avg_s
time/stage_s (stage=training/{part}): main_perf/continuous_training/{part}/duration_avg_s
time/wait_s: main_perf/continuous_training/waiting_for_buffer/duration_avg_s
none: main/continuous_rollouts/count_rollout_iterations
progress/epoch: dataset/sample/current_epoch; none: dataset/sample/avg_sample_len
[SFT]
lm/loss: ForgeSFTRecipe/train_step/loss; progress/step: ForgeSFTRecipe/train/step
data/tokens_per_step: dataset/{name}/tokens_processed
length/total_mean: dataset/{name}/mean_seq_len
data/padding_fraction (scale=0.01): dataset/{name}/pct_of_tokens_padded
progress/epoch: dataset/{name}/num_epochs

tool tinker (kind=llm; version=0.1 (2026); names=tinker-cookbook; marks=progress/done_frac optim/lr
  | env/all/reward/total): Tinker cookbook
progress/{fraction,step,epoch,step}: progress/{done_frac,batch,epoch,step}
optim/learning_rate: optim/lr
[RL]
policy/entropy: optim/entropy; mismatch/logprob_diff_mean: optim/kl_sample_train_v1
mismatch/kl: optim/kl_sample_train_v2  # 0.5*mean(d^2)
policy/kl_ref: kl_policy_base
# Statistics of the rollouts: of all, then of each tagged part of the data.
reward/score_mean: env/all/reward/total; length/response_mean: env/all/ac_tokens_per_turn
length/prompt_mean: env/all/ob_tokens_per_turn; agent/turns_mean: env/all/turns_per_episode
data/samples_per_step: env/all/total_episodes
reward/group_{mixed,all_correct}_fraction: env/all/by_group/frac_{mixed,all_good}
reward/group_all_wrong_fraction: env/all/by_group/frac_all_bad
reward/score_mean: env/{group}/reward/total; length/response_mean: env/{group}/ac_tokens_per_turn
length/prompt_mean: env/{group}/ob_tokens_per_turn; agent/turns_mean: env/{group}/turns_per_episode
data/samples_per_step: env/{group}/total_episodes
reward/group_{mixed,all_correct}_fraction: env/{group}/by_group/frac_{mixed,all_good}
reward/group_all_wrong_fraction: env/{group}/by_group/frac_all_bad; none: env/all/total_turns
data/tokens_per_step: env/all/total_ac_tokens; none: env/all/total_ob_tokens
env/metric (name={metric}): env/all/{metric}; eval/score_mean: test/env/all/reward/total
time/step_s: time/total []
[SFT]
lm/loss: train_mean_nll; eval/loss: test/nll; none: num_loss_tokens; preference/loss: dpo_loss [DPO]

tool trlx (kind=llm; version=repository snapshot 2024-01-09 (last release 0.7.0)): trlX
[PPO]
optim/loss: losses/total_loss  # sum
policy/loss: losses/policy_loss
value/loss: losses/value_loss  # 0.5*masked mean(max(...))
value/{pred_mean,min,max,std,error}: values/{mean,min,max,std,values_error}
none: values/values_mape_error; value/clip_fraction: values/clipfrac
{value,returns}/mean: {old_values,returns}/mean; returns/{std,min,max}: returns/{std,min,max}
policy/approx_kl: policy/approx_kl  # mean((r-1) - log r)
policy/clip_fraction: policy/clipfrac  # masked mean
policy/ratio_mean: ratio  # masked mean
data/padding_fraction: padding_percentage
policy/kl_ref_sequence (transform=x**2): policy/sqrt_kl  # sqrt(mean(sum))
policy/kl_ref (transform=x**2): policy/kl_per_token  # sqrt(mean)
policy/kl_coef: kl_ctl_value
reward/{score_mean,score_std,running_mean,running_std}:
  rollout_scores/{mean,std,running_mean,running_std}
time/generation_s: time/rollout_time; time/generation_s (part=generate): time/rollout_generate
time/reward_s: time/rollout_score; time/{forward,backward}_s: time/{forward,backward} []
time/eval_s: time/generate [evaluation]; time/stage_s (stage=metric): time/metric [evaluation]
optim/learning_rate: learning_rate_group_{i} []
eval/score_mean: reward/mean{suffix} | metrics/{name}{suffix} [evaluation]
lm/loss: loss [SFT | RFT]
[ILQL]
optim/loss: losses/loss  # weighted sum
value/td_error: losses/loss_q
value/loss: losses/loss_v  # masked mean
none: losses/loss_cql; policy/loss: losses/loss_awac; value/q_mean: qvalues/{i}/mean
eval/score_mean: reward/mean []

tool rl4lms (kind=llm; version=repository snapshot 2023-03-30): RL4LMs
[PPO | NLPO | A2C | TRPO]
{reward/score,length/response}_mean: rollout_info/ep_{rew,lens}
reward/kl_penalty_mean: rollout_info/ep_kl_rew
policy/kl_ref: rollout_info/kl_div_mean  # mean(logp - ref)
policy/{kl_coef,logprob_mean}: rollout_info/{kl_coeff,log_prob}
policy/logprob_ref_mean: rollout_info/ref_log_prob; value/mean: rollout_info/values
none: rollout_info/{key}_std
[PPO | NLPO | A2C]
policy/entropy (scale=-1): ppo/entropy_loss  # -mean(H)
policy/loss: ppo/policy_gradient_loss
value/loss: ppo/value_loss  # mse
policy/approx_kl: ppo/approx_kl [PPO | NLPO]  # mean((r-1) - log r)
value/explained_variance: ppo/explained_variance [PPO]  # 1 - var(R - V)/var(R)
[PPO | NLPO]
policy/clip_{fraction,range}: train/clip_{fraction,range}
optim/loss: train/loss  # sum
progress/optimizer_steps: train/n_updates [PPO | NLPO | A2C]; none: {split}/{metric} [evaluation]

tool deepspeed-chat (kind=llm; version=DeepSpeedExamples, 2023 and 2024; marks=act_loss cri_loss):
  DeepSpeed-Chat
[PPO]
reward/score_mean: average reward score | Average reward score  # of the reward model, mean of a batch
policy/loss: act_loss | Actor Loss; value/loss: cri_loss | Critic Loss
none: unsuper_loss | Unsupervised Loss | ppo_ep | PPO Epoch
time/step_s: E2E latency; time/generation_s: Generate time; time/training_s: Training time
[RM]
eval/rm/accuracy: acc (higher is better) | eval/acc (higher is better)
eval/rm/score_chosen_mean: chosen_last_scores (higher is better)
eval/rm/score_rejected_mean: rejected_last_scores (lower is better)

tool build-nanogpt (kind=llm; version=2024-06; names=build-nanogpt | build_nanogpt): build-nanoGPT
# Andrej Karpathy's; its log.txt says no more than these three names.
lm/loss: train  # mean over the micro-batches of a step
eval/lm/loss: val  # mean over 20 batches of the validation shard
none: hella  # share of HellaSwag that is right; 0.25 is guessing
"""
