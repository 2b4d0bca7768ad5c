"""Names that keras-rl logs, and the metrics they are."""

from runvitals.model import Alias, Framework

WITH_Q = ("DQN", "DDPG", "SARSA")

FRAMEWORK = Framework(
    id="keras-rl",
    title="keras-rl",
    version="0.4.2 and keras-rl2 1.0.5",
    names=("keras-rl2",),
    kind="classic",
    marks=("nb_steps nb_episode_steps", "nb_episode_steps episode_reward"),
    aliases=(
        Alias("episode_reward", "outcome/return_mean", note="single episode"),
        Alias("nb_episode_steps", "outcome/episode_length_mean", note="single episode"),
        Alias("nb_steps", "progress/env_steps"),
        Alias("episode", "progress/episodes"),
        Alias("duration", "time/episode_s"),
        Alias("loss", "value/loss", WITH_Q, note="mean over the episode; NaN while warming up"),
        Alias("mean_q", "value/q_mean", WITH_Q),
        Alias("mean_eps", "explore/epsilon", ("DQN", "SARSA"), note="of EpsGreedyQPolicy"),
        Alias("mean_tau", "policy/temperature", ("DQN", "SARSA"), note="of BoltzmannQPolicy"),
        Alias("mean_absolute_error", None, WITH_Q),
        Alias("mae", None, WITH_Q),
        Alias("mean_best_reward", "outcome/return_best", ("CEM",)),
    ),
)
