"""Metrics of the machine."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "system/cpu_percent",
        meaning="CPU use of the machine",
        unit="percent",
        direction="neutral",
        category="system",
        title="CPU use",
        watch_for="At 100 with idle GPUs: the input pipeline is the bottleneck.",
        related=("system/gpu_utilization_percent",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "system/other_cpu_percent",
        meaning="CPU use of processes that do not belong to the run, of all cores",
        unit="percent",
        direction="lower",
        category="system",
        title="CPU use of other processes",
        watch_for="Speeds that were measured while this is high say little about the run.",
        related=("system/cpu_percent", "throughput/env_steps_per_s"),
        not_the_same_as=("system/cpu_percent",),
    ),
    Metric(
        "system/cpu_steal_percent",
        meaning="CPU time that the host gave to other virtual machines, of all cores",
        unit="percent",
        direction="lower",
        category="system",
        title="CPU time stolen",
        watch_for="Above a few percent, the host is overbooked, and every speed suffers.",
        related=("system/other_cpu_percent", "system/cpu_percent"),
    ),
    Metric(
        "system/memory_percent",
        meaning="Main memory in use",
        unit="percent",
        direction="lower",
        category="system",
        title="Memory use",
        healthy=(
            Band(
                None,
                90.0,
                why="above this the system is about to run out of memory",
                source="TensorBoard Metrics Reference",
                kind="limit",
            ),
        ),
        watch_for="Slow growth is a leak; the end is the out-of-memory killer.",
        related=("system/process_memory_gb", "system/memory_available_gb"),
        not_the_same_as=("system/gpu_memory_percent",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "system/memory_used_gb",
        meaning="Main memory in use",
        unit="GB",
        direction="lower",
        category="system",
        title="Memory in use",
        watch_for=(
            "Steady growth over hours is a leak: often a list that keeps tensors, or a cache "
            "without a limit."
        ),
        related=("system/memory_percent",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "system/memory_available_gb",
        meaning="Main memory available",
        unit="GB",
        direction="higher",
        category="system",
        title="Memory available",
        watch_for=(
            "When it nears zero the system swaps and the run crawls, or the process is killed "
            "without a message of its own."
        ),
        related=("system/memory_percent",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "system/process_memory_gb",
        meaning="Resident memory of the process",
        unit="GB",
        direction="lower",
        category="system",
        title="Memory of the process",
        watch_for=(
            "Growth that never stops is a leak, often of logged tensors that keep their graph "
            "alive."
        ),
        related=("system/memory_percent",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "system/gpu_utilization_percent",
        meaning="GPU busy share",
        unit="percent",
        direction="higher",
        category="system",
        title="GPU utilisation",
        healthy=(
            Band(
                50.0,
                None,
                why="below this the device mostly waits",
                source="TensorBoard Metrics Reference",
                context="training of language models; small networks cannot keep a GPU busy",
                kinds=("llm",),
            ),
        ),
        watch_for="The device waits when this is low: data, generation, environment or communication.",
        related=("throughput/mfu", "throughput/updates_per_s"),
        not_the_same_as=("throughput/mfu",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "system/gpu_memory_used_gb",
        meaning="GPU memory in use",
        unit="GB",
        direction="lower",
        category="system",
        title="GPU memory in use",
        watch_for=(
            "Includes what the allocator holds back, so a full card need not be in trouble; watch "
            "the peak that was allocated."
        ),
        related=("system/gpu_memory_percent", "system/gpu_memory_total_gb"),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "system/gpu_memory_total_gb",
        meaning="GPU memory installed",
        unit="GB",
        direction="neutral",
        category="system",
        title="GPU memory installed",
        related=("system/gpu_memory_used_gb",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "system/gpu_memory_percent",
        meaning="GPU memory in use",
        unit="percent",
        direction="lower",
        category="system",
        title="GPU memory use",
        watch_for="Close to 100 leaves no room for a longer batch than any before.",
        related=("length/response_max", "balance/seqlen_max"),
        not_the_same_as=("system/memory_percent",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "system/gpu_memory_allocated_gb",
        meaning="Peak memory allocated by the framework's allocator",
        unit="GB",
        direction="lower",
        category="system",
        title="Peak memory in tensors",
        watch_for=(
            "What the model really needs. Creeping up step by step: tensors that keep their graph "
            "alive."
        ),
        related=("system/gpu_memory_reserved_gb", "length/total_max"),
        not_the_same_as=("system/gpu_memory_reserved_gb",),
    ),
    Metric(
        "system/gpu_memory_reserved_gb",
        meaning="Peak memory reserved by the framework's allocator",
        unit="GB",
        direction="lower",
        category="system",
        title="Memory held by the allocator",
        watch_for="Far above what is allocated: fragmentation, typical of lengths that vary a lot.",
        related=("system/gpu_memory_allocated_gb",),
        not_the_same_as=("system/gpu_memory_allocated_gb",),
    ),
    Metric(
        "system/gpu_power_w",
        meaning="GPU power draw",
        unit="W",
        direction="neutral",
        category="system",
        title="GPU power",
        watch_for=(
            "A better sign of real work than utilisation: a card at full utilisation and low power "
            "is waiting on memory or communication."
        ),
        related=("system/gpu_utilization_percent", "throughput/mfu"),
    ),
    Metric(
        "system/gpu_temperature_c",
        meaning="GPU temperature",
        unit="C",
        direction="lower",
        category="system",
        title="GPU temperature",
        watch_for=(
            "A card that throttles slows every other rank. Look for one that is hotter than its "
            "neighbours."
        ),
        related=("system/gpu_power_w", "throughput/tokens_per_s_per_device"),
    ),
    Metric(
        "system/gpu_memory_active_gb",
        meaning="Peak memory active in the framework's allocator",
        unit="GB",
        direction="lower",
        category="system",
    ),
    Metric(
        "system/disk_used_gb",
        meaning="Disk space in use",
        unit="GB",
        direction="lower",
        category="system",
    ),
    Metric(
        "system/disk_free_gb",
        meaning="Disk space free",
        unit="GB",
        direction="higher",
        category="system",
        title="Free disk space",
        watch_for=(
            "Checkpoints fill disks. A save that fails half-way can cost the last good state."
        ),
        related=("time/checkpoint_s",),
    ),
    Metric(
        "system/disk_free_ratio",
        meaning="Share of disk space free",
        unit="ratio",
        direction="higher",
        category="system",
    ),
)
