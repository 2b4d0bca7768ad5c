"""Names that PufferLib logs, and the metrics they are."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="pufferlib",
    title="PufferLib",
    version="3.0.0 (1.x names listed)",
    names=("puffer",),
    kind="classic",
    aliases=(
        Alias("SPS", "throughput/env_steps_per_s", ("PPO",)),
        Alias("agent_steps", "progress/agent_steps", ("PPO",)),
        Alias("uptime", "time/elapsed_s", ("PPO",)),
        Alias("epoch", "progress/step", ("PPO",)),
        Alias("learning_rate", "optim/learning_rate", ("PPO",)),
        Alias("environment/{key}", "env/metric", ("PPO",), labels={"name": "{key}"}),
        Alias("environment/episode_return", "outcome/return_mean", ("PPO",)),
        Alias("environment/episode_length", "outcome/episode_length_mean", ("PPO",)),
        Alias("environment/score", "outcome/score_mean", ("PPO",)),
        Alias(
            "environment/perf",
            "outcome/score_mean",
            ("PPO",),
            labels={"name": "perf"},
            note="convention of the bundled Ocean environments",
        ),
        Alias("losses/policy_loss", "policy/loss", ("PPO",)),
        Alias("losses/value_loss", "value/loss", ("PPO",), note="0.5*mean(max)"),
        Alias("losses/entropy", "policy/entropy", ("PPO",)),
        Alias(
            "losses/old_approx_kl", "policy/kl_old", ("PPO",), note="estimator k1; can be negative"
        ),
        Alias(
            "losses/approx_kl", "policy/approx_kl", ("PPO",), note="estimator k3; mean((r-1)-log r)"
        ),
        Alias("losses/clipfrac", "policy/clip_fraction", ("PPO",), note="mean(|r-1|>eps)"),
        Alias("losses/importance", "policy/ratio_mean", ("PPO",), note="mean(r)"),
        Alias(
            "losses/explained_variance",
            "value/explained_variance",
            ("PPO",),
            note="values were overwritten by the new critic during the update",
        ),
        Alias(
            "performance/eval", "time/generation_s", ("PPO",), note="cumulative over sampled epochs"
        ),
        Alias(
            "performance/train",
            "time/policy_update_s",
            ("PPO",),
            note="cumulative over sampled epochs",
        ),
        Alias(
            "performance/env", "time/env_step_s", ("PPO",), note="cumulative over sampled epochs"
        ),
        Alias(
            "performance/eval_forward",
            "time/inference_s",
            ("PPO",),
            note="cumulative over sampled epochs",
        ),
        Alias("performance/learn", None, ("PPO",), note="cumulative over sampled epochs"),
        Alias(
            "0verview/SPS",
            "throughput/env_steps_per_s",
            ("PPO (1.x)",),
            note=(
                "also 0verview/agent_steps, 0verview/epoch, 0verview/learning_rate; the first "
                "character is a zero"
            ),
        ),
    ),
)
