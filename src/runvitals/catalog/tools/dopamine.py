"""Names that Dopamine logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
outcome/return_mean: Train/AverageReturns  # one iteration (250k Atari steps); 0.0 is also written
  when nothing finished; check Train/NumEpisodes
outcome/episode_count: Train/NumEpisodes
throughput/env_steps_per_s: Train/AverageStepsPerSecond  # steps/time
eval/return_mean: Eval/AverageReturns
eval/episode_count: Eval/NumEpisodes
value/loss: HuberLoss [DQN]  # tag says Huber even when loss_type is mse
value/loss: Loss [DQN | Rainbow | Quantile | IQN | FullRainbow]
value/loss: CrossEntropyLoss [Rainbow | FullRainbow]
value/loss: QuantileLoss [Quantile | IQN]
value/loss: Losses/Critic [SAC | PPO]  # SAC: mse1+mse2; PPO: 0.5*mean
[SAC]
policy/loss_total: Losses/Actor
policy/entropy_coef_loss: Losses/Alpha
value/q_mean (critic=1): Values/CriticValues1
value/q_target_mean (critic=1): Values/TargetValues1
value/q_mean (critic=2): Values/CriticValues2
value/q_target_mean (critic=2): Values/TargetValues2
policy/entropy_coef: Values/Alpha
policy/action_mean (dim={i}): Values/MeanActions{i}
[PPO]
optim/loss: Losses/Combined  # actor + c_v*critic - c_e*entropy
policy/loss: Losses/Actor
policy/entropy: Losses/Entropy  # mean(H)
policy/action_mean (dim={i}): Values/SampledAction{i}
"""

FRAMEWORK = Framework(
    id="dopamine",
    title="Dopamine",
    version="4.1.2",
    kind="classic",
    aliases=aliases(NAMES),
)
