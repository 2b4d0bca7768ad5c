"""What Weights & Biases samples of the machine, beside the metrics of whoever logs to it."""

from runvitals.model import Alias, Framework

_GPU = {"gpu": "{gpu}"}
_MB = 1 / 1024

FRAMEWORK = Framework(
    id="wandb",
    title="Weights & Biases",
    version="0.31",
    kind="general",
    names=("w&b", "weights and biases"),
    aliases=(
        Alias("system/cpu", "system/cpu_percent", note="of the process, over all cores"),
        Alias("system/memory", "system/memory_percent", versions="old"),
        Alias("system/memory_percent", "system/memory_percent"),
        Alias("system/memory.used_percent", "system/memory_percent"),
        Alias("system/proc.memory.availableMB", "system/memory_available_gb", scale=_MB),
        Alias("system/memory.used", "system/memory_used_gb", scale=2**-30, note="in bytes"),
        Alias("system/cpu.{core}.cpu_percent", None, note="one core"),
        Alias("system/proc.memory.rssMB", "system/process_memory_gb", scale=_MB),
        Alias(
            "system/disk.{parameter}.usageGB",
            "system/disk_used_gb",
            labels={"mount": "{parameter}"},
        ),
        Alias("system/gpu.{gpu}.gpu", "system/gpu_utilization_percent", labels=_GPU),
        Alias("system/gpu.{gpu}.memoryAllocated", "system/gpu_memory_percent", labels=_GPU),
        Alias(
            "system/gpu.{gpu}.memoryAllocatedBytes",
            "system/gpu_memory_used_gb",
            labels=_GPU,
            scale=2**-30,
        ),
        Alias("system/gpu.{gpu}.powerWatts", "system/gpu_power_w", labels=_GPU),
        Alias("system/gpu.{gpu}.temp", "system/gpu_temperature_c", labels=_GPU),
        Alias("_runtime", "time/elapsed_s"),
        Alias("_step", "progress/step"),
    ),
)
