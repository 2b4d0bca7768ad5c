"""Names that Dopamine logs, and the metrics they are."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="dopamine",
    title="Dopamine",
    version="4.1.2",
    kind="classic",
    aliases=(
        Alias(
            "Train/AverageReturns",
            "outcome/return_mean",
            note=(
                "one iteration (250k Atari steps); 0.0 is also written when nothing finished; "
                "check Train/NumEpisodes"
            ),
        ),
        Alias("Train/NumEpisodes", "outcome/episode_count"),
        Alias("Train/AverageStepsPerSecond", "throughput/env_steps_per_s", note="steps/time"),
        Alias("Eval/AverageReturns", "eval/return_mean"),
        Alias("Eval/NumEpisodes", "eval/episode_count"),
        Alias(
            "HuberLoss", "value/loss", ("DQN",), note="tag says Huber even when loss_type is mse"
        ),
        Alias("Loss", "value/loss", ("DQN", "Rainbow", "Quantile", "IQN", "FullRainbow")),
        Alias("CrossEntropyLoss", "value/loss", ("Rainbow", "FullRainbow")),
        Alias("QuantileLoss", "value/loss", ("Quantile", "IQN")),
        Alias("Losses/Critic", "value/loss", ("SAC", "PPO"), note="SAC: mse1+mse2; PPO: 0.5*mean"),
        Alias("Losses/Actor", "policy/loss_total", ("SAC",)),
        Alias("Losses/Alpha", "policy/entropy_coef_loss", ("SAC",)),
        Alias("Values/CriticValues1", "value/q_mean", ("SAC",), labels={"critic": "1"}),
        Alias("Values/TargetValues1", "value/q_target_mean", ("SAC",), labels={"critic": "1"}),
        Alias("Values/CriticValues2", "value/q_mean", ("SAC",), labels={"critic": "2"}),
        Alias("Values/TargetValues2", "value/q_target_mean", ("SAC",), labels={"critic": "2"}),
        Alias("Values/Alpha", "policy/entropy_coef", ("SAC",)),
        Alias("Values/MeanActions{i}", "policy/action_mean", ("SAC",), labels={"dim": "{i}"}),
        Alias("Losses/Combined", "optim/loss", ("PPO",), note="actor + c_v*critic - c_e*entropy"),
        Alias("Losses/Actor", "policy/loss", ("PPO",)),
        Alias("Losses/Entropy", "policy/entropy", ("PPO",), note="mean(H)"),
        Alias("Values/SampledAction{i}", "policy/action_mean", ("PPO",), labels={"dim": "{i}"}),
    ),
)
