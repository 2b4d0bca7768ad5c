"""runvitals' own names: every canonical id is its own alias; here stands what the recorder adds."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="runvitals",
    title="runvitals",
    version="0.1",
    kind="general",
    names=("rv",),
    aliases=(
        Alias(
            "action_{group}_{i}",
            "policy/action_share",
            labels={"group": "{group}", "action": "{i}"},
        ),
        Alias(
            "Actions/{group}_{i}",
            "policy/action_share",
            labels={"group": "{group}", "action": "{i}"},
        ),
        Alias("timing_s/eval", "time/eval_s"),
        Alias("timing_s/update", "time/training_s"),
        Alias("System/CPU_Percent", "system/cpu_percent"),
        Alias("System/Other_CPU_Percent", "system/other_cpu_percent"),
        Alias("System/CPU_Steal_Percent", "system/cpu_steal_percent"),
        Alias("System/Memory_Percent", "system/memory_percent"),
        Alias("System/Memory_Used_GB", "system/memory_used_gb"),
        Alias("System/Memory_Available_GB", "system/memory_available_gb"),
        Alias("System/Process_Memory_GB", "system/process_memory_gb"),
        Alias("System/GPU_Memory_Used_GB", "system/gpu_memory_used_gb"),
        Alias("System/GPU_Memory_Total_GB", "system/gpu_memory_total_gb"),
        Alias("System/GPU_Memory_Percent", "system/gpu_memory_percent"),
        Alias("System/GPU_Utilization", "system/gpu_utilization_percent"),
        Alias("System/Process_CPU_Percent", None, note="CPU use of the process, 100 a core"),
        Alias("System/Process_Threads", None),
        Alias("System/Disk_Free_GB", "system/disk_free_gb"),
        Alias("System/GPU_Power_W", "system/gpu_power_w"),
        Alias("System/GPU_Temperature_C", "system/gpu_temperature_c"),
        Alias(
            "System/GPU{gpu}_Utilization", "system/gpu_utilization_percent", labels={"gpu": "{gpu}"}
        ),
        Alias(
            "System/GPU{gpu}_Memory_Used_GB", "system/gpu_memory_used_gb", labels={"gpu": "{gpu}"}
        ),
    ),
)
