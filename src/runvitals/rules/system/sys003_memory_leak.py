import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, rule, stretch
from runvitals.rules.system import sequences

FEW = 24  # samples: they have to say it more clearly, and of half of a run or more (judgement)
SETTLED = 0.3  # of the run: until then buffers, caches and compilers may fill (judgement)
BLOCKS = 6  # parts whose peaks are compared (judgement)
MIN_RISE, MAX_RISE = 0.2, 3.0  # of an even rise, in each part (judgement): a leak never rests
MIN_ON_GPU = 0.5  # GB (judgement): allocators keep what they once had
STILL_GROWS = 1.02  # times; less is what is replaced between two points


@rule(
    "SYS003",
    needs=["system/process_memory_gb|system/gpu_memory_used_gb|system/gpu_memory_allocated_gb"],
    min_points=8,
)
def memory_leak(patient: Patient, *, growth: float = 0.2, gigabytes: float = 0.1) -> Hit | None:
    """Memory grows steadily, long after it should have settled.

    ## What it looks for
    The memory of the process, or what is allocated on the GPU, without the first 30% of the run.
    Split into six parts, its peak rises from part to part, nearly evenly, by a total of 20% and 0.1
    GB (0.5 GB on a GPU). With fewer than 24 samples it has to double, and half of the plan has to
    be done. It is a notice if sequences get longer as well, or while a replay buffer fills.

    ## Why it matters
    It ends with a killed process, usually at night.

    ## Usual causes
    1. Losses or tensors that are kept with their graph.
    2. Metrics or trajectories collected in a list.
    3. Copies in data loader workers.
    4. A cache of the inference engine.

    ## What to try
    Keep numbers instead of tensors (`.item()`). Bound every list. Compare two memory snapshots.

    ## When to ignore it
    A replay buffer whose pages are allocated as they fill; a data set that is cached on its first
    pass.

    ## Sources
    Training Metrics Glossary and TensorBoard Metrics Reference (memory curves); SageMaker Debugger.
    """
    for metric, least in (
        ("system/process_memory_gb", gigabytes),
        ("system/gpu_memory_allocated_gb", max(gigabytes, MIN_ON_GPU)),
        ("system/gpu_memory_used_gb", max(gigabytes, MIN_ON_GPU)),
    ):
        memory = patient.find(metric)
        if memory is None or (len(memory) < FEW and not _doubled(patient, memory)):
            continue
        late = memory.part(int(SETTLED * len(memory)))
        tops = np.array([part.max() for part in np.array_split(late.values, BLOCKS) if len(part)])
        rises, total = np.diff(tops), float(tops[-1] - tops[0])
        if len(tops) < BLOCKS or total < max(least, growth * float(tops[0])):
            continue
        fair = total / len(rises)
        if rises.min() < MIN_RISE * fair or rises.max() > MAX_RISE * fair:
            continue
        return _hit(patient, late, float(tops[0]), float(tops[-1]))
    return None


def _doubled(patient: Patient, memory: Series) -> bool:
    """Whether few samples are enough: memory has doubled, and the run is past its loading."""
    return (patient.progress or 0.0) >= 0.5 and memory.last >= 2 * float(memory.values[0])


def _hit(patient: Patient, memory: Series, before: float, after: float) -> Hit:
    begin, end = int(memory.steps[0]), int(memory.steps[-1])
    longer = sequences(patient)
    filling = _fills_a_buffer(patient, begin)
    reason = "; a replay buffer may still be filling" if filling else ""
    reason = reason or (f"; {longer.grew}" if longer.grew else "")
    per = 1000 * (after - before) / max(end - begin, 1)
    return stretch(memory).hit(
        f"memory rose from {before:.2f} GB to {after:.2f} GB after the start, "
        f"by {per:.2g} GB per 1,000 steps{reason}",
        advice="keep numbers instead of tensors, and bound every list that is appended to",
        severity="notice" if reason else None,
        causes=(
            "tensors kept with their graph",
            "metrics collected in a list",
            "copies in data loader workers",
        ),
        also=longer.names if longer.grew and not filling else (),
    )


def _fills_a_buffer(patient: Patient, step: int) -> bool:
    """Whether a replay buffer may still be filling at this step."""
    size = patient.find("replay/size", "replay/fill_fraction")
    if size is not None and len(size) > 1:
        at = min(int(np.searchsorted(size.steps, step)), len(size) - 1)
        return bool(size.last > STILL_GROWS * size.values[at])
    capacity = patient.number("buffer_size")
    return patient.kind == "off-policy" and (capacity is None or step < capacity)
