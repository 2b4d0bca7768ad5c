"""Names that OpenAI Spinning Up logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
VPG_PPO_TRPO = VPG | PPO | TRPO | DDPG | TD3 | SAC
[VPG_PPO_TRPO]
progress/epoch: Epoch
outcome/return_mean: AverageEpRet  # one epoch; trajectories cut by the epoch end are excluded
  (biased towards short episodes)
outcome/return_std: StdEpRet  # one epoch; trajectories cut by the epoch end are excluded (biased
  towards short episodes)
outcome/return_max: MaxEpRet  # one epoch; trajectories cut by the epoch end are excluded (biased
  towards short episodes)
outcome/return_min: MinEpRet  # one epoch; trajectories cut by the epoch end are excluded (biased
  towards short episodes)
outcome/episode_length_mean: EpLen
[VPG | PPO | TRPO]
value/mean: AverageVVals
value/std: StdVVals
value/max: MaxVVals
value/min: MinVVals
progress/env_steps: TotalEnvInteracts [VPG_PPO_TRPO]
policy/loss: LossPi
value/loss: LossV  # mean((V-R)^2)
policy/loss_delta: DeltaLossPi
value/loss_delta: DeltaLossV
policy/entropy: Entropy [VPG | PPO]  # mean(H); tf1: -mean(log pi)
policy/approx_kl: KL  # estimator k1; may be negative; PPO stops at 1.5*target_kl
policy/clip_fraction: ClipFrac [PPO]  # mean(r>1+eps or r<1-eps)
policy/early_stop_iter: StopIter [PPO]
policy/backtrack_iters: BacktrackIters [TRPO]
time/elapsed_s: Time [VPG_PPO_TRPO]
[DDPG | TD3 | SAC]
eval/return_mean: AverageTestEpRet
eval/return_std: StdTestEpRet
eval/return_max: MaxTestEpRet
eval/return_min: MinTestEpRet
eval/episode_length_mean: TestEpLen
[DDPG]
value/q_mean: AverageQVals
value/q_std: StdQVals
value/q_max: MaxQVals
value/q_min: MinQVals
[TD3 | SAC]
value/q_mean (critic=1): AverageQ1Vals
value/q_std (critic=1): StdQ1Vals
value/q_max (critic=1): MaxQ1Vals
value/q_min (critic=1): MinQ1Vals
value/q_mean (critic=2): AverageQ2Vals
value/q_std (critic=2): StdQ2Vals
value/q_max (critic=2): MaxQ2Vals
value/q_min (critic=2): MinQ2Vals
[SAC]
policy/logprob_mean: AverageLogPi
none: StdLogPi | MaxLogPi | MinLogPi
policy/loss_total: LossPi [DDPG | TD3 | SAC]
value/loss: LossQ [DDPG | TD3 | SAC]  # mse1+mse2
[SAC tf1]
value/loss (critic=1): LossQ1  # 0.5*mse
value/loss (critic=2): LossQ2  # 0.5*mse
"""

FRAMEWORK = Framework(
    id="spinningup",
    title="OpenAI Spinning Up",
    version="0.2.0",
    names=("spinning-up",),
    kind="classic",
    aliases=aliases(NAMES),
)
