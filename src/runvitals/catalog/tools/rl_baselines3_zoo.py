"""Names that RL Baselines3 Zoo logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
outcome/return_mean: raw/rollouts/episodic_return  # single episode
outcome/episode_length_mean: raw/rollouts/episodic_length  # single episode
eval/return_mean: eval/mean_reward
none: {sb3 name}
"""

FRAMEWORK = Framework(
    id="rl-baselines3-zoo",
    title="RL Baselines3 Zoo",
    version="2.9.0a2",
    inherits=("stable-baselines3",),
    names=("rl-zoo", "rl-zoo3"),
    kind="classic",
    aliases=aliases(NAMES),
)
