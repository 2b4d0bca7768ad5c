"""END001."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.end._ending import end_of, hit_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.system._sequences import sequences

KINDS = ("out of memory",)


@rule("END001", "out-of-memory", severity="warning")
def out_of_memory(patient: Patient) -> Iterator[Hit]:
    """The run ran out of memory: on a device, on the machine, or within its own limit.

    ## What it looks for
    The error that ended the run mentions memory (`CUDA out of memory`, `MemoryError`,
    `RESOURCE_EXHAUSTED`), or the scheduler or the kernel ended it for its memory. Sequences that had
    grown before are named.

    ## Why it matters
    What was learned since the last checkpoint is lost, and a restart ends at the same place.

    ## Usual causes
    1. Sequences longer than at the start, in one batch that holds many of them.
    2. A leak: tensors kept in a list, graphs kept alive by a loss that is summed up.
    3. A replay buffer or data set that does not fit.
    4. An inference engine that takes more than its share.

    ## What to try
    Use smaller micro-batches with more accumulation, checkpoint activations, limit lengths, and log
    memory to see which step is the largest. For the machine's memory: fewer workers, smaller buffers.

    ## When to ignore it
    Runs that were made to find the largest batch.

    ## Sources
    The words of PyTorch, JAX, NCCL, SLURM and the kernel; the signals of POSIX; our own experience.
    """
    end = end_of(patient)
    if end is None or end.kind not in KINDS:
        return
    longer = sequences(patient)
    hit = hit_of(
        patient,
        end,
        "because memory ran out" + (f" ({longer.grew} before)" if longer.grew else ""),
        advice=(
            f"look at {', '.join(longer.names)}; use smaller micro-batches"
            if longer.names
            else "use smaller micro-batches or buffers, or checkpoint activations"
        ),
        causes=("longer sequences than at the start", "a leak", "an engine that takes too much"),
        also=longer.names,
    )
    if hit is not None:
        yield hit
