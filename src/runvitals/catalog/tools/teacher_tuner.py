"""Names of the TensorBoard Metrics Reference (teacher-scored trainer), and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[REINFORCE with KL]
policy/loss_total: Train/Loss
policy/loss: Train/PolicyLoss
policy/kl_loss: Train/KLPenalty
reward/mean: Train/AvgReward
reward/std: Train/RewardStd  # std
reward/min: Train/RewardMin
reward/max: Train/RewardMax
reward/var: Train/RewardVariance
reward/mean (window=epoch): Epoch/AvgReward
policy/loss_total (window=epoch): Epoch/AvgLoss
reward/var (window=epoch): Epoch/RewardVariance
reward/trend (window=epoch): Epoch/RewardTrend
optim/loss_trend (window=epoch): Epoch/LossTrend
data/teacher_tokens (window=epoch): Epoch/APITokens
data/samples_per_step (window=epoch): Epoch/NumSamples
throughput/generation_tokens_per_s: Performance/Generation_TokensPerSec
time/generation_s: Performance/Generation_Time
throughput/generation_tokens_per_s (stat=mean; window=run): Performance/Generation_AvgTokensPerSec
throughput/generation_tokens_per_s (stat=p99): Performance/Generation_P99TokensPerSec
throughput/tokens_per_s (stage=backprop): Performance/Backprop_TokensPerSec
throughput/tokens_per_s (stage=backprop; stat=mean; window=run):
  Performance/Backprop_AvgTokensPerSec
throughput/tokens_per_s (stage=backprop; stat=p99): Performance/Backprop_P99TokensPerSec
reward/component_weight (component={criterion}): Scoring/{criterion}
[]
system/cpu_percent: System/CPU_Percent
system/memory_percent: System/Memory_Percent
system/memory_used_gb: System/Memory_Used_GB
system/memory_available_gb: System/Memory_Available_GB
system/process_memory_gb: System/Process_Memory_GB
system/gpu_memory_used_gb: System/GPU_Memory_Used_GB
system/gpu_memory_total_gb: System/GPU_Memory_Total_GB
system/gpu_memory_percent: System/GPU_Memory_Percent
system/gpu_utilization_percent: System/GPU_Utilization
"""

FRAMEWORK = Framework(
    id="teacher-tuner",
    title="TensorBoard Metrics Reference (teacher-scored trainer)",
    version="names of a teacher-scored LLM trainer",
    names=("seed-tensorboard", "tensorboard-metrics-reference"),
    kind="llm",
    aliases=aliases(NAMES),
)
