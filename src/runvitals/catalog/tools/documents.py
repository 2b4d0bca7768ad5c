"""Names that documents use."""

TOOLS = """
tool glossary (kind=llm; version=names that documents use and no tool logs under exactly this
  spelling; inherits=verl; names=seed-glossary): Training Metrics Glossary
policy/approx_kl: actor/approx_kl  # any estimator
value/mean: critic/value/mean; advantage/std: critic/advantages/std
optim/learning_rate: lr_scheduler/{key}
[DPO]
preference/loss: loss/dpo
preference/{chosen_reward,rejected_reward,margin,accuracy}:
  rewards/{chosen,rejected,margins,accuracy}
[]
rm/{loss,accuracy,margin,grad_norm}: rm/{loss,accuracy,reward_margin,grad_norm}
policy/approx_kl: policy/approx_kl  # any estimator
length/response_mean: response_length; reward/mean: rewards
outcome/return_mean: avg_reward | avg_return; outcome/win_rate: win_rate
outcome/win_rate (smoothing=ema): win_rate_ema; optim/learning_rate: current_lr
policy/clip_range: clip_epsilon; policy/approx_kl: actor/approxkl; optim/loss: loss/total
outcome/success_rate: success_rate; outcome/return_mean: average_return | average_episode_return
outcome/episode_length_mean: episode_length; throughput/env_steps_per_s: steps_per_second
throughput/updates_per_s: updates_per_second | updates_per_sec | updates/sec
outcome/distance_to_goal: distance_to_goal; outcome/collision_rate: collision_rate
{policy,value}/loss: {policy,value}_loss; policy/entropy: entropy; policy/approx_kl: approx_kl
policy/clip_fraction: clip_fraction

tool teacher-tuner (kind=llm; version=names of a teacher-scored LLM trainer; names=seed-tensorboard
  | tensorboard-metrics-reference): TensorBoard Metrics Reference (teacher-scored trainer)
[REINFORCE with KL]
policy/{loss_total,loss,kl_loss}: Train/{Loss,PolicyLoss,KLPenalty}; reward/mean: Train/AvgReward
reward/std: Train/RewardStd  # std
reward/{min,max,var}: Train/{RewardMin,RewardMax,RewardVariance}
reward/mean (window=epoch): Epoch/AvgReward; policy/loss_total (window=epoch): Epoch/AvgLoss
reward/{var,trend} (window=epoch): Epoch/{RewardVariance,RewardTrend}
optim/loss_trend (window=epoch): Epoch/LossTrend
data/teacher_tokens (window=epoch): Epoch/APITokens
data/samples_per_step (window=epoch): Epoch/NumSamples
throughput/generation_tokens_per_s: Performance/Generation_TokensPerSec
time/generation_s: Performance/Generation_Time
throughput/generation_tokens_per_s (stat=mean; window=run): Performance/Generation_AvgTokensPerSec
throughput/generation_tokens_per_s (stat=p99): Performance/Generation_P99TokensPerSec
throughput/tokens_per_s (stage=backprop): Performance/Backprop_TokensPerSec
throughput/tokens_per_s (stage=backprop; stat=mean; window=run):
  Performance/Backprop_AvgTokensPerSec
throughput/tokens_per_s (stage=backprop; stat=p99): Performance/Backprop_P99TokensPerSec
reward/component_weight (component={criterion}): Scoring/{criterion}
[]
system/{cpu,memory}_percent: System/{CPU,Memory}_Percent
system/{memory_used,memory_available,process_memory}_gb:
  System/{Memory_Used,Memory_Available,Process_Memory}_GB
system/gpu_memory_{used_gb,total_gb,percent}: System/GPU_Memory_{Used_GB,Total_GB,Percent}
system/gpu_utilization_percent: System/GPU_Utilization

tool vidur-ppo-scheduler (kind=classic; version=commit a703391; names=vidur): Vidur PPO global
  scheduler
policy/approx_kl: approx_kl [PPO (csv)]  # estimator k1 clamped at 0; negative batch means become
  exactly 0, so long runs of 0.0 do not mean 'no change'
policy/approx_kl: Training/ApproxKL [PPO (tensorboard)]  # estimator k1 clamped at 0; negative batch
  means become exactly 0, so long runs of 0.0 do not mean 'no change'
policy/clip_fraction: clipfrac [PPO (csv)]  # mean(|r-1|>eps)
policy/clip_fraction: Training/ClipFraction [PPO (tensorboard)]  # mean(|r-1|>eps)
policy/entropy: entropy [PPO (csv)]; policy/entropy: Training/Entropy [PPO (tensorboard)]
policy/loss: pi_loss [PPO (csv)]; policy/loss: Training/PolicyLoss [PPO (tensorboard)]
value/loss: vf_loss [PPO (csv)]  # 0.5*mean(max)
value/loss: Training/ValueLoss [PPO (tensorboard)]  # 0.5*mean(max)
value/explained_variance: explained_var [PPO (csv)]  # 1-Var(R-V)/(Var(R)+1e-8)
value/explained_variance: Training/ExplainedVariance [PPO (tensorboard)]  # 1-Var(R-V)/(Var(R)+1e-8)
optim/grad_norm: pg_grad_norm [PPO (csv)]
optim/grad_norm: Training/GradientNorm [PPO (tensorboard)]; optim/learning_rate: lr [PPO (csv)]
optim/learning_rate: Training/LearningRate [PPO (tensorboard)]
[PPO (csv)]
policy/entropy_coef: entropy_coef
control/{emergency,interventions}: entropy_{emergency_mode,interventions}
control/since_intervention: entropy_steps_since_intervention
reward/mean: reward_mean [rollout rows (csv)]; reward/mean: Rollout/RewardMean [PPO (tensorboard)]
reward/std: reward_std [rollout rows (csv)]; reward/std: Rollout/RewardStd [PPO (tensorboard)]
reward/min: reward_min [rollout rows (csv)]; reward/min: Rollout/RewardMin [PPO (tensorboard)]
reward/max: reward_max [rollout rows (csv)]; reward/max: Rollout/RewardMax [PPO (tensorboard)]
value/mean: value_mean [rollout rows (csv)]; value/mean: Rollout/ValueMean [PPO (tensorboard)]
returns/mean: return_mean [rollout rows (csv)]; returns/mean: Rollout/ReturnMean [PPO (tensorboard)]
advantage/std: advantage_std [rollout rows (csv)]
advantage/std: Rollout/AdvantageStd [PPO (tensorboard)]
replay/fill_fraction: buffer_progress [rollout rows (csv)]
replay/fill_fraction: System/BufferProgress [PPO (tensorboard)]
policy/action_share (action={i}): action_replica_{i} [rollout rows (csv)]
policy/action_share (action={i}): Actions/Replica_{i} [PPO (tensorboard)]
[training rows (csv)]
reward/mean (window=decision): reward  # single decision
value/mean (window=decision): value_estimate  # single decision
policy/logprob_mean: log_probability  # single decision
policy/temperature: temperature | temp_current_temperature  # single decision
policy/temperature_base: temp_base_temperature  # single decision
control/pressure (signal=qps; smoothing=ema): temp_qps_pressure_ema  # single decision
control/pressure (signal=latency; smoothing=ema): temp_latency_pressure_ema  # single decision
control/pulse_active: temp_is_pulsing  # single decision
reward/component_mean (component=balance_penalty): balance_penalty  # single decision
env/metric (name=throughput): throughput  # single decision
env/metric (name=latency): latency  # single decision
control/service_change (of=throughput): delta_throughput  # single decision
control/service_change (of=latency): delta_latency  # single decision
env/metric (name=queue_length): queue_length  # single decision
reward/component_mean (component=absolute_score): absolute_score  # single decision
reward/component_mean (component=delta_score): delta_score  # single decision
reward/component_mean (component=absolute_score): reward_absolute_score  # single decision
reward/component_mean (component=delta_score): reward_delta_score  # single decision
[PPO (tensorboard)]
reward/mean: Reward/Total; reward/component_mean (component=throughput): Reward/Throughput
reward/component_mean (component=latency): Reward/Latency
reward/component_mean (component=balance_penalty): Reward/BalancePenalty
control/service_change (of=throughput): Reward/DeltaThroughput
control/service_change (of=latency): Reward/DeltaLatency; reward/unclipped_mean: Debug/RawReward
reward/clipped_fraction: Debug/RewardClipped; curriculum/stage: curriculum/stage_index
[]
policy/temperature: current_temperature; optim/lr_scale: lr_scale
optim/minibatch_size: minibatch_size; optim/grad_spike: grad_spike
progress/chunks: completed_chunks; progress/requests: requests_done
"""
