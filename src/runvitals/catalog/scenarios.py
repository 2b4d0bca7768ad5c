"""What to watch for each kind of training, the most telling group first."""

from __future__ import annotations

import re
from collections.abc import Mapping

from runvitals.model import Scenario, WatchGroup

__all__ = ["SCENARIOS", "find_scenario"]

_GLOSSARY = "Training Metrics Glossary"
_GUIDE = "Training Monitoring Guide"
_REFERENCE = "TensorBoard Metrics Reference"
_TELEMETRY = "Training Metrics and Telemetry"

_SCENARIOS = (
    Scenario(
        "minimum-dashboard",
        "Minimum viable dashboard",
        (
            WatchGroup(
                "Outcome",
                ("outcome/success_rate", "outcome/win_rate", "outcome/return_mean"),
                "Is the task done better?",
            ),
            WatchGroup(
                "Health",
                ("policy/entropy", "policy/approx_kl", "value/loss"),
                "Does the algorithm behave?",
            ),
            WatchGroup(
                "Speed",
                ("throughput/env_steps_per_s", "throughput/updates_per_s"),
                "Is time being wasted?",
            ),
            WatchGroup(
                "Domain",
                ("outcome/distance_to_goal", "outcome/collision_rate", "outcome/score_mean"),
                "Add what the task itself offers next.",
            ),
        ),
        source=_TELEMETRY,
    ),
    Scenario(
        "ppo-grpo",
        "PPO and GRPO on language models",
        (
            WatchGroup(
                "Effect",
                ("eval/mean_at_n", "eval/score_mean", "reward/mean", "reward/score_mean"),
                "Validation first, then the trend of the reward.",
            ),
            WatchGroup(
                "Stability",
                (
                    "policy/loss_total",
                    "policy/grad_norm",
                    "policy/kl_old",
                    "policy/approx_kl",
                    "policy/clip_fraction",
                    "policy/entropy",
                    "policy/kl_ref",
                ),
            ),
            WatchGroup(
                "Efficiency",
                ("throughput/tokens_per_s_per_device", "time/generation_s", "throughput/mfu"),
            ),
            WatchGroup(
                "Data",
                (
                    "length/response_mean",
                    "length/response_clip_ratio",
                    "balance/seqlen_diff",
                    "reward/zero_std_fraction",
                ),
            ),
        ),
        ("PPO", "GRPO", "RLOO", "REINFORCE++", "DAPO", "GSPO", "CISPO"),
        _GLOSSARY,
    ),
    Scenario(
        "dpo-kto",
        "DPO, KTO and other preference optimisation",
        (
            WatchGroup(
                "Effect",
                ("preference/margin", "preference/accuracy"),
                "How well are good answers told from bad ones?",
            ),
            WatchGroup("Stability", ("preference/loss", "optim/grad_norm", "optim/learning_rate")),
            WatchGroup(
                "Overfitting",
                (
                    "preference/accuracy",
                    "eval/preference/accuracy",
                    "eval/loss",
                    "preference/chosen_reward",
                    "preference/rejected_reward",
                ),
                "Accuracy at 99 percent and more while evaluation stands still is memorising.",
            ),
        ),
        ("DPO", "KTO", "SimPO", "ORPO", "CPO", "IPO"),
        _GLOSSARY,
    ),
    Scenario(
        "reward-model",
        "Reward-model training",
        (
            WatchGroup(
                "Effect", ("rm/accuracy", "rm/margin"), "Does the judge judge well, and clearly?"
            ),
            WatchGroup(
                "Generalisation",
                ("eval/rm/accuracy", "eval/rm/loss", "rm/loss"),
                "Validation accuracy has to follow training accuracy.",
            ),
            WatchGroup("Stability", ("rm/grad_norm", "optim/grad_norm", "optim/learning_rate")),
        ),
        ("RM", "Reward", "PRM"),
        _GLOSSARY,
    ),
    Scenario(
        "sft",
        "Supervised fine-tuning",
        (
            WatchGroup("Effect", ("eval/loss", "lm/loss", "lm/token_accuracy", "eval/perplexity")),
            WatchGroup("Stability", ("optim/grad_norm", "optim/learning_rate", "optim/loss")),
            WatchGroup(
                "Efficiency", ("throughput/tokens_per_s", "throughput/tokens_per_s_per_device")
            ),
        ),
        ("SFT", "PT", "LoRA"),
    ),
    Scenario(
        "must-watch",
        "Must-watch numbers of a PPO scheduler",
        (
            WatchGroup(
                "Update size",
                ("policy/approx_kl", "policy/clip_fraction", "optim/grad_norm"),
                "Against target_kl, the clip range and max_grad_norm of the run.",
            ),
            WatchGroup(
                "Exploration", ("policy/entropy", "policy/temperature", "policy/action_share")
            ),
            WatchGroup(
                "Reward breakdown",
                ("reward/mean", "reward/component_mean"),
                "Total, absolute score, delta score and balance penalty.",
            ),
            WatchGroup(
                "Temperature and pressure",
                ("policy/temperature", "control/pressure", "control/pulse_active"),
            ),
            WatchGroup("Resume", ("progress/chunks", "progress/requests")),
        ),
        ("PPO",),
        _GUIDE,
    ),
    Scenario(
        "teacher-tuning",
        "Teacher-scored fine-tuning",
        (
            WatchGroup(
                "Training health",
                ("reward/mean", "policy/loss_total", "reward/var"),
                "Reward up to 0.7 and more, loss down and steady, variance below 0.01.",
            ),
            WatchGroup(
                "Bottlenecks",
                ("throughput/generation_tokens_per_s", "throughput/tokens_per_s"),
            ),
            WatchGroup(
                "Resources",
                ("system/gpu_utilization_percent", "system/memory_percent"),
                "GPU above 50 percent, memory below 90 percent.",
            ),
            WatchGroup("Convergence", ("reward/trend", "optim/loss_trend")),
            WatchGroup(
                "Reward analysis", ("reward/mean", "reward/trend", "reward/var", "reward/std")
            ),
            WatchGroup(
                "Loss analysis",
                ("policy/loss_total", "optim/loss_trend", "policy/loss", "policy/kl_loss"),
            ),
            WatchGroup(
                "Performance analysis",
                (
                    "throughput/generation_tokens_per_s",
                    "throughput/tokens_per_s",
                    "time/generation_s",
                ),
                "Running value, average and 99th percentile.",
            ),
            WatchGroup(
                "System health",
                (
                    "system/cpu_percent",
                    "system/memory_percent",
                    "system/gpu_utilization_percent",
                    "system/gpu_memory_percent",
                ),
            ),
            WatchGroup("Cost", ("data/teacher_tokens", "data/samples_per_step")),
        ),
        ("REINFORCE",),
        _REFERENCE,
    ),
    Scenario(
        "classic-rl",
        "PPO and A2C in environments",
        (
            WatchGroup(
                "Outcome",
                (
                    "eval/return_mean",
                    "outcome/return_mean",
                    "outcome/success_rate",
                    "outcome/episode_length_mean",
                ),
            ),
            WatchGroup(
                "Policy",
                (
                    "policy/entropy",
                    "policy/approx_kl",
                    "policy/clip_fraction",
                    "policy/loss",
                    "policy/action_std",
                ),
            ),
            WatchGroup("Critic", ("value/explained_variance", "value/loss")),
            WatchGroup("Speed", ("throughput/env_steps_per_s", "throughput/updates_per_s")),
        ),
        ("PPO", "A2C", "TRPO", "IMPALA"),
    ),
    Scenario(
        "off-policy-rl",
        "SAC, TD3 and DQN",
        (
            WatchGroup(
                "Outcome", ("eval/return_mean", "outcome/return_mean", "outcome/success_rate")
            ),
            WatchGroup(
                "Critic",
                ("value/q_mean", "value/loss", "value/td_error", "value/q_target_mean"),
                "The loss may well grow while the return improves; watch Q against the return.",
            ),
            WatchGroup(
                "Exploration", ("policy/entropy_coef", "explore/epsilon", "explore/noise_std")
            ),
            WatchGroup("Replay", ("replay/size", "replay/ratio")),
            WatchGroup("Speed", ("throughput/env_steps_per_s", "throughput/updates_per_s")),
        ),
        ("SAC", "TD3", "DDPG", "DQN", "QRDQN", "TQC"),
    ),
)

SCENARIOS: Mapping[str, Scenario] = {scenario.id: scenario for scenario in _SCENARIOS}

_WORD = re.compile(r"[a-z0-9]+")


def find_scenario(text: str) -> Scenario | None:
    """The list with this id or title, or the only one whose title or algorithms have these words.

    >>> find_scenario("minimum viable dashboard").id, find_scenario("DPO / KTO").id
    ('minimum-dashboard', 'dpo-kto')
    """
    wanted = frozenset(_WORD.findall(text.casefold())) - {"training", "and", "the"}
    fitting = [
        scenario
        for scenario in _SCENARIOS
        if text in (scenario.id, scenario.title)
        or (len(wanted) > 1 and wanted <= _words(scenario.id, scenario.title))
        or (len(wanted) > 1 and wanted <= _words(*scenario.algorithms))
    ]
    return fitting[0] if len(fitting) == 1 else None


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(text.casefold()))
