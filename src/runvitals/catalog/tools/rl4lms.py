"""Names that RL4LMs logs, and the metrics they are."""

from runvitals.model import Alias, Framework

PPO_NLPO_A2C = ("PPO", "NLPO", "A2C", "TRPO")
PPO_NLPO_A2C_3 = ("PPO", "NLPO", "A2C")

FRAMEWORK = Framework(
    id="rl4lms",
    title="RL4LMs",
    version="repository snapshot 2023-03-30",
    kind="llm",
    aliases=(
        Alias("rollout_info/ep_rew", "reward/score_mean", PPO_NLPO_A2C),
        Alias("rollout_info/ep_lens", "length/response_mean", PPO_NLPO_A2C),
        Alias("rollout_info/ep_kl_rew", "reward/kl_penalty_mean", PPO_NLPO_A2C),
        Alias("rollout_info/kl_div_mean", "policy/kl_ref", PPO_NLPO_A2C, note="mean(logp - ref)"),
        Alias("rollout_info/kl_coeff", "policy/kl_coef", PPO_NLPO_A2C),
        Alias("rollout_info/log_prob", "policy/logprob_mean", PPO_NLPO_A2C),
        Alias("rollout_info/ref_log_prob", "policy/logprob_ref_mean", PPO_NLPO_A2C),
        Alias("rollout_info/values", "value/mean", PPO_NLPO_A2C),
        Alias("rollout_info/{key}_std", None, PPO_NLPO_A2C),
        Alias("ppo/entropy_loss", "policy/entropy", PPO_NLPO_A2C_3, scale=-1.0, note="-mean(H)"),
        Alias("ppo/policy_gradient_loss", "policy/loss", PPO_NLPO_A2C_3),
        Alias("ppo/value_loss", "value/loss", PPO_NLPO_A2C_3, note="mse"),
        Alias("ppo/approx_kl", "policy/approx_kl", ("PPO", "NLPO"), note="mean((r-1) - log r)"),
        Alias(
            "ppo/explained_variance",
            "value/explained_variance",
            ("PPO",),
            note="1 - var(R - V)/var(R)",
        ),
        Alias("train/clip_fraction", "policy/clip_fraction", ("PPO", "NLPO")),
        Alias("train/clip_range", "policy/clip_range", ("PPO", "NLPO")),
        Alias("train/loss", "optim/loss", ("PPO", "NLPO"), note="sum"),
        Alias("train/n_updates", "progress/optimizer_steps", PPO_NLPO_A2C_3),
        Alias("{split}/{metric}", None, ("evaluation",)),
    ),
)
