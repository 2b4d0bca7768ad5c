"""Names that Unity ML-Agents logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
none: Is Training  # 1 while it learns
outcome/return_mean: Environment/Cumulative Reward  # summary_freq steps
outcome/return_mean (agent=group): Environment/Group Cumulative Reward [POCA]
outcome/episode_length_mean: Environment/Episode Length
curriculum/stage: Environment/Lesson Number/{parameter}
policy/loss: Losses/Policy Loss [PPO | POCA]  # abs() kept for compatibility; sign is lost, so it
  never goes below 0
policy/loss_total: Losses/Policy Loss [SAC]
value/loss: Losses/Value Loss [PPO | POCA | SAC]  # mean(max)
value/loss (always; critic=baseline): Losses/Baseline Loss [POCA]
value/loss (critic=1): Losses/Q1 Loss [SAC]  # mse
value/loss (critic=2): Losses/Q2 Loss [SAC]  # mse
policy/entropy: Policy/Entropy
optim/learning_rate: Policy/Learning Rate
[PPO | POCA]
policy/clip_range: Policy/Epsilon
policy/entropy_coef: Policy/Beta
value/mean: Policy/{signal} Value Estimate
value/mean (critic=baseline): Policy/{signal} Baseline Estimate [POCA]
value/mean: Policy/{signal} Value [SAC]
reward/component_mean (component={signal}): Policy/{signal} Reward []
policy/entropy_coef (action=discrete): Policy/Discrete Entropy Coeff [SAC]
policy/entropy_coef (action=continuous): Policy/Continuous Entropy Coeff [SAC]
outcome/elo: Self-play/ELO [self-play]
[with that module]
aux/loss (kind=bc): Losses/Pretraining Loss
aux/loss (kind=curiosity_forward): Losses/Curiosity Forward Loss
aux/loss (kind=curiosity_inverse): Losses/Curiosity Inverse Loss
aux/loss (kind=discriminator): Losses/GAIL Loss
aux/loss (kind=gail_kl): Losses/GAIL KL Loss
aux/loss (kind=rnd): Losses/RND Loss
[GAIL]
none: Policy/GAIL Policy Estimate | Policy/GAIL Expert Estimate | Policy/GAIL Beta
none: Is Training []
"""

FRAMEWORK = Framework(
    id="ml-agents",
    title="Unity ML-Agents",
    version="1.1.0.dev0 (commit fb2af76)",
    names=("mlagents", "unity"),
    kind="classic",
    aliases=aliases(NAMES),
)
