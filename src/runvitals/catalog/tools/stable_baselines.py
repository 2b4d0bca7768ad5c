"""Names that Stable-Baselines 2 logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
outcome/return_mean: episode_reward  # single episode
optim/loss: loss/loss [PPO2 | A2C | ACKTR]
value/loss: loss/loss [DQN]
value/td_error: loss/td_error [DQN]
[PPO2 | A2C | ACKTR]
policy/entropy: loss/entropy_loss  # the plain entropy
policy/loss: loss/policy_gradient_loss
value/loss: loss/value_function_loss
policy/approx_kl (always): loss/approximate_kullback-leibler [PPO2]  # 0.5*mean((new-old)^2)
policy/clip_fraction: loss/clip_factor [PPO2]  # mean(|r-1|>eps)
policy/loss_total: loss/policy_loss [SAC | TD3 | DDPG]
value/loss (critic=1): loss/qf1_loss [SAC | TD3]
value/loss (critic=2): loss/qf2_loss [SAC | TD3]
[SAC]
value/loss (critic=v): loss/value_loss
policy/entropy: loss/entropy
policy/entropy_coef: loss/ent_coef
policy/entropy_coef_loss: loss/ent_coef_loss
optim/learning_rate: input_info/learning_rate []
policy/clip_range: input_info/clip_range [PPO2]
advantage/mean: input_info/advantage [PPO2 | A2C | ACKTR]
returns/mean: input_info/discounted_rewards [PPO2 | A2C | ACKTR]
none: input_info/old_neglog_action_probability [PPO2]
value/pred_mean: input_info/old_value_pred [PPO2]
[]
none: input_info/rewards
outcome/return_mean: ep_reward_mean  # last 100 episodes
outcome/episode_length_mean: ep_len_mean  # last 100 episodes
policy/approx_kl: approxkl [PPO2]
policy/clip_fraction: clipfrac [PPO2]
[PPO2 | A2C | ACKTR]
policy/entropy: policy_entropy
policy/loss: policy_loss
value/loss: value_loss
value/explained_variance: explained_variance
throughput/env_steps_per_s: fps
progress/update_rounds: n_updates
progress/env_steps: total_timesteps []
time/elapsed_s: time_elapsed []
none: serial_timesteps [PPO2]
"""

FRAMEWORK = Framework(
    id="stable-baselines",
    title="Stable-Baselines 2",
    version="2.10.2",
    names=("sb2", "stable-baselines2"),
    kind="classic",
    marks=(
        "loss/policy_gradient_loss loss/value_function_loss",
        "loss/approximate_kullback-leibler",
        "input_info/discounted_rewards input_info/advantage",
        "ep_reward_mean ep_len_mean serial_timesteps",
    ),
    aliases=aliases(NAMES),
)
