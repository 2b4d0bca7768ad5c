"""Names that Tianshou logs, and the metrics they are."""

from runvitals.model import Alias, Framework

PPO_A2C_GAIL = ("PPO", "A2C", "GAIL")
SAC_TD3_DISCRETESAC = ("SAC", "TD3", "DiscreteSAC")
SAC_REDQ_DISCRETESAC = ("SAC", "REDQ", "DiscreteSAC")
OLD = "0.4.2 to 0.5"
DQN_KIND = ("DQN", "C51", "Rainbow", "QRDQN", "IQN", "FQF")
_OLD_NAMES = (
    ("train/reward", "outcome/return_mean"),
    ("train/length", "outcome/episode_length_mean"),
    ("train/episode", "outcome/episode_count"),
    ("train/env_step", "progress/env_steps"),
    ("test/env_step", "progress/env_steps"),
    ("test/reward", "eval/return_mean"),
    ("test/reward_std", "eval/return_std"),
    ("test/length", "eval/episode_length_mean"),
    ("test/length_std", "eval/episode_length_std"),
    ("update/gradient_step", "progress/optimizer_steps"),
    # up to 0.4.1
    ("train/n/ep", "outcome/episode_count"),
    ("train/n/st", "progress/env_steps_per_iteration"),
    ("train/v/st", "throughput/rollout_steps_per_s"),
    ("train/v/ep", "throughput/episodes_per_s"),
    ("train/rew", "outcome/return_mean"),
    ("train/rew_std", "outcome/return_std"),
    ("train/len", "outcome/episode_length_mean"),
    ("test/n/ep", "eval/episode_count"),
    ("test/rew", "eval/return_mean"),
    ("test/rew_std", "eval/return_std"),
    ("test/len", "eval/episode_length_mean"),
    ("test/len_std", "eval/episode_length_std"),
)
# Where the losses stand: below `update/`, and with several agents below each of them.
_PLACES = ("update/", "update/{agent}/")
_OLD_LOSSES: tuple[tuple[str, str, tuple[str, ...], dict[str, str]], ...] = (
    ("{}loss/clip", "policy/loss", ("PPO",), {}),
    ("{}loss/vf", "value/loss", PPO_A2C_GAIL, {}),
    ("{}loss/ent", "policy/entropy", PPO_A2C_GAIL, {}),
    ("{}loss/actor", "policy/loss", ("A2C", "SAC", "TD3", "DDPG", "REDQ"), {}),
    ("{}loss/critic1", "value/loss", SAC_TD3_DISCRETESAC, {"critic": "1"}),
    ("{}loss/critic2", "value/loss", SAC_TD3_DISCRETESAC, {"critic": "2"}),
    ("{}loss/critic", "value/loss", ("DDPG", "REDQ"), {}),
    ("{}loss/alpha", "policy/entropy_coef_loss", SAC_REDQ_DISCRETESAC, {}),
    ("{}alpha", "policy/entropy_coef", SAC_REDQ_DISCRETESAC, {}),
    ("{}loss", "optim/loss", PPO_A2C_GAIL, {}),
    ("{}loss", "value/loss", DQN_KIND, {}),
)

FRAMEWORK = Framework(
    id="tianshou",
    title="Tianshou",
    version="2.0.1 (v1.x, 0.5.1 and 0.3 names listed)",
    kind="classic",
    marks=("train/n/ep train/n/st", "test/returns_stat/mean", "training/returns_stat/mean"),
    aliases=(
        Alias("training/returns_stat/mean", "outcome/return_mean", note="one collect call"),
        Alias("training/returns_stat/std", "outcome/return_std"),
        Alias("training/returns_stat/min", "outcome/return_min"),
        Alias("training/returns_stat/max", "outcome/return_max"),
        Alias("training/lens_stat/mean", "outcome/episode_length_mean"),
        Alias("training/lens_stat/std", "outcome/episode_length_std"),
        Alias("training/lens_stat/min", "outcome/episode_length_min"),
        Alias("training/lens_stat/max", "outcome/episode_length_max"),
        Alias("training/n_collected_episodes", "outcome/episode_count"),
        Alias("training/n_collected_steps", "progress/env_steps_per_iteration"),
        Alias("training/collect_speed", "throughput/rollout_steps_per_s"),
        Alias("training/collect_time", "time/generation_s"),
        Alias(
            "training/pred_dist_std_array_stat/{dim}/mean",
            "policy/action_std",
            ("Gaussian policies",),
            labels={"dim": "{dim}"},
        ),
        Alias("training/env_step", "progress/env_steps"),
        Alias("test/returns_stat/mean", "eval/return_mean"),
        Alias("test/returns_stat/std", "eval/return_std"),
        Alias("test/returns_stat/min", "eval/return_min"),
        Alias("test/returns_stat/max", "eval/return_max"),
        Alias("test/lens_stat/mean", "eval/episode_length_mean"),
        Alias("test/n_collected_episodes", "eval/episode_count"),
        Alias("update/loss/mean", "optim/loss", PPO_A2C_GAIL, note="also /std, /min, /max"),
        Alias("update/actor_loss/mean", "policy/loss", PPO_A2C_GAIL, note="also /std, /min, /max"),
        Alias("update/vf_loss/mean", "value/loss", PPO_A2C_GAIL, note="also /std, /min, /max"),
        Alias("update/ent_loss/mean", "policy/entropy", PPO_A2C_GAIL, note="also /std, /min, /max"),
        Alias("update/gradient_steps", "optim/updates_per_iteration", PPO_A2C_GAIL),
        Alias(
            "update/actor_loss", "policy/loss_total", ("SAC", "TD3", "DDPG", "REDQ", "DiscreteSAC")
        ),
        Alias(
            "update/critic1_loss",
            "value/loss",
            SAC_TD3_DISCRETESAC,
            labels={"critic": "1"},
            note="mean(w*td^2)",
        ),
        Alias(
            "update/critic2_loss",
            "value/loss",
            SAC_TD3_DISCRETESAC,
            labels={"critic": "2"},
            note="mean(w*td^2)",
        ),
        Alias("update/critic_loss", "value/loss", ("DDPG", "REDQ")),
        Alias("update/alpha_loss", "policy/entropy_coef_loss", SAC_REDQ_DISCRETESAC),
        Alias(
            "update/kl/mean",
            "policy/approx_kl",
            ("NPG", "TRPO"),
            note="estimator exact KL(old||new); mean KL(old||new)",
        ),
        Alias("update/step_size/mean", "policy/step_size", ("TRPO",)),
        Alias("update/quantile_loss", "value/loss", ("FQF",)),
        Alias("update/fraction_loss", "aux/loss", ("FQF",), labels={"kind": "fraction"}),
        Alias("update/entropy_loss", "policy/entropy_loss", ("FQF",)),
        Alias("update/train_time", "time/policy_update_s"),
        Alias(
            "update/smoothed_loss/{name}",
            None,
            note="derived series; do not treat as an independent metric",
        ),
        Alias("update/update_step", "progress/update_rounds"),
        Alias("info/best_reward", "eval/return_best"),
        Alias("info/best_reward_std", "eval/return_std", labels={"window": "best"}),
        Alias("info/best_score", "eval/score_mean"),
        Alias("info/update_step", "progress/update_rounds"),
        Alias("info/train_step", "progress/env_steps"),
        Alias("info/train_episode", "progress/episodes"),
        Alias("info/timing/total_time", "time/elapsed_s"),
        Alias(
            "info/timing/train_time_collect",
            "time/generation_s",
            labels={"window": "run"},
            note="cumulative, not per step",
        ),
        Alias(
            "info/timing/train_time_update",
            "time/policy_update_s",
            labels={"window": "run"},
            note="cumulative, not per step",
        ),
        Alias(
            "info/timing/update_speed", "throughput/env_steps_per_s", note="steps/(total-test time)"
        ),
        *(Alias(name, metric, versions=OLD) for name, metric in _OLD_NAMES),
        *(
            Alias(
                name.format(place),
                metric,
                algorithms,
                labels=labels | ({"agent": "{agent}"} if "{" in place else {}),
                note=OLD,
                always=name == "{}loss/vf" and "{" not in place,
            )
            for place in _PLACES
            for name, metric, algorithms, labels in _OLD_LOSSES
        ),
        *(
            Alias(name.format(place), metric, algorithms, labels=labels, versions="0.2 to 0.4.1")
            for place in ("",)
            for name, metric, algorithms, labels in _OLD_LOSSES
        ),
    ),
)
