import numpy as np

from runvitals.rules.kit import (
    SURE,
    Detection,
    Hit,
    Patient,
    Series,
    Severity,
    above,
    rule,
    stretch,
)
from runvitals.rules.system import Sequences, sequences
from runvitals.signals.late import early_median
from runvitals.signals.level import read_level

MEMORIES = (("system/memory_percent", "main memory"), ("system/gpu_memory_percent", "GPU memory"))
MUCH_LONGER = 1.5  # times the start (judgement)
OWN_SHARE = 0.3  # of what is in use: below it the memory is somebody else's (judgement)
NEARLY_FULL, FULL = 95.0, 98.0  # percent: above the second the next allocation may fail (judgement)


@rule(
    "SYS001",
    needs=[
        "system/memory_percent|system/gpu_memory_percent|balance/seqlen_max|length/response_max"
    ],
    min_points=12,
)
def memory_high_or_oom_ahead(patient: Patient, *, percent: float = 90.0) -> Hit | None:
    """Memory is nearly full, and this run is what fills it.

    ## What it looks for
    Main memory or GPU memory above 90% for a tenth of the run and at its end. It is a notice, except:

    - **Main memory** above 95%, while this process holds at least 30% of what is in use: a warning,
      critical above 98%.
    - **GPU memory**, or main memory if the share of the process is unknown: a warning above 95%,
      but only if the run began below 90%. Inference engines and caching allocators
      fill GPU memory on purpose.

    It is a notice too if memory fills so fast that it would be full within as many steps again, or, if
    no memory was logged, if the fullest device or the longest response grew to 1.5 times its start.

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
    longer = sequences(patient)
    memories = [(m, what) for metric, what in MEMORIES if (m := patient.find(metric)) is not None]
    for memory, what in memories:
        full = above(memory, percent, for_share=0.1, to_end=True)
        if full is None and (until := _full_soon(memory)) is None:
            continue
        now = f"has been {full.level:.0f}% full since step {full.step:,}" if full else until
        return (full or stretch(memory)).hit(
            f"{what} {now}" + (f"; {longer.grew}" if longer.grew else ""),
            advice=f"look at {', '.join(longer.names)}; use smaller micro-batches or buffers"
            if longer.names
            else "use smaller micro-batches or buffers, and look for a leak",
            severity=_severity(patient, full, percent) if full else "notice",
            causes=("longer sequences", "a leak", "buffers or caches too large"),
            also=longer.names,
        )
    return None if memories else _longer_sequences(longer)


def _longer_sequences(longer: Sequences) -> Hit | None:
    """Sequences that grew, where the memory they fill was not logged."""
    if longer.first is None or longer.first.times <= MUCH_LONGER:
        return None
    return longer.first.hit(
        f"{longer.grew}: a step needs ever more memory, and how much is left was not logged",
        advice=f"log the memory in use, and bound {', '.join(longer.names)}",
        severity="notice",
        causes=("longer sequences",),
        also=longer.names,
    )


def _full_soon(memory: Series) -> str | None:
    """What to say of memory that fills so fast that as long a run again would not fit."""
    level = read_level(memory.values)
    pace = level.end - level.at(2 / 3)
    if float(np.mean((pace > 3.0) & (level.end + 3 * pace > FULL))) < SURE:
        return None
    now, rise = float(np.median(level.end)), float(np.median(pace))
    return f"is {now:.0f}% full, {rise:.0f} points more than when two thirds were done: it runs out"


def _severity(patient: Patient, full: Detection, limit: float) -> Severity:
    memory, now = full.series, full.series.values[-5:].mean()
    if now <= NEARLY_FULL:
        return "notice"
    share = _own_share(patient) if memory.metric == "system/memory_percent" else None
    if share is None:
        return "warning" if early_median(memory.values) < limit else "notice"
    if share < OWN_SHARE:
        return "notice"
    return "critical" if now > FULL else "warning"


def _own_share(patient: Patient) -> float | None:
    mine, used = patient.find("system/process_memory_gb"), patient.find("system/memory_used_gb")
    return None if mine is None or used is None or used.last <= 0 else mine.last / used.last
