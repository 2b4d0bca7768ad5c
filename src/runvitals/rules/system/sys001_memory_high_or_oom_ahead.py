"""SYS001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.system._sequences import sequences
from runvitals.signals.crossing import Stretch, lasting, sustained_above
from runvitals.signals.late import early_median

MIN_POINTS = 12  # judgement
OWN_SHARE = 0.3  # of what is in use: below it the memory is somebody else's (judgement)
NEARLY_FULL, FULL = (
    95.0,
    98.0,
)  # percent (judgement): beyond the second the next allocation may fail
GREW = 10.0  # points since the start: then it was not reserved in advance (judgement)
LAST = 3  # points: one of them has to be above the limit still


@rule(
    "SYS001",
    "memory-high-or-oom-ahead",
    severity="warning",
    needs=["system/memory_percent|system/gpu_memory_percent"],
)
def memory_high_or_oom_ahead(patient: Patient, *, percent: float = 90.0) -> Iterator[Hit]:
    """Memory is nearly full, and this run is what fills it.

    ## What it looks for
    Main memory or GPU memory above 90% in 8 of 10 samples at the end of the run. It is a notice,
    except:

    - **Main memory** above 95%, while this process holds at least 30% of what is in use: a warning,
      critical above 98%.
    - **GPU memory**, or main memory if the share of the process is unknown: a warning above 95%,
      but only if it rose by ten points during the run. Inference engines and caching allocators
      fill GPU memory on purpose.

    The finding names the sequences that grew: the fullest device, the longest response, the longest
    prompt.

    ## Why it matters
    The next long sequence, or the next copy of a buffer, ends the run.

    ## Usual causes
    1. Sequences are longer than at the start.
    2. There is a leak (SYS003).
    3. Replay buffers or caches are too large.
    4. The inference engine reserves so much that too little is left.

    ## What to try
    Check whether the fullest device has too many tokens (`balance/seqlen_max`), then the longest
    response and prompt. Use smaller micro-batches or buffers, a smaller share for the engine, or
    activation checkpointing.

    ## When to ignore it
    Memory of a shared host that other programs use; GPU memory that is reserved in advance.

    ## Sources
    TensorBoard Metrics Reference (above 90%); Training Metrics Glossary (out of memory).
    """
    for metric, what in (
        ("system/memory_percent", "main memory"),
        ("system/gpu_memory_percent", "GPU memory"),
    ):
        memory = patient.find(metric)
        if memory is None or len(memory) < MIN_POINTS:
            continue
        stretch = lasting(sustained_above(memory.values, percent), len(memory), least=LAST)
        if stretch is not None:
            yield _hit(patient, memory, stretch, percent, what)
            return


def _hit(patient: Patient, memory: Series, stretch: Stretch, percent: float, what: str) -> Hit:
    middle = float(np.median(memory.values[stretch.first : stretch.last + 1]))
    longer = sequences(patient)
    since = f"since step {int(memory.steps[stretch.first]):,}"
    return Hit(
        series=memory.name,
        span=stretch.span(memory),
        message=f"{what} has been {middle:.0f}% full {since}"
        + (f"; {longer.grew}" if longer.grew else ""),
        advice=f"look at {', '.join(longer.names)}; use smaller micro-batches or buffers"
        if longer.names
        else "use smaller micro-batches or buffers, and look for a leak",
        severity=_severity(patient, memory),
        causes=("longer sequences", "a leak", "buffers or caches too large"),
        limit=Limit(percent, "the usual limit"),
        also=longer.names,
    )


def _severity(patient: Patient, memory: Series) -> Severity:
    now = float(np.median(memory.values[-MIN_POINTS // 2 :]))
    if now <= NEARLY_FULL:
        return "notice"
    share = _own_share(patient) if memory.metric == "system/memory_percent" else None
    if share is not None:
        if share < OWN_SHARE:
            return "notice"
        return "critical" if now > FULL else "warning"
    return "warning" if now - early_median(memory.values) >= GREW else "notice"


def _own_share(patient: Patient) -> float | None:
    mine, used = patient.find("system/process_memory_gb"), patient.find("system/memory_used_gb")
    if mine is None or used is None:
        return None
    whole = float(used.values[-1])
    return float(mine.values[-1]) / whole if whole > 0 else None
