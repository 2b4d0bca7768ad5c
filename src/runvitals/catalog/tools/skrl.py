"""Names that skrl logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
outcome/return_mean: Reward / Total reward (mean)  # episodes since last write, at most 100
outcome/return_min: Reward / Total reward (min)  # episodes since last write, at most 100
outcome/return_max: Reward / Total reward (max)  # episodes since last write, at most 100
reward/mean: Reward / Instantaneous reward (mean)
reward/min: Reward / Instantaneous reward (min)
reward/max: Reward / Instantaneous reward (max)
outcome/episode_length_mean: Episode / Total timesteps (mean)
outcome/episode_length_min: Episode / Total timesteps (min)
outcome/episode_length_max: Episode / Total timesteps (max)
policy/loss: Loss / Policy loss [PPO | RPO | A2C | TRPO | AMP | SAC | TD3 | DDPG | CEM]  # divided
  by the planned number of minibatches even if the KL threshold stopped early; TRPO: objective
  before the step; SAC/TD3: one batch
value/loss: Loss / Value loss [PPO | RPO | A2C | TRPO | AMP]  # on normalised values when a value
  preprocessor is used
policy/entropy_loss: Loss / Entropy loss [PPO | RPO | A2C | AMP]  # absent when entropy_loss_scale
  is 0; entropy itself = -value/scale
policy/entropy_coef_loss: Loss / Entropy loss [SAC]  # same tag as the PPO entropy loss but another
  quantity
value/loss: Loss / Critic loss [SAC | TD3 | DDPG]  # (mse1+mse2)/2 for SAC; sum for TD3; mse for
  DDPG
value/loss: Loss / Q-network loss [DQN | DDQN]  # mse
aux/loss (kind=discriminator): Loss / Discriminator loss [AMP]
policy/action_std: Policy / Standard deviation [PPO | RPO | A2C | TRPO | AMP]
policy/action_std: Policy / Standard deviation ({agent}) [MAPPO | IPPO]
optim/learning_rate: Learning / Learning rate [PPO | RPO | A2C | AMP | DQN | CEM]
policy/learning_rate: Learning / Policy learning rate [SAC | TD3 | DDPG]
value/learning_rate: Learning / Critic learning rate [SAC | TD3 | DDPG]
value/learning_rate: Learning / Value learning rate [TRPO]
[SAC | TD3 | DDPG]
value/q_mean (critic=1): Q-network / Q1 (mean)
value/q_min (critic=1): Q-network / Q1 (min)
value/q_max (critic=1): Q-network / Q1 (max)
[SAC | TD3]
value/q_mean (critic=2): Q-network / Q2 (mean)
value/q_min (critic=2): Q-network / Q2 (min)
value/q_max (critic=2): Q-network / Q2 (max)
[DQN | DDQN | SAC | TD3 | DDPG]
value/q_target_mean: Target / Target (mean)
value/q_target_min: Target / Target (min)
value/q_target_max: Target / Target (max)
[TD3 | DDPG]
explore/noise_std: Exploration / Exploration noise (mean)  # signed noise values, the mean is near
  0; min and max show the scale
none: Exploration / Exploration noise (min) | Exploration / Exploration noise (max)  # signed noise
  values, the mean is near 0; min and max show the scale
explore/epsilon: Exploration / Exploration epsilon [DQN | DDQN]
policy/entropy_coef: Coefficient / Entropy coefficient [SAC]
none: Coefficient / Return threshold [CEM]
outcome/return_discounted_mean: Coefficient / Mean discounted returns [CEM]
[]
time/policy_update_s (scale=0.001): Stats / Algorithm update time (ms)
time/inference_s (scale=0.001): Stats / Inference time (ms)
time/env_step_s (scale=0.001): Stats / Env stepping time (ms)
env/metric (name={key}): Info / {key}
policy/loss: Loss / Policy loss ({agent})
"""

FRAMEWORK = Framework(
    id="skrl",
    title="skrl",
    version="2.0.0 (tag names equal in 2.1.1)",
    kind="classic",
    aliases=aliases(NAMES),
)
