"""Names of the Training Metrics Glossary, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
policy/approx_kl: actor/approx_kl  # any estimator
value/mean: critic/value/mean
advantage/std: critic/advantages/std
optim/learning_rate: lr_scheduler/{key}
[DPO]
preference/loss: loss/dpo
preference/chosen_reward: rewards/chosen
preference/rejected_reward: rewards/rejected
preference/margin: rewards/margins
preference/accuracy: rewards/accuracy
[]
rm/loss: rm/loss
rm/accuracy: rm/accuracy
rm/margin: rm/reward_margin
rm/grad_norm: rm/grad_norm
policy/approx_kl: policy/approx_kl  # any estimator
length/response_mean: response_length
reward/mean: rewards
outcome/return_mean: avg_reward | avg_return
outcome/win_rate: win_rate
outcome/win_rate (smoothing=ema): win_rate_ema
optim/learning_rate: current_lr
policy/clip_range: clip_epsilon
policy/approx_kl: actor/approxkl
optim/loss: loss/total
outcome/success_rate: success_rate
outcome/return_mean: average_return | average_episode_return
outcome/episode_length_mean: episode_length
throughput/env_steps_per_s: steps_per_second
throughput/updates_per_s: updates_per_second | updates_per_sec | updates/sec
outcome/distance_to_goal: distance_to_goal
outcome/collision_rate: collision_rate
policy/loss: policy_loss
value/loss: value_loss
policy/entropy: entropy
policy/approx_kl: approx_kl
policy/clip_fraction: clip_fraction
"""

FRAMEWORK = Framework(
    id="glossary",
    title="Training Metrics Glossary",
    version="names that documents use and no tool logs under exactly this spelling",
    inherits=("verl",),
    names=("seed-glossary",),
    kind="llm",
    aliases=aliases(NAMES),
)
