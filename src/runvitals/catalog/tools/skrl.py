"""Names that skrl logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Alias, Framework

PPO_RPO_A2C = ("PPO", "RPO", "A2C", "TRPO", "AMP")
SAC_TD3_DDPG = ("SAC", "TD3", "DDPG")
DQN_DDQN_SAC = ("DQN", "DDQN", "SAC", "TD3", "DDPG")

FRAMEWORK = Framework(
    id="skrl",
    title="skrl",
    version="2.0.0 (tag names equal in 2.1.1)",
    kind="classic",
    aliases=(
        Alias(
            "Reward / Total reward (mean)",
            "outcome/return_mean",
            note="episodes since last write, at most 100",
        ),
        Alias(
            "Reward / Total reward (min)",
            "outcome/return_min",
            note="episodes since last write, at most 100",
        ),
        Alias(
            "Reward / Total reward (max)",
            "outcome/return_max",
            note="episodes since last write, at most 100",
        ),
        Alias("Reward / Instantaneous reward (mean)", "reward/mean"),
        Alias("Reward / Instantaneous reward (min)", "reward/min"),
        Alias("Reward / Instantaneous reward (max)", "reward/max"),
        Alias("Episode / Total timesteps (mean)", "outcome/episode_length_mean"),
        Alias("Episode / Total timesteps (min)", "outcome/episode_length_min"),
        Alias("Episode / Total timesteps (max)", "outcome/episode_length_max"),
        Alias(
            "Loss / Policy loss",
            "policy/loss",
            ("PPO", "RPO", "A2C", "TRPO", "AMP", "SAC", "TD3", "DDPG", "CEM"),
            note=(
                "divided by the planned number of minibatches even if the KL threshold "
                "stopped early; TRPO: objective before the step; SAC/TD3: one batch"
            ),
        ),
        Alias(
            "Loss / Value loss",
            "value/loss",
            PPO_RPO_A2C,
            note="on normalised values when a value preprocessor is used",
        ),
        Alias(
            "Loss / Entropy loss",
            "policy/entropy_loss",
            ("PPO", "RPO", "A2C", "AMP"),
            note="absent when entropy_loss_scale is 0; entropy itself = -value/scale",
        ),
        Alias(
            "Loss / Entropy loss",
            "policy/entropy_coef_loss",
            ("SAC",),
            note="same tag as the PPO entropy loss but another quantity",
        ),
        Alias(
            "Loss / Critic loss",
            "value/loss",
            SAC_TD3_DDPG,
            note="(mse1+mse2)/2 for SAC; sum for TD3; mse for DDPG",
        ),
        Alias("Loss / Q-network loss", "value/loss", ("DQN", "DDQN"), note="mse"),
        Alias("Loss / Discriminator loss", "aux/loss", ("AMP",), labels={"kind": "discriminator"}),
        Alias("Policy / Standard deviation", "policy/action_std", PPO_RPO_A2C),
        Alias(
            "Policy / Standard deviation ({agent})",
            "policy/action_std",
            ("MAPPO", "IPPO"),
            labels={"agent": "{agent}"},
        ),
        Alias(
            "Learning / Learning rate",
            "optim/learning_rate",
            ("PPO", "RPO", "A2C", "AMP", "DQN", "CEM"),
        ),
        Alias("Learning / Policy learning rate", "policy/learning_rate", SAC_TD3_DDPG),
        Alias("Learning / Critic learning rate", "value/learning_rate", SAC_TD3_DDPG),
        Alias("Learning / Value learning rate", "value/learning_rate", ("TRPO",)),
        Alias("Q-network / Q1 (mean)", "value/q_mean", SAC_TD3_DDPG, labels={"critic": "1"}),
        Alias("Q-network / Q1 (min)", "value/q_min", SAC_TD3_DDPG, labels={"critic": "1"}),
        Alias("Q-network / Q1 (max)", "value/q_max", SAC_TD3_DDPG, labels={"critic": "1"}),
        Alias("Q-network / Q2 (mean)", "value/q_mean", ("SAC", "TD3"), labels={"critic": "2"}),
        Alias("Q-network / Q2 (min)", "value/q_min", ("SAC", "TD3"), labels={"critic": "2"}),
        Alias("Q-network / Q2 (max)", "value/q_max", ("SAC", "TD3"), labels={"critic": "2"}),
        Alias("Target / Target (mean)", "value/q_target_mean", DQN_DDQN_SAC),
        Alias("Target / Target (min)", "value/q_target_min", DQN_DDQN_SAC),
        Alias("Target / Target (max)", "value/q_target_max", DQN_DDQN_SAC),
        Alias(
            "Exploration / Exploration noise (mean)",
            "explore/noise_std",
            ("TD3", "DDPG"),
            note="signed noise values, the mean is near 0; min and max show the scale",
        ),
        Alias(
            "Exploration / Exploration noise (min)",
            None,
            ("TD3", "DDPG"),
            note="signed noise values, the mean is near 0; min and max show the scale",
        ),
        Alias(
            "Exploration / Exploration noise (max)",
            None,
            ("TD3", "DDPG"),
            note="signed noise values, the mean is near 0; min and max show the scale",
        ),
        Alias("Exploration / Exploration epsilon", "explore/epsilon", ("DQN", "DDQN")),
        Alias("Coefficient / Entropy coefficient", "policy/entropy_coef", ("SAC",)),
        Alias("Coefficient / Return threshold", None, ("CEM",)),
        Alias("Coefficient / Mean discounted returns", "outcome/return_discounted_mean", ("CEM",)),
        Alias("Stats / Algorithm update time (ms)", "time/policy_update_s", scale=0.001),
        Alias("Stats / Inference time (ms)", "time/inference_s", scale=0.001),
        Alias("Stats / Env stepping time (ms)", "time/env_step_s", scale=0.001),
        Alias("Info / {key}", "env/metric", labels={"name": "{key}"}),
        *aliases(
            """
            policy/loss: Loss / Policy loss ({agent})
            """
        ),
    ),
)
