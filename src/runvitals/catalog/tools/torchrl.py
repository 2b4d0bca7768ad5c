"""Names that TorchRL logs, and the metrics they are."""

from runvitals.model import Alias, Framework

SOTA_SCRIPTS = ("sota scripts",)
PPO_LOSS_MODULE = ("PPO loss module",)
MULTIAGENT_SCRIPTS = ("multiagent scripts",)

FRAMEWORK = Framework(
    id="torchrl",
    title="TorchRL",
    version="0.14.0",
    kind="classic",
    aliases=(
        Alias(
            "train/reward",
            "outcome/return_mean",
            SOTA_SCRIPTS,
            note=(
                "one batch; absent when no episode ended; SAC script logs without mean when "
                "one value"
            ),
        ),
        Alias("train/episode_reward", "outcome/return_mean", ("dqn scripts",)),
        Alias("train/episode_length", "outcome/episode_length_mean", SOTA_SCRIPTS),
        Alias("eval/reward", "eval/return_mean", SOTA_SCRIPTS),
        Alias("train/loss_objective", "policy/loss", ("PPO",)),
        Alias("train/loss_critic", "value/loss", ("PPO", "A2C"), note="coeff*smooth_l1"),
        Alias("train/loss_entropy", "policy/entropy_loss", ("PPO", "A2C")),
        Alias("train/lr", "optim/learning_rate", ("PPO", "A2C", "IMPALA")),
        Alias("train/clip_epsilon", "policy/clip_range", ("PPO",)),
        Alias(
            "kl_approx",
            "policy/approx_kl",
            PPO_LOSS_MODULE,
            note=(
                "estimator k1; output key of the loss module; logged as train/<key> by "
                "ppo-async and by Trainer"
            ),
        ),
        Alias(
            "clip_fraction",
            "policy/clip_fraction",
            PPO_LOSS_MODULE,
            note=(
                "output key of the loss module; logged as train/<key> by ppo-async and by Trainer"
            ),
        ),
        Alias(
            "ESS",
            "mismatch/effective_sample_size",
            PPO_LOSS_MODULE,
            note=(
                "output key of the loss module; logged as train/<key> by ppo-async and by Trainer"
            ),
        ),
        Alias(
            "entropy",
            "policy/entropy",
            PPO_LOSS_MODULE,
            note=(
                "output key of the loss module; logged as train/<key> by ppo-async and by Trainer"
            ),
        ),
        Alias(
            "explained_variance",
            "value/explained_variance",
            PPO_LOSS_MODULE,
            note=(
                "output key of the loss module; logged as train/<key> by ppo-async and by Trainer"
            ),
        ),
        Alias(
            "max_ratio",
            "policy/ratio_max",
            PPO_LOSS_MODULE,
            note=(
                "output key of the loss module; logged as train/<key> by ppo-async and by Trainer"
            ),
        ),
        Alias(
            "mean_ratio",
            "policy/ratio_mean",
            PPO_LOSS_MODULE,
            note=(
                "output key of the loss module; logged as train/<key> by ppo-async and by Trainer"
            ),
        ),
        Alias(
            "value_clip_fraction",
            "value/clip_fraction",
            PPO_LOSS_MODULE,
            note=(
                "output key of the loss module; logged as train/<key> by ppo-async and by Trainer"
            ),
        ),
        Alias(
            "composite_entropy",
            None,
            PPO_LOSS_MODULE,
            note=(
                "output key of the loss module; logged as train/<key> by ppo-async and by Trainer"
            ),
        ),
        Alias("train/q_loss", "value/loss", ("SAC", "TD3", "DDPG", "DQN", "IQL")),
        Alias("train/actor_loss", "policy/loss_total", ("SAC", "IQL")),
        Alias("train/a_loss", "policy/loss", ("TD3", "DDPG", "DiscreteSAC")),
        Alias("train/alpha_loss", "policy/entropy_coef_loss", ("SAC", "CrossQ")),
        Alias("train/alpha", "policy/entropy_coef", ("SAC",)),
        Alias("train/entropy", "policy/entropy", ("SAC", "CQL", "IQL"), note="-mean(log pi)"),
        Alias("train/q_values", "value/q_mean", ("DQN",)),
        Alias("train/epsilon", "explore/epsilon", ("DQN",)),
        Alias("train/intrinsic_reward", "reward/intrinsic_mean", ("RND",)),
        Alias("time/speed", "throughput/env_steps_per_s", SOTA_SCRIPTS, note="tqdm rate"),
        Alias("time/{block}", "time/stage_s", SOTA_SCRIPTS, labels={"stage": "{block}"}),
        Alias("r_training", "reward/mean", ("Trainer",), note="LogScalar reduction"),
        Alias("r_training_std", "reward/std", ("Trainer",), note="LogScalar reduction"),
        Alias("r_max", "reward/max", ("Trainer",)),
        Alias("r_total", "reward/mean", ("Trainer",), note="LogScalar reduction"),
        Alias("done_percentage", "outcome/termination_rate", ("Trainer",)),
        Alias("action_norm", "policy/action_norm", ("Trainer",)),
        Alias("obs_norm", "obs/norm", ("Trainer",)),
        Alias("grad_norm", "optim/grad_norm", ("Trainer",)),
        Alias("optim_steps", "progress/optimizer_steps", ("Trainer",)),
        Alias("utd_ratio", "replay/ratio", ("Trainer off-policy",)),
        Alias("loss_{name}", None, ("Trainer",)),
        Alias("train/reward/episode_reward_mean", "outcome/return_mean", MULTIAGENT_SCRIPTS),
        Alias("train/reward/episode_reward_min", "outcome/return_min", MULTIAGENT_SCRIPTS),
        Alias("train/reward/episode_reward_max", "outcome/return_max", MULTIAGENT_SCRIPTS),
        Alias("train/reward/reward_mean", "reward/mean", MULTIAGENT_SCRIPTS),
        Alias("train/total_frames", "progress/env_steps", MULTIAGENT_SCRIPTS),
        Alias("train/training_iteration", "progress/step", MULTIAGENT_SCRIPTS),
        Alias("train/sampling_time", "time/generation_s", MULTIAGENT_SCRIPTS),
        Alias("train/training_time", "time/policy_update_s", MULTIAGENT_SCRIPTS),
        Alias("eval/episode_reward_mean", "eval/return_mean", MULTIAGENT_SCRIPTS),
        Alias("eval/episode_len_mean", "eval/episode_length_mean", MULTIAGENT_SCRIPTS),
    ),
)
