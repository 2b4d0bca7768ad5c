"""Names that RL Baselines3 Zoo logs, and the metrics they are."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="rl-baselines3-zoo",
    title="RL Baselines3 Zoo",
    version="2.9.0a2",
    inherits=("stable-baselines3",),
    names=("rl-zoo", "rl-zoo3"),
    kind="classic",
    aliases=(
        Alias("raw/rollouts/episodic_return", "outcome/return_mean", note="single episode"),
        Alias("raw/rollouts/episodic_length", "outcome/episode_length_mean", note="single episode"),
        Alias("eval/mean_reward", "eval/return_mean"),
        Alias("{sb3 name}", None),
    ),
)
