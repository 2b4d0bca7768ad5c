"""Names that Unity ML-Agents logs, and the metrics they are."""

from runvitals.model import Alias, Framework

WITH_THAT_MODULE = ("with that module",)

FRAMEWORK = Framework(
    id="ml-agents",
    title="Unity ML-Agents",
    version="1.1.0.dev0 (commit fb2af76)",
    names=("mlagents", "unity"),
    kind="classic",
    aliases=(
        Alias("Is Training", None, note="1 while it learns"),
        Alias("Environment/Cumulative Reward", "outcome/return_mean", note="summary_freq steps"),
        Alias(
            "Environment/Group Cumulative Reward",
            "outcome/return_mean",
            ("POCA",),
            labels={"agent": "group"},
        ),
        Alias("Environment/Episode Length", "outcome/episode_length_mean"),
        Alias(
            "Environment/Lesson Number/{parameter}",
            "curriculum/stage",
            labels={"parameter": "{parameter}"},
        ),
        Alias(
            "Losses/Policy Loss",
            "policy/loss",
            ("PPO", "POCA"),
            note="abs() kept for compatibility; sign is lost, so it never goes below 0",
        ),
        Alias("Losses/Policy Loss", "policy/loss_total", ("SAC",)),
        Alias("Losses/Value Loss", "value/loss", ("PPO", "POCA", "SAC"), note="mean(max)"),
        Alias(
            "Losses/Baseline Loss",
            "value/loss",
            ("POCA",),
            labels={"critic": "baseline"},
            always=True,
        ),
        Alias("Losses/Q1 Loss", "value/loss", ("SAC",), labels={"critic": "1"}, note="mse"),
        Alias("Losses/Q2 Loss", "value/loss", ("SAC",), labels={"critic": "2"}, note="mse"),
        Alias("Policy/Entropy", "policy/entropy"),
        Alias("Policy/Learning Rate", "optim/learning_rate"),
        Alias("Policy/Epsilon", "policy/clip_range", ("PPO", "POCA")),
        Alias("Policy/Beta", "policy/entropy_coef", ("PPO", "POCA")),
        Alias(
            "Policy/{signal} Value Estimate",
            "value/mean",
            ("PPO", "POCA"),
            labels={"signal": "{signal}"},
        ),
        Alias(
            "Policy/{signal} Baseline Estimate",
            "value/mean",
            ("POCA",),
            labels={"signal": "{signal}", "critic": "baseline"},
        ),
        Alias("Policy/{signal} Value", "value/mean", ("SAC",), labels={"signal": "{signal}"}),
        Alias("Policy/{signal} Reward", "reward/component_mean", labels={"component": "{signal}"}),
        Alias(
            "Policy/Discrete Entropy Coeff",
            "policy/entropy_coef",
            ("SAC",),
            labels={"action": "discrete"},
        ),
        Alias(
            "Policy/Continuous Entropy Coeff",
            "policy/entropy_coef",
            ("SAC",),
            labels={"action": "continuous"},
        ),
        Alias("Self-play/ELO", "outcome/elo", ("self-play",)),
        Alias("Losses/Pretraining Loss", "aux/loss", WITH_THAT_MODULE, labels={"kind": "bc"}),
        Alias(
            "Losses/Curiosity Forward Loss",
            "aux/loss",
            WITH_THAT_MODULE,
            labels={"kind": "curiosity_forward"},
        ),
        Alias(
            "Losses/Curiosity Inverse Loss",
            "aux/loss",
            WITH_THAT_MODULE,
            labels={"kind": "curiosity_inverse"},
        ),
        Alias("Losses/GAIL Loss", "aux/loss", WITH_THAT_MODULE, labels={"kind": "discriminator"}),
        Alias("Losses/GAIL KL Loss", "aux/loss", WITH_THAT_MODULE, labels={"kind": "gail_kl"}),
        Alias("Losses/RND Loss", "aux/loss", WITH_THAT_MODULE, labels={"kind": "rnd"}),
        Alias("Policy/GAIL Policy Estimate", None, ("GAIL",)),
        Alias("Policy/GAIL Expert Estimate", None, ("GAIL",)),
        Alias("Policy/GAIL Beta", None, ("GAIL",)),
        Alias("Is Training", None),
    ),
)
