"""SYS003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.system._memory import fills_a_buffer, peaks
from runvitals.rules.system._sequences import sequences
from runvitals.signals.late import THIRD, early_median, late_median
from runvitals.signals.pairs import aligned, rank_correlation

MIN_POINTS = 8  # judgement
FEW = 24  # samples: they have to say it more clearly, and of half of a run or more (judgement)
CLEAR = 2.0  # times what it was at first (judgement)
HALF_DONE = 0.5  # of the plan
SETTLED = 0.3  # of the run: until then buffers, caches and compilers may fill (judgement)
BLOCKS = 6  # parts whose peaks are compared (judgement)
MIN_RISE, MAX_RISE = 0.2, 3.0  # of an even rise, in each part (judgement): a leak never rests
MIN_ON_GPU = 0.5  # GB (judgement): allocators keep what they once had
MIN_LENGTHS = 12  # points, to see whether sequences grow
LONGER = 1.15  # times the early length (judgement)
TOGETHER = 0.6  # rank correlation (judgement)
THOUSAND_STEPS = 1000.0  # in which growth is told
LENGTHS = ("length/response_max", "length/response_mean", "balance/seqlen_max", "lm/length_mean")


@rule(
    "SYS003",
    "memory-leak",
    severity="warning",
    needs=[
        "system/process_memory_gb|system/gpu_memory_used_gb|system/gpu_memory_allocated_gb",
    ],
)
def memory_leak(patient: Patient, *, growth: float = 0.2, gigabytes: float = 0.1) -> Iterator[Hit]:
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
        if memory is None or len(memory) < MIN_POINTS:
            continue
        if len(memory) < FEW and not _is_clear(patient, memory):
            continue
        hit = _leak(patient, memory, growth, least)
        if hit is not None:
            yield hit
            return


def _is_clear(patient: Patient, memory: Series) -> bool:
    """Whether few samples are enough: memory has doubled, and the run is past its loading."""
    half_done = (patient.progress or 0.0) >= HALF_DONE
    return half_done and float(memory.values[-1]) >= CLEAR * float(memory.values[0])


def _leak(patient: Patient, memory: Series, growth: float, least: float) -> Hit | None:
    first = int(SETTLED * len(memory))
    late = memory.values[first:]
    tops = peaks(Series(memory.name, memory.steps[first:], late, memory.times[first:]), BLOCKS)
    rises = np.diff(tops)
    total = float(tops[-1] - tops[0])
    if len(tops) < BLOCKS or total < max(least, growth * float(tops[0])):
        return None
    fair = total / len(rises)
    if float(rises.min()) < MIN_RISE * fair or float(rises.max()) > MAX_RISE * fair:
        return None
    begin, end = int(memory.steps[first]), int(memory.steps[-1])
    severity: Severity | None = None
    reason = ""
    also: tuple[str, ...] = ()
    if fills_a_buffer(patient, begin):
        severity, reason = "notice", "; a replay buffer may still be filling"
    elif _follows_length(patient, memory):
        longer = sequences(patient)
        severity, reason = "notice", f"; {longer.grew or 'sequences grow too'}"
        also = longer.names
    per = THOUSAND_STEPS * total / max(end - begin, 1)
    return Hit(
        series=memory.name,
        span=Span(begin, end, len(late)),
        message=f"memory rose from {tops[0]:.2f} GB to {tops[-1]:.2f} GB after the start, "
        f"by {per:.2g} GB per 1,000 steps{reason}",
        advice="keep numbers instead of tensors, and bound every list that is appended to",
        severity=severity,
        causes=(
            "tensors kept with their graph",
            "metrics collected in a list",
            "copies in data loader workers",
        ),
        also=also,
    )


def _follows_length(patient: Patient, memory: Series) -> bool:
    length = patient.find(*LENGTHS)
    if length is None or len(length) < MIN_LENGTHS:
        return False
    early, late = early_median(length.values, THIRD), late_median(length.values, THIRD)
    _, size, tokens = aligned(memory, length)
    return late > LONGER * early and rank_correlation(size, tokens) > TOGETHER
