"""Names that keras-rl logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
outcome/return_mean: episode_reward  # single episode
outcome/episode_length_mean: nb_episode_steps  # single episode
progress/env_steps: nb_steps
progress/episodes: episode
time/episode_s: duration
value/loss: loss [DQN | DDPG | SARSA]  # mean over the episode; NaN while warming up
value/q_mean: mean_q [DQN | DDPG | SARSA]
explore/epsilon: mean_eps [DQN | SARSA]  # of EpsGreedyQPolicy
policy/temperature: mean_tau [DQN | SARSA]  # of BoltzmannQPolicy
none: mean_absolute_error | mae [DQN | DDPG | SARSA]
outcome/return_best: mean_best_reward [CEM]
"""

FRAMEWORK = Framework(
    id="keras-rl",
    title="keras-rl",
    version="0.4.2 and keras-rl2 1.0.5",
    names=("keras-rl2",),
    kind="classic",
    marks=("nb_steps nb_episode_steps", "nb_episode_steps episode_reward"),
    aliases=aliases(NAMES),
)
