"""Names that RSL-RL logs, and the metrics they are."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="rsl-rl",
    title="RSL-RL",
    version="5.4.2 (equal in 5.5.1",
    names=("rsl",),
    kind="classic",
    aliases=(
        Alias(
            "Train/mean_reward",
            "outcome/return_mean",
            ("PPO",),
            note="last 100 episodes; includes intrinsic reward when RND is on",
        ),
        Alias(
            "Train/mean_episode_length",
            "outcome/episode_length_mean",
            ("PPO",),
            note="last 100 episodes",
        ),
        Alias(
            "Train/mean_reward/time",
            "outcome/return_mean",
            ("PPO",),
            labels={"axis": "time"},
            note="duplicate with another x axis; ignore",
        ),
        Alias(
            "Train/mean_episode_length/time",
            "outcome/episode_length_mean",
            ("PPO",),
            labels={"axis": "time"},
            note="duplicate",
        ),
        Alias(
            "Loss/value", "value/loss", ("PPO",), note="since 2.3; earlier name Loss/value_function"
        ),
        Alias("Loss/surrogate", "policy/loss", ("PPO",)),
        Alias(
            "Loss/entropy",
            "policy/entropy",
            ("PPO",),
            note="filed under Loss/ although it is the plain entropy; since 2.3",
        ),
        Alias("Loss/learning_rate", "optim/learning_rate", ("PPO",)),
        Alias("Loss/rnd", "aux/loss", ("PPO",), labels={"kind": "rnd"}),
        Alias("Loss/symmetry", "aux/loss", ("PPO",), labels={"kind": "symmetry"}),
        Alias("Loss/behavior", "lm/loss", ("Distillation",)),
        Alias(
            "Policy/mean_std",
            "policy/action_std",
            ("PPO",),
            note="5.x; 1.x-4.x use Policy/mean_noise_std",
        ),
        Alias("Policy/mean_noise_std", "policy/action_std", ("PPO (1.x-4.x)",)),
        Alias(
            "Perf/total_fps",
            "throughput/env_steps_per_s",
            ("PPO",),
            note="int(steps*envs/(collect+learn))",
        ),
        Alias(
            "Perf/collection_time",
            "time/generation_s",
            ("PPO",),
            note="1.x-3.x name: 'Perf/collection time' with a space",
        ),
        Alias("Perf/collection time", "time/generation_s", ("PPO (1.x-3.x)",)),
        Alias("Perf/learning_time", "time/policy_update_s", ("PPO",)),
        Alias("Loss/value_function", "value/loss", ("PPO (1.x-2.2)",), note="as Loss/value"),
        Alias("Rnd/mean_extrinsic_reward", "reward/extrinsic_mean", ("PPO+RND",)),
        Alias("Rnd/mean_intrinsic_reward", "reward/intrinsic_mean", ("PPO+RND",)),
        Alias("Rnd/weight", "reward/intrinsic_coef", ("PPO+RND",)),
        Alias(
            "Episode/rew_{name}",
            "reward/component_mean",
            ("PPO",),
            labels={"component": "{name}"},
            note="sum over an episode / its longest duration in s",
        ),
        Alias(
            "Episode_Reward/{name}",
            "reward/component_mean",
            ("PPO",),
            labels={"component": "{name}"},
            note="of Isaac Lab",
        ),
        Alias("Episode/{key}", "env/metric", ("PPO",), labels={"name": "{key}"}),
        Alias("{group}/{key}", "env/metric", ("PPO",), labels={"name": "{group}/{key}"}),
    ),
)
