"""Names that Brax and MuJoCo Playground logs, and the metrics they are."""

from runvitals.model import Alias, Framework

PPO_LOG_TRAINING_METRICS = ("PPO, log_training_metrics",)

FRAMEWORK = Framework(
    id="brax",
    title="Brax and MuJoCo Playground",
    version="0.14.2",
    names=("mujoco-playground",),
    kind="classic",
    aliases=(
        Alias("eval/episode_reward", "eval/return_mean"),
        Alias("eval/episode_reward_std", "eval/return_std"),
        Alias(
            "eval/episode_{name}",
            "env/metric",
            labels={"name": "{name}"},
            note="also with suffix _std",
        ),
        Alias("eval/avg_episode_length", "eval/episode_length_mean"),
        Alias("eval/std_episode_length", "eval/episode_length_std"),
        Alias("eval/epoch_eval_time", "time/eval_s"),
        Alias("eval/sps", "throughput/eval_env_steps_per_s"),
        Alias("eval/walltime", None),
        Alias("training/sps", "throughput/env_steps_per_s", note="steps/time"),
        Alias("training/walltime", "time/elapsed_s"),
        Alias("training/total_loss", "optim/loss", ("PPO",), note="mean over the epoch"),
        Alias("training/policy_loss", "policy/loss", ("PPO",)),
        Alias("training/v_loss", "value/loss", ("PPO",), note="0.5*c_v*mean"),
        Alias("training/entropy_loss", "policy/entropy_loss", ("PPO",)),
        Alias(
            "training/kl_mean", "policy/approx_kl", ("PPO",), note="estimator exact KL(new||old)"
        ),
        Alias("training/policy_dist_mean_std", "policy/action_std", ("PPO",)),
        Alias("training/policy_dist_min_std", "policy/action_std_min", ("PPO",)),
        Alias("training/policy_dist_max_std", "policy/action_std_max", ("PPO",)),
        Alias("training/policy_dist_mean_loc", "policy/action_mean", ("PPO",)),
        Alias("training/policy_dist_min_loc", None, ("PPO",)),
        Alias("training/policy_dist_max_loc", None, ("PPO",)),
        Alias("training/learning_rate", "optim/learning_rate", ("PPO",)),
        Alias("training/critic_loss", "value/loss", ("SAC",)),
        Alias("training/actor_loss", "policy/loss_total", ("SAC",)),
        Alias("training/alpha_loss", "policy/entropy_coef_loss", ("SAC",)),
        Alias("training/alpha", "policy/entropy_coef", ("SAC",)),
        Alias("training/buffer_current_size", "replay/size", ("SAC",)),
        Alias(
            "episode/{name}",
            "env/metric",
            PPO_LOG_TRAINING_METRICS,
            labels={"name": "{name}"},
            note="last 100 episodes",
        ),
        Alias(
            "episode/sum_reward",
            "outcome/return_mean",
            PPO_LOG_TRAINING_METRICS,
            note="last 100 episodes",
        ),
        Alias("episode/length", "outcome/episode_length_mean", PPO_LOG_TRAINING_METRICS),
        Alias(
            "episode/sps",
            "throughput/env_steps_per_s",
            PPO_LOG_TRAINING_METRICS,
            labels={"window": "episode"},
            note="delta/delta t",
        ),
    ),
)
