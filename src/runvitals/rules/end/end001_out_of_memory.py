from runvitals.rules.end import ended
from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.system import sequences


@rule("END001")
def out_of_memory(patient: Patient) -> Hit | None:
    """The run ran out of memory: on a device, on the machine, or within its own limit.

    ## What it looks for
    The error that ended the run mentions memory (`CUDA out of memory`, `MemoryError`,
    `RESOURCE_EXHAUSTED`), or the scheduler or the kernel killed it for using too much. If sequences
    had grown before, the message names them.

    ## Why it matters
    Everything learned since the last checkpoint is lost, and a restart fails at the same point.

    ## Usual causes
    1. Sequences longer than at the start, many of them in one batch.
    2. A leak: tensors kept in a list, or graphs kept alive by a loss that is summed up.
    3. A replay buffer or dataset that does not fit.
    4. An inference engine that takes more than its share.

    ## What to try
    Use smaller micro-batches with more accumulation, checkpoint activations, and limit lengths. Log
    memory to see which step needs the most. If the machine ran out of memory, use fewer workers and
    smaller buffers.

    ## When to ignore it
    The run was made to find the largest batch that fits.

    ## Sources
    Error messages of PyTorch, JAX, NCCL, SLURM and the kernel; POSIX signals; our own experience.
    """
    longer = sequences(patient)
    return ended(
        patient,
        "out of memory",
        what="because it ran out of memory" + (f" ({longer.grew} before)" if longer.grew else ""),
        advice=(
            f"look at {', '.join(longer.names)}; use smaller micro-batches"
            if longer.names
            else "use smaller micro-batches or buffers, or checkpoint activations"
        ),
        causes=("sequences longer than at the start", "a leak", "an engine that takes too much"),
        also=longer.names,
    )
