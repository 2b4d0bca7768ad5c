"""Names that Stable-Baselines3 (with sb3-contrib) logs, and the metrics they are."""

from runvitals.model import Alias, Framework

DEEP = (
    "PPO",
    "A2C",
    "TRPO",
    "MaskablePPO",
    "RecurrentPPO",
    "DQN",
    "QRDQN",
    "SAC",
    "TD3",
    "DDPG",
    "TQC",
    "CrossQ",
)
EVERY = (*DEEP, "ARS")
PPO_A2C_TRPO_5 = ("PPO", "A2C", "TRPO", "MaskablePPO", "RecurrentPPO")
DQN_QRDQN_SAC = ("DQN", "QRDQN", "SAC", "TD3", "DDPG", "TQC", "CrossQ")
PPO_MASKABLEPPO_RECURRENTPPO = ("PPO", "MaskablePPO", "RecurrentPPO", "A2C", "TRPO")
PPO_MASKABLEPPO_RECURRENTPPO_3 = ("PPO", "MaskablePPO", "RecurrentPPO")
SAC_TQC_CROSSQ = ("SAC", "TQC", "CrossQ")
ANY_WITH_EVALCALLBACK = ("any with EvalCallback",)

FRAMEWORK = Framework(
    id="stable-baselines3",
    title="Stable-Baselines3 (with sb3-contrib)",
    version="2.9.2 / sb3-contrib 2.9.2",
    names=("sb3", "sb3-contrib"),
    kind="classic",
    aliases=(
        Alias(
            "rollout/ep_rew_mean",
            "outcome/return_mean",
            EVERY,
            note=(
                "last 100 episodes; needs a Monitor wrapper; with VecNormalize outside "
                "Monitor it is the raw return; missing until the first episode ends"
            ),
        ),
        Alias(
            "rollout/ep_len_mean",
            "outcome/episode_length_mean",
            EVERY,
            note="last 100 episodes",
        ),
        Alias(
            "rollout/success_rate",
            "outcome/success_rate",
            DEEP,
            note="last 100 episodes; only present when the environment sets is_success",
        ),
        Alias("rollout/exploration_rate", "explore/epsilon", ("DQN", "QRDQN"), always=True),
        Alias("rollout/return_std", "outcome/return_std", ("ARS",)),
        Alias(
            "time/fps",
            "throughput/env_steps_per_s",
            EVERY,
            note=(
                "cumulative average over the whole learn() call including updates and "
                "evaluation, so a late slow-down shows only gradually; differentiate "
                "total_timesteps/time_elapsed for the instantaneous rate"
            ),
        ),
        Alias("time/iterations", "progress/step", PPO_A2C_TRPO_5),
        Alias("time/episodes", "progress/episodes", DQN_QRDQN_SAC),
        Alias("time/time_elapsed", "time/elapsed_s", EVERY),
        Alias("time/total_timesteps", "progress/env_steps", EVERY),
        Alias("train/learning_rate", "optim/learning_rate", EVERY),
        Alias("train/n_updates", "progress/update_rounds", PPO_MASKABLEPPO_RECURRENTPPO),
        Alias("train/n_updates", "progress/optimizer_steps", DQN_QRDQN_SAC),
        Alias(
            "train/entropy_loss",
            "policy/entropy",
            ("PPO", "MaskablePPO", "RecurrentPPO", "A2C"),
            scale=-1.0,
            note=(
                "value rises towards 0 (discrete) or above 0 (continuous) when entropy collapses"
            ),
        ),
        Alias("train/policy_gradient_loss", "policy/loss", PPO_MASKABLEPPO_RECURRENTPPO_3),
        Alias("train/policy_loss", "policy/loss", ("A2C",)),
        Alias(
            "train/value_loss",
            "value/loss",
            PPO_MASKABLEPPO_RECURRENTPPO,
            note="scales with the square of the reward scale",
        ),
        Alias(
            "train/approx_kl",
            "policy/approx_kl",
            PPO_MASKABLEPPO_RECURRENTPPO_3,
            note=(
                "estimator k3; list is reset every epoch; with target_kl the update stops "
                "when it exceeds 1.5*target_kl"
            ),
        ),
        Alias(
            "train/clip_fraction",
            "policy/clip_fraction",
            PPO_MASKABLEPPO_RECURRENTPPO_3,
            note=(
                "mean(|r-1| > clip_range) over all minibatches and epochs; sign of the "
                "advantage is ignored"
            ),
        ),
        Alias("train/clip_range", "policy/clip_range", PPO_MASKABLEPPO_RECURRENTPPO_3, always=True),
        Alias("train/clip_range_vf", "value/clip_range", PPO_MASKABLEPPO_RECURRENTPPO_3),
        Alias(
            "train/loss",
            "optim/loss",
            PPO_MASKABLEPPO_RECURRENTPPO_3,
            note="single sample, noisy; not an average",
        ),
        Alias(
            "train/loss",
            "value/loss",
            ("DQN", "QRDQN"),
            note=(
                "DQN: smooth_l1(Q(s,a), r + gamma*max Q_target); QRDQN: "
                "quantile_huber(sum_over_quantiles=True)"
            ),
        ),
        Alias(
            "train/explained_variance",
            "value/explained_variance",
            PPO_A2C_TRPO_5,
            note=(
                "values are those stored during the rollout and returns = advantages + "
                "values, so the estimate is optimistic"
            ),
        ),
        Alias(
            "train/std",
            "policy/action_std",
            ("PPO", "A2C", "TRPO", "MaskablePPO", "RecurrentPPO", "SAC", "TQC"),
            note="with gSDE this is the scale of the noise weights, not of the actions",
        ),
        Alias(
            "train/actor_loss",
            "policy/loss_total",
            SAC_TQC_CROSSQ,
            note="about -Q, so it falls without bound as returns grow; not a quality measure",
        ),
        Alias(
            "train/actor_loss",
            "policy/loss",
            ("TD3", "DDPG"),
            note="absent in train() calls without a delayed policy update",
        ),
        Alias(
            "train/critic_loss",
            "value/loss",
            ("SAC", "CrossQ", "TD3", "DDPG", "TQC"),
            note=(
                "SAC: SAC: 0.5*sum_i mse(Q_i, target); TD3: sum_i mse(Q_i, target); TQC: "
                "quantile_huber(sum_over_quantiles=False)"
            ),
        ),
        Alias("train/ent_coef", "policy/entropy_coef", SAC_TQC_CROSSQ, always=True),
        Alias(
            "train/ent_coef_loss",
            "policy/entropy_coef_loss",
            SAC_TQC_CROSSQ,
            note=("only with ent_coef='auto'; uses log_alpha, several other frameworks use alpha"),
        ),
        Alias("train/policy_objective", "policy/loss", ("TRPO",), scale=-1.0),
        Alias(
            "train/kl_divergence_loss",
            "policy/approx_kl",
            ("TRPO",),
            note=("estimator exact KL(new||old); mean KL(new||old); 0 when the line search failed"),
        ),
        Alias("train/is_line_search_success", "policy/line_search_success", ("TRPO",)),
        Alias("train/delta_std", "explore/noise_std", ("ARS",)),
        Alias("train/step_size", "policy/step_size", ("ARS",)),
        Alias("train/iterations", "progress/update_rounds", ("ARS",)),
        Alias("eval/mean_reward", "eval/return_mean", ANY_WITH_EVALCALLBACK),
        Alias("eval/mean_ep_length", "eval/episode_length_mean", ANY_WITH_EVALCALLBACK),
        Alias("eval/success_rate", "eval/success_rate", ANY_WITH_EVALCALLBACK),
        Alias(
            "r",
            "outcome/return_mean",
            ("Monitor csv",),
            labels={"window": "episode"},
            note="single episode",
        ),
        Alias(
            "l",
            "outcome/episode_length_mean",
            ("Monitor csv",),
            labels={"window": "episode"},
            note="single episode",
        ),
        Alias("t", "time/elapsed_s", ("Monitor csv",)),
    ),
)
