"""Names that Stable-Baselines 2 logs, and the metrics they are."""

from runvitals.model import Alias, Framework

ON_POLICY = ("PPO2", "A2C", "ACKTR")
OFF_POLICY = ("SAC", "TD3", "DDPG")

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
    aliases=(
        Alias("episode_reward", "outcome/return_mean", note="single episode"),
        Alias("loss/loss", "optim/loss", ON_POLICY),
        Alias("loss/loss", "value/loss", ("DQN",)),
        Alias("loss/td_error", "value/td_error", ("DQN",)),
        Alias("loss/entropy_loss", "policy/entropy", ON_POLICY, note="the plain entropy"),
        Alias("loss/policy_gradient_loss", "policy/loss", ON_POLICY),
        Alias("loss/value_function_loss", "value/loss", ON_POLICY),
        Alias(
            "loss/approximate_kullback-leibler",
            "policy/approx_kl",
            ("PPO2",),
            note="0.5*mean((new-old)^2)",
            always=True,
        ),
        Alias("loss/clip_factor", "policy/clip_fraction", ("PPO2",), note="mean(|r-1|>eps)"),
        Alias("loss/policy_loss", "policy/loss_total", OFF_POLICY),
        Alias("loss/qf1_loss", "value/loss", ("SAC", "TD3"), labels={"critic": "1"}),
        Alias("loss/qf2_loss", "value/loss", ("SAC", "TD3"), labels={"critic": "2"}),
        Alias("loss/value_loss", "value/loss", ("SAC",), labels={"critic": "v"}),
        Alias("loss/entropy", "policy/entropy", ("SAC",)),
        Alias("loss/ent_coef", "policy/entropy_coef", ("SAC",)),
        Alias("loss/ent_coef_loss", "policy/entropy_coef_loss", ("SAC",)),
        Alias("input_info/learning_rate", "optim/learning_rate"),
        Alias("input_info/clip_range", "policy/clip_range", ("PPO2",)),
        Alias("input_info/advantage", "advantage/mean", ON_POLICY),
        Alias("input_info/discounted_rewards", "returns/mean", ON_POLICY),
        Alias("input_info/old_neglog_action_probability", None, ("PPO2",)),
        Alias("input_info/old_value_pred", "value/pred_mean", ("PPO2",)),
        Alias("input_info/rewards", None),
        Alias("ep_reward_mean", "outcome/return_mean", note="last 100 episodes"),
        Alias("ep_len_mean", "outcome/episode_length_mean", note="last 100 episodes"),
        Alias("approxkl", "policy/approx_kl", ("PPO2",)),
        Alias("clipfrac", "policy/clip_fraction", ("PPO2",)),
        Alias("policy_entropy", "policy/entropy", ON_POLICY),
        Alias("policy_loss", "policy/loss", ON_POLICY),
        Alias("value_loss", "value/loss", ON_POLICY),
        Alias("explained_variance", "value/explained_variance", ON_POLICY),
        Alias("fps", "throughput/env_steps_per_s", ON_POLICY),
        Alias("n_updates", "progress/update_rounds", ON_POLICY),
        Alias("total_timesteps", "progress/env_steps"),
        Alias("time_elapsed", "time/elapsed_s"),
        Alias("serial_timesteps", None, ("PPO2",)),
    ),
)
