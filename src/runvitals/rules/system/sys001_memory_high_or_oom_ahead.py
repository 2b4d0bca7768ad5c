"""SYS001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import lasting, sustained_above

LEAST_POINTS = 12  # judgement
OWN_SHARE = 0.3  # of what is in use: below it the memory is somebody else's (judgement)
FULL = 98.0  # percent (judgement): the next allocation may fail
LAST = 3  # points: one of them has to be above the limit still


@rule(
    "SYS001",
    "memory-high-or-oom-ahead",
    severity="warning",
    needs=["system/memory_percent|system/gpu_memory_percent"],
)
def memory_high_or_oom_ahead(patient: Patient, *, percent: float = 95.0) -> Iterator[Hit]:
    """Memory is nearly full, and this run is what fills it.

    ## What it looks for
    Main memory above 95 % in 8 of 10 samples at the end of the run, while this process holds 30 % or
    more of what is in use: a warning, critical above 98 %. Where the share of the process is unknown,
    and for memory of GPUs, which inference engines and caching allocators fill on purpose, it is a
    notice.

    ## Why it matters
    The next long sequence or the next copy of a buffer ends the run.

    ## Usual causes
    1. Longer sequences than at the start.
    2. A leak (SYS003).
    3. Replay buffers or caches that are too large.
    4. A reservation of the inference engine that leaves too little.

    ## What to try
    Smaller micro-batches or buffers; a smaller share for the engine; checkpointing of activations.

    ## When to ignore it
    Memory of a shared host that other programs use, and GPU memory that is reserved in advance.

    ## Sources
    TensorBoard Metrics Reference (above 90 %); Training Metrics Glossary (out of memory).
    """
    memory = patient.find("system/memory_percent")
    if memory is not None and len(memory) >= LEAST_POINTS:
        share = _own_share(patient)
        hit = _hit(memory, percent, "main memory")
        if hit is not None:
            severity: Severity = "notice"
            if share is not None and share >= OWN_SHARE:
                full = float(np.median(memory.values[-LEAST_POINTS // 2 :])) > FULL
                severity = "critical" if full else "warning"
            yield _with(hit, severity)
            return
    device = patient.find("system/gpu_memory_percent")
    if device is not None and len(device) >= LEAST_POINTS:
        hit = _hit(device, percent, "GPU memory")
        if hit is not None:
            yield _with(hit, "notice")


def _hit(series: Series, percent: float, what: str) -> Hit | None:
    stretch = lasting(sustained_above(series.values, percent), len(series), least=LAST)
    if stretch is None:
        return None
    middle = float(np.median(series.values[stretch.first : stretch.last + 1]))
    return Hit(
        series=series.name,
        span=stretch.span(series),
        message=f"{what} is {middle:.0f} % full from step {int(series.steps[stretch.first]):,} on",
        advice="use smaller micro-batches or buffers, and look for a leak",
        causes=("longer sequences", "a leak", "buffers or caches too large"),
        limit=Limit(percent, "the usual limit"),
    )


def _with(hit: Hit, severity: Severity) -> Hit:
    return Hit(
        hit.series,
        hit.span,
        hit.message,
        hit.advice,
        severity,
        hit.causes,
        hit.limit,
    )


def _own_share(patient: Patient) -> float | None:
    mine, used = patient.find("system/process_memory_gb"), patient.find("system/memory_used_gb")
    if mine is None or used is None:
        return None
    whole = float(used.values[-1])
    return float(mine.values[-1]) / whole if whole > 0 else None
