"""What Weights & Biases samples of the machine, beside the metrics of whoever logs to it."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
system/cpu_percent: system/cpu  # of the process, over all cores
system/memory_percent (versions=old): system/memory
system/memory_percent: system/memory_percent | system/memory.used_percent
system/memory_available_gb (scale=0.0009765625): system/proc.memory.availableMB
system/memory_used_gb (scale=9.313225746154785e-10): system/memory.used  # in bytes
none: system/cpu.{core}.cpu_percent  # one core
system/process_memory_gb (scale=0.0009765625): system/proc.memory.rssMB
system/disk_used_gb (mount={parameter}): system/disk.{parameter}.usageGB
system/gpu_utilization_percent: system/gpu.{gpu}.gpu
system/gpu_memory_percent: system/gpu.{gpu}.memoryAllocated
system/gpu_memory_used_gb (scale=9.313225746154785e-10): system/gpu.{gpu}.memoryAllocatedBytes
system/gpu_power_w: system/gpu.{gpu}.powerWatts
system/gpu_temperature_c: system/gpu.{gpu}.temp
time/elapsed_s: _runtime
progress/step: _step
"""

FRAMEWORK = Framework(
    id="wandb",
    title="Weights & Biases",
    version="0.31",
    kind="general",
    names=("w&b", "weights and biases"),
    aliases=aliases(NAMES),
)
