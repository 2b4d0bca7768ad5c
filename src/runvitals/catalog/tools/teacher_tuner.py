"""Names of the TensorBoard Metrics Reference (teacher-scored trainer), and the metrics they are."""

from runvitals.model import Alias, Framework

REINFORCE_WITH_KL = ("REINFORCE with KL",)

FRAMEWORK = Framework(
    id="teacher-tuner",
    title="TensorBoard Metrics Reference (teacher-scored trainer)",
    version="names of a teacher-scored LLM trainer",
    names=("seed-tensorboard", "tensorboard-metrics-reference"),
    kind="llm",
    aliases=(
        Alias("Train/Loss", "policy/loss_total", REINFORCE_WITH_KL),
        Alias("Train/PolicyLoss", "policy/loss", REINFORCE_WITH_KL),
        Alias("Train/KLPenalty", "policy/kl_loss", REINFORCE_WITH_KL),
        Alias("Train/AvgReward", "reward/mean", REINFORCE_WITH_KL),
        Alias("Train/RewardStd", "reward/std", REINFORCE_WITH_KL, note="std"),
        Alias("Train/RewardMin", "reward/min", REINFORCE_WITH_KL),
        Alias("Train/RewardMax", "reward/max", REINFORCE_WITH_KL),
        Alias("Train/RewardVariance", "reward/var", REINFORCE_WITH_KL),
        Alias("Epoch/AvgReward", "reward/mean", REINFORCE_WITH_KL, labels={"window": "epoch"}),
        Alias("Epoch/AvgLoss", "policy/loss_total", REINFORCE_WITH_KL, labels={"window": "epoch"}),
        Alias("Epoch/RewardVariance", "reward/var", REINFORCE_WITH_KL, labels={"window": "epoch"}),
        Alias("Epoch/RewardTrend", "reward/trend", REINFORCE_WITH_KL, labels={"window": "epoch"}),
        Alias("Epoch/LossTrend", "optim/loss_trend", REINFORCE_WITH_KL, labels={"window": "epoch"}),
        Alias(
            "Epoch/APITokens", "data/teacher_tokens", REINFORCE_WITH_KL, labels={"window": "epoch"}
        ),
        Alias(
            "Epoch/NumSamples",
            "data/samples_per_step",
            REINFORCE_WITH_KL,
            labels={"window": "epoch"},
        ),
        Alias(
            "Performance/Generation_TokensPerSec",
            "throughput/generation_tokens_per_s",
            REINFORCE_WITH_KL,
        ),
        Alias("Performance/Generation_Time", "time/generation_s", REINFORCE_WITH_KL),
        Alias(
            "Performance/Generation_AvgTokensPerSec",
            "throughput/generation_tokens_per_s",
            REINFORCE_WITH_KL,
            labels={"stat": "mean", "window": "run"},
        ),
        Alias(
            "Performance/Generation_P99TokensPerSec",
            "throughput/generation_tokens_per_s",
            REINFORCE_WITH_KL,
            labels={"stat": "p99"},
        ),
        Alias(
            "Performance/Backprop_TokensPerSec",
            "throughput/tokens_per_s",
            REINFORCE_WITH_KL,
            labels={"stage": "backprop"},
        ),
        Alias(
            "Performance/Backprop_AvgTokensPerSec",
            "throughput/tokens_per_s",
            REINFORCE_WITH_KL,
            labels={"stage": "backprop", "stat": "mean", "window": "run"},
        ),
        Alias(
            "Performance/Backprop_P99TokensPerSec",
            "throughput/tokens_per_s",
            REINFORCE_WITH_KL,
            labels={"stage": "backprop", "stat": "p99"},
        ),
        Alias(
            "Scoring/{criterion}",
            "reward/component_weight",
            REINFORCE_WITH_KL,
            labels={"component": "{criterion}"},
        ),
        Alias("System/CPU_Percent", "system/cpu_percent"),
        Alias("System/Memory_Percent", "system/memory_percent"),
        Alias("System/Memory_Used_GB", "system/memory_used_gb"),
        Alias("System/Memory_Available_GB", "system/memory_available_gb"),
        Alias("System/Process_Memory_GB", "system/process_memory_gb"),
        Alias("System/GPU_Memory_Used_GB", "system/gpu_memory_used_gb"),
        Alias("System/GPU_Memory_Total_GB", "system/gpu_memory_total_gb"),
        Alias("System/GPU_Memory_Percent", "system/gpu_memory_percent"),
        Alias("System/GPU_Utilization", "system/gpu_utilization_percent"),
    ),
)
