"""Names that RL4LMs logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[PPO | NLPO | A2C | TRPO]
reward/score_mean: rollout_info/ep_rew
length/response_mean: rollout_info/ep_lens
reward/kl_penalty_mean: rollout_info/ep_kl_rew
policy/kl_ref: rollout_info/kl_div_mean  # mean(logp - ref)
policy/kl_coef: rollout_info/kl_coeff
policy/logprob_mean: rollout_info/log_prob
policy/logprob_ref_mean: rollout_info/ref_log_prob
value/mean: rollout_info/values
none: rollout_info/{key}_std
[PPO | NLPO | A2C]
policy/entropy (scale=-1): ppo/entropy_loss  # -mean(H)
policy/loss: ppo/policy_gradient_loss
value/loss: ppo/value_loss  # mse
policy/approx_kl: ppo/approx_kl [PPO | NLPO]  # mean((r-1) - log r)
value/explained_variance: ppo/explained_variance [PPO]  # 1 - var(R - V)/var(R)
[PPO | NLPO]
policy/clip_fraction: train/clip_fraction
policy/clip_range: train/clip_range
optim/loss: train/loss  # sum
progress/optimizer_steps: train/n_updates [PPO | NLPO | A2C]
none: {split}/{metric} [evaluation]
"""

FRAMEWORK = Framework(
    id="rl4lms",
    title="RL4LMs",
    version="repository snapshot 2023-03-30",
    kind="llm",
    aliases=aliases(NAMES),
)
