"""What to watch for each kind of training, the most telling group first."""

from __future__ import annotations

from collections.abc import Mapping

from runvitals.model import Scenario, WatchGroup

__all__ = ["SCENARIOS"]

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
                ("success_rate", "win_rate", "avg_return"),
            ),
            WatchGroup(
                "Health",
                ("policy/entropy", "policy/approx_kl", "value/loss"),
                "Does the algorithm behave?",
                ("entropy", "approx_kl", "value_loss"),
            ),
            WatchGroup(
                "Performance",
                ("throughput/env_steps_per_s", "throughput/updates_per_s"),
                "Is time being wasted?",
                ("steps_per_second", "updates_per_second"),
            ),
            WatchGroup(
                "Domain",
                ("outcome/distance_to_goal", "outcome/collision_rate", "outcome/score_mean"),
                "Add what the task itself offers next.",
                ("distance_to_goal", "collision_rate"),
                also=("domain-specific metrics", "task-specific score"),
            ),
        ),
        source=_TELEMETRY,
        tools=("glossary",),
        also=("minimum dashboard",),
    ),
    Scenario(
        "reading-order",
        "Reading order: what to look at first, then",
        (
            WatchGroup(
                "Validation",
                ("eval/mean_at_n", "eval/score_mean", "eval/reward/score_mean"),
                "The final exam: did the model get better? Nothing else matters as much.",
            ),
            WatchGroup(
                "Actor",
                (
                    "policy/loss_total",
                    "policy/grad_norm",
                    "policy/entropy",
                    "policy/kl_old",
                    "policy/clip_fraction",
                    "policy/learning_rate",
                ),
                "Daily homework and practice: is the policy trained in a healthy way?",
            ),
            WatchGroup(
                "Critic and reward",
                ("reward/mean", "value/loss", "value/mean", "advantage/mean", "advantage/std"),
                "Scores from the teacher: if they are wrong, the policy learns the wrong thing.",
            ),
            WatchGroup(
                "Length",
                ("length/response_mean", "length/response_clip_ratio", "length/aborted_ratio"),
                "Is the response too long or too short?",
            ),
            WatchGroup(
                "Preferences",
                ("preference/loss", "preference/margin", "preference/accuracy"),
                "The report card of preference learning, for DPO and its kin.",
            ),
            WatchGroup(
                "Reward model",
                ("rm/loss", "rm/accuracy", "rm/margin"),
                "Training the judge, where one is trained.",
            ),
            WatchGroup("Turns", ("agent/turns_mean", "agent/turns_max"), "How many did it take?"),
            WatchGroup(
                "Load",
                ("balance/seqlen_diff", "balance/seqlen_max"),
                "Is work evenly distributed? The slowest rank sets the pace.",
            ),
            WatchGroup(
                "Timing",
                ("time/step_s", "time/generation_s", "time/policy_update_s"),
                "Study time: where does it go? The step first, then its slowest part.",
            ),
            WatchGroup(
                "Performance",
                ("throughput/tokens_per_s_per_device", "throughput/mfu"),
                "Is GPU utilisation high enough?",
            ),
        ),
        source=_GLOSSARY,
        also=("what to watch first", "watch first"),
    ),
    Scenario(
        "ppo-grpo",
        "PPO and GRPO on language models",
        (
            WatchGroup(
                "Effectiveness",
                ("eval/mean_at_n", "reward/mean", "eval/score_mean", "reward/score_mean"),
                "Validation first, then the trend of the reward.",
                ("val-core/*/acc/mean@1", "critic/rewards/mean"),
            ),
            WatchGroup(
                "Stability",
                (
                    "policy/loss_total",
                    "policy/grad_norm",
                    "policy/kl_old",
                    "policy/clip_fraction",
                    "policy/approx_kl",
                    "policy/entropy",
                    "policy/kl_ref",
                ),
                names=("actor/loss", "actor/grad_norm", "actor/ppo_kl", "actor/pg_clipfrac"),
            ),
            WatchGroup(
                "Efficiency",
                ("throughput/tokens_per_s_per_device", "time/generation_s", "throughput/mfu"),
                names=("perf/throughput", "timing_s/gen"),
            ),
            WatchGroup(
                "Data",
                (
                    "length/response_mean",
                    "length/response_clip_ratio",
                    "balance/seqlen_diff",
                    "reward/zero_std_fraction",
                ),
                names=(
                    "response_length/mean",
                    "response_length/clip_ratio",
                    "global_seqlen/minmax_diff",
                ),
            ),
        ),
        ("PPO", "GRPO", "RLOO", "REINFORCE++", "DAPO", "GSPO", "CISPO"),
        _GLOSSARY,
        ("verl",),
    ),
    Scenario(
        "dpo-kto",
        "DPO, KTO and other preference optimisation",
        (
            WatchGroup(
                "Effectiveness",
                ("preference/margin", "preference/accuracy"),
                "How well are good answers told from bad ones?",
                ("rewards/margins", "rewards/accuracy"),
            ),
            WatchGroup(
                "Stability",
                ("preference/loss", "optim/grad_norm", "optim/learning_rate"),
                names=("loss/dpo",),
            ),
            WatchGroup(
                "Overfitting check",
                (
                    "preference/accuracy",
                    "eval/preference/accuracy",
                    "eval/loss",
                    "preference/chosen_reward",
                    "preference/rejected_reward",
                ),
                "Accuracy at 99 percent and more while evaluation stands still is memorising.",
                ("rewards/accuracy",),
            ),
        ),
        ("DPO", "KTO", "SimPO", "ORPO", "CPO", "IPO"),
        _GLOSSARY,
        ("glossary", "trl"),
    ),
    Scenario(
        "reward-model",
        "Reward-model training",
        (
            WatchGroup(
                "Effectiveness",
                ("rm/accuracy", "rm/margin"),
                "Does the judge judge well, and clearly?",
                ("rm/accuracy", "rm/reward_margin"),
            ),
            WatchGroup(
                "Generalization",
                ("eval/rm/accuracy", "rm/accuracy", "eval/rm/loss", "rm/loss"),
                "Validation accuracy has to follow training accuracy.",
                also=("generalisation",),
            ),
            WatchGroup("Stability", ("rm/grad_norm", "optim/grad_norm", "optim/learning_rate")),
        ),
        ("RM", "Reward", "PRM"),
        _GLOSSARY,
        ("glossary",),
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
        also=("supervised learning",),
    ),
    Scenario(
        "must-watch",
        "Must-watch numbers of a PPO scheduler",
        (
            WatchGroup(
                "Must-watch scalars",
                (
                    "policy/approx_kl",
                    "policy/entropy",
                    "policy/clip_fraction",
                    "optim/grad_norm",
                    "policy/temperature",
                    "reward/component_mean",
                ),
                "Against the run's own target_kl, entropy_min, max_grad_norm and temperature bounds.",
                (
                    "approx_kl",
                    "entropy",
                    "clipfrac",
                    "pg_grad_norm",
                    "current_temperature",
                    "balance_penalty",
                ),
            ),
            WatchGroup(
                "Action distribution",
                ("policy/action_share",),
                "Near uniform, unless the workload wants it otherwise; the first chunks tell whether "
                "a warm start took.",
                ("Actions/replica_*", "action_replica_n"),
                ("action distribution insight",),
            ),
            WatchGroup(
                "Temperature and pressure",
                ("policy/temperature", "control/pressure", "control/pulse_active"),
                "Do latency spikes fall together with a low temperature?",
                (
                    "temp_current_temperature",
                    "temp_qps_pressure_ema",
                    "temp_latency_pressure_ema",
                    "temp_is_pulsing",
                ),
            ),
            WatchGroup(
                "Reward breakdown",
                ("reward/mean", "reward/component_mean"),
                "Total, absolute score, delta score and balance penalty.",
                ("reward", "reward_mean", "absolute_score", "delta_score", "balance_penalty"),
            ),
            WatchGroup(
                "Resume metadata",
                ("progress/chunks", "progress/requests"),
                "training_progress.json has them, and latest_checkpoint.",
                ("completed_chunks", "requests_done"),
            ),
            WatchGroup(
                "CSV exports",
                (
                    "policy/approx_kl",
                    "policy/clip_fraction",
                    "policy/entropy",
                    "policy/temperature",
                ),
                "One row a step in metrics/*.csv, while metrics_export_enabled is on.",
                ("approx_kl", "clipfrac", "entropy", "temperature"),
            ),
        ),
        ("PPO",),
        _GUIDE,
        ("vidur-ppo-scheduler",),
        ("Training Monitoring Guide",),
    ),
    Scenario(
        "teacher-tuning",
        "Teacher-scored fine-tuning",
        (
            WatchGroup(
                "Training health",
                ("reward/mean", "policy/loss_total", "reward/var"),
                "Reward up to 0.7 and more, loss down and steady, variance below 0.01.",
                ("Epoch/AvgReward", "Epoch/AvgLoss", "Epoch/RewardVariance"),
            ),
            WatchGroup(
                "Performance bottlenecks",
                ("throughput/generation_tokens_per_s", "throughput/tokens_per_s"),
                "Below one generated token a second, use a faster backend.",
                ("Performance/Generation_TokensPerSec", "Performance/Backprop_TokensPerSec"),
            ),
            WatchGroup(
                "System resources",
                ("system/gpu_utilization_percent", "system/memory_percent"),
                "GPU above 50 percent, memory below 90 percent.",
                ("System/GPU_Utilization", "System/Memory_Percent"),
            ),
            WatchGroup(
                "Convergence indicators",
                ("reward/trend", "optim/loss_trend"),
                "Both positive, and coming closer to zero.",
                ("Epoch/RewardTrend", "Epoch/LossTrend"),
            ),
            WatchGroup(
                "Reward analysis",
                ("reward/mean", "reward/trend", "reward/var", "reward/std"),
                names=(
                    "Epoch/AvgReward",
                    "Epoch/RewardTrend",
                    "Epoch/RewardVariance",
                    "Train/RewardStd",
                    "Train/RewardVariance",
                ),
            ),
            WatchGroup(
                "Loss analysis",
                ("policy/loss_total", "optim/loss_trend", "policy/loss", "policy/kl_loss"),
                names=(
                    "Epoch/AvgLoss",
                    "Epoch/LossTrend",
                    "Train/Loss",
                    "Train/PolicyLoss",
                    "Train/KLPenalty",
                ),
            ),
            WatchGroup(
                "Performance analysis",
                (
                    "throughput/generation_tokens_per_s",
                    "throughput/tokens_per_s",
                    "time/generation_s",
                ),
                "Average and 99th percentile.",
                (
                    "Performance/Generation_AvgTokensPerSec",
                    "Performance/Generation_P99TokensPerSec",
                    "Performance/Backprop_AvgTokensPerSec",
                    "Performance/Backprop_P99TokensPerSec",
                ),
            ),
            WatchGroup(
                "System health",
                (
                    "system/cpu_percent",
                    "system/memory_percent",
                    "system/gpu_utilization_percent",
                    "system/gpu_memory_percent",
                ),
                names=(
                    "System/CPU_Percent",
                    "System/Memory_Percent",
                    "System/GPU_Utilization",
                    "System/GPU_Memory_Percent",
                ),
            ),
            WatchGroup("Cost", ("data/teacher_tokens", "data/samples_per_step")),
        ),
        ("REINFORCE",),
        _REFERENCE,
        ("teacher-tuner",),
        ("Key Metrics to Monitor", "Metric Groups"),
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
