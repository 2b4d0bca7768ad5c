"""Names that Vidur PPO global scheduler logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
policy/approx_kl: approx_kl [PPO (csv)]  # estimator k1 clamped at 0; negative batch means become
  exactly 0, so long runs of 0.0 do not mean 'no change'
policy/approx_kl: Training/ApproxKL [PPO (tensorboard)]  # estimator k1 clamped at 0; negative batch
  means become exactly 0, so long runs of 0.0 do not mean 'no change'
policy/clip_fraction: clipfrac [PPO (csv)]  # mean(|r-1|>eps)
policy/clip_fraction: Training/ClipFraction [PPO (tensorboard)]  # mean(|r-1|>eps)
policy/entropy: entropy [PPO (csv)]
policy/entropy: Training/Entropy [PPO (tensorboard)]
policy/loss: pi_loss [PPO (csv)]
policy/loss: Training/PolicyLoss [PPO (tensorboard)]
value/loss: vf_loss [PPO (csv)]  # 0.5*mean(max)
value/loss: Training/ValueLoss [PPO (tensorboard)]  # 0.5*mean(max)
value/explained_variance: explained_var [PPO (csv)]  # 1-Var(R-V)/(Var(R)+1e-8)
value/explained_variance: Training/ExplainedVariance [PPO (tensorboard)]  # 1-Var(R-V)/(Var(R)+1e-8)
optim/grad_norm: pg_grad_norm [PPO (csv)]
optim/grad_norm: Training/GradientNorm [PPO (tensorboard)]
optim/learning_rate: lr [PPO (csv)]
optim/learning_rate: Training/LearningRate [PPO (tensorboard)]
[PPO (csv)]
policy/entropy_coef: entropy_coef
control/emergency: entropy_emergency_mode
control/interventions: entropy_interventions
control/since_intervention: entropy_steps_since_intervention
reward/mean: reward_mean [rollout rows (csv)]
reward/mean: Rollout/RewardMean [PPO (tensorboard)]
reward/std: reward_std [rollout rows (csv)]
reward/std: Rollout/RewardStd [PPO (tensorboard)]
reward/min: reward_min [rollout rows (csv)]
reward/min: Rollout/RewardMin [PPO (tensorboard)]
reward/max: reward_max [rollout rows (csv)]
reward/max: Rollout/RewardMax [PPO (tensorboard)]
value/mean: value_mean [rollout rows (csv)]
value/mean: Rollout/ValueMean [PPO (tensorboard)]
returns/mean: return_mean [rollout rows (csv)]
returns/mean: Rollout/ReturnMean [PPO (tensorboard)]
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
reward/mean: Reward/Total
reward/component_mean (component=throughput): Reward/Throughput
reward/component_mean (component=latency): Reward/Latency
reward/component_mean (component=balance_penalty): Reward/BalancePenalty
control/service_change (of=throughput): Reward/DeltaThroughput
control/service_change (of=latency): Reward/DeltaLatency
reward/unclipped_mean: Debug/RawReward
reward/clipped_fraction: Debug/RewardClipped
curriculum/stage: curriculum/stage_index
[]
policy/temperature: current_temperature
optim/lr_scale: lr_scale
optim/minibatch_size: minibatch_size
optim/grad_spike: grad_spike
progress/chunks: completed_chunks
progress/requests: requests_done
"""

FRAMEWORK = Framework(
    id="vidur-ppo-scheduler",
    title="Vidur PPO global scheduler",
    version="commit a703391",
    names=("vidur",),
    kind="classic",
    aliases=aliases(NAMES),
)
