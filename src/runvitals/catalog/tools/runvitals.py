"""runvitals' own names: every canonical id is its own alias; here stands what the recorder adds."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
policy/action_share (action={i}): action_{group}_{i} | Actions/{group}_{i}
time/eval_s: timing_s/eval
time/training_s: timing_s/update
system/cpu_percent: System/CPU_Percent
system/other_cpu_percent: System/Other_CPU_Percent
system/cpu_steal_percent: System/CPU_Steal_Percent
system/memory_percent: System/Memory_Percent
system/memory_used_gb: System/Memory_Used_GB
system/memory_available_gb: System/Memory_Available_GB
system/process_memory_gb: System/Process_Memory_GB
system/gpu_memory_used_gb: System/GPU_Memory_Used_GB
system/gpu_memory_total_gb: System/GPU_Memory_Total_GB
system/gpu_memory_percent: System/GPU_Memory_Percent
system/gpu_utilization_percent: System/GPU_Utilization
none: System/Process_CPU_Percent  # CPU use of the process, 100 a core
none: System/Process_Threads
system/disk_free_gb: System/Disk_Free_GB
system/gpu_power_w: System/GPU_Power_W
system/gpu_temperature_c: System/GPU_Temperature_C
system/gpu_utilization_percent: System/GPU{gpu}_Utilization
system/gpu_memory_used_gb: System/GPU{gpu}_Memory_Used_GB
"""

FRAMEWORK = Framework(
    id="runvitals",
    title="runvitals",
    version="0.1",
    kind="general",
    names=("rv",),
    aliases=aliases(NAMES),
)
