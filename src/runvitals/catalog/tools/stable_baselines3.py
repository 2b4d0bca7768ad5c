"""Names that Stable-Baselines3 (with sb3-contrib) logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
EVERY = PPO | A2C | TRPO | MaskablePPO | RecurrentPPO | DQN | QRDQN | SAC | TD3 | DDPG | TQC
  | CrossQ | ARS
PPO_A2C_TRPO_5 = PPO | A2C | TRPO | MaskablePPO | RecurrentPPO
DQN_QRDQN_SAC = DQN | QRDQN | SAC | TD3 | DDPG | TQC | CrossQ
PPO_MASKABLEPPO_RECURRENTPPO = PPO | MaskablePPO | RecurrentPPO | A2C | TRPO
outcome/return_mean: rollout/ep_rew_mean [EVERY]  # last 100 episodes; needs a Monitor wrapper; with
  VecNormalize outside Monitor it is the raw return; missing until the first episode ends
outcome/episode_length_mean: rollout/ep_len_mean [EVERY]  # last 100 episodes
outcome/success_rate: rollout/success_rate [PPO | A2C | TRPO | MaskablePPO | RecurrentPPO | DQN
  | QRDQN | SAC | TD3 | DDPG | TQC | CrossQ]  # last 100 episodes; only present when the environment
  sets is_success
explore/epsilon (always): rollout/exploration_rate [DQN | QRDQN]
outcome/return_std: rollout/return_std [ARS]
throughput/env_steps_per_s: time/fps [EVERY]  # cumulative average over the whole learn() call
  including updates and evaluation, so a late slow-down shows only gradually; differentiate
  total_timesteps/time_elapsed for the instantaneous rate
progress/step: time/iterations [PPO_A2C_TRPO_5]
progress/episodes: time/episodes [DQN_QRDQN_SAC]
[EVERY]
time/elapsed_s: time/time_elapsed
progress/env_steps: time/total_timesteps
optim/learning_rate: train/learning_rate
progress/update_rounds: train/n_updates [PPO_MASKABLEPPO_RECURRENTPPO]
progress/optimizer_steps: train/n_updates [DQN_QRDQN_SAC]
policy/entropy (scale=-1): train/entropy_loss [PPO | MaskablePPO | RecurrentPPO | A2C]  # value
  rises towards 0 (discrete) or above 0 (continuous) when entropy collapses
policy/loss: train/policy_gradient_loss [PPO | MaskablePPO | RecurrentPPO]
policy/loss: train/policy_loss [A2C]
value/loss: train/value_loss [PPO_MASKABLEPPO_RECURRENTPPO]  # scales with the square of the reward
  scale
[PPO | MaskablePPO | RecurrentPPO]
policy/approx_kl: train/approx_kl  # estimator k3; list is reset every epoch; with target_kl the
  update stops when it exceeds 1.5*target_kl
policy/clip_fraction: train/clip_fraction  # mean(|r-1| > clip_range) over all minibatches and
  epochs; sign of the advantage is ignored
policy/clip_range (always): train/clip_range
value/clip_range: train/clip_range_vf
optim/loss: train/loss  # single sample, noisy; not an average
value/loss: train/loss [DQN | QRDQN]  # DQN: smooth_l1(Q(s,a), r + gamma*max Q_target); QRDQN:
  quantile_huber(sum_over_quantiles=True)
value/explained_variance: train/explained_variance [PPO_A2C_TRPO_5]  # values are those stored
  during the rollout and returns = advantages + values, so the estimate is optimistic
policy/action_std: train/std [PPO | A2C | TRPO | MaskablePPO | RecurrentPPO | SAC | TQC]  # with
  gSDE this is the scale of the noise weights, not of the actions
policy/loss_total: train/actor_loss [SAC | TQC | CrossQ]  # about -Q, so it falls without bound as
  returns grow; not a quality measure
policy/loss: train/actor_loss [TD3 | DDPG]  # absent in train() calls without a delayed policy
  update
value/loss: train/critic_loss [SAC | CrossQ | TD3 | DDPG | TQC]  # SAC: SAC: 0.5*sum_i mse(Q_i,
  target); TD3: sum_i mse(Q_i, target); TQC: quantile_huber(sum_over_quantiles=False)
policy/entropy_coef (always): train/ent_coef [SAC | TQC | CrossQ]
policy/entropy_coef_loss: train/ent_coef_loss [SAC | TQC | CrossQ]  # only with ent_coef='auto';
  uses log_alpha, several other frameworks use alpha
[TRPO]
policy/loss (scale=-1): train/policy_objective
policy/approx_kl: train/kl_divergence_loss  # estimator exact KL(new||old); mean KL(new||old); 0
  when the line search failed
policy/line_search_success: train/is_line_search_success
[ARS]
explore/noise_std: train/delta_std
policy/step_size: train/step_size
progress/update_rounds: train/iterations
[any with EvalCallback]
eval/return_mean: eval/mean_reward
eval/episode_length_mean: eval/mean_ep_length
eval/success_rate: eval/success_rate
[Monitor csv]
outcome/return_mean (window=episode): r  # single episode
outcome/episode_length_mean (window=episode): l  # single episode
time/elapsed_s: t
"""

FRAMEWORK = Framework(
    id="stable-baselines3",
    title="Stable-Baselines3 (with sb3-contrib)",
    version="2.9.2 / sb3-contrib 2.9.2",
    names=("sb3", "sb3-contrib"),
    kind="classic",
    aliases=aliases(NAMES),
)
