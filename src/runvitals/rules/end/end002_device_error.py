from runvitals.rules.end import ended
from runvitals.rules.kit import Hit, Patient, rule


@rule("END002")
def device_error(patient: Patient) -> Hit | None:
    """A GPU error, or an error in the communication between GPUs, ended the run.

    ## What it looks for
    The error that ended the run comes from CUDA, cuBLAS, cuDNN, NCCL, HIP or XLA and is not about
    memory: a device-side assert, an illegal memory access, a collective that timed out, an ECC
    error.

    ## Why it matters
    Device errors are reported late and far from their cause. The same code may fail again at once,
    or the hardware may be faulty.

    ## Usual causes
    1. An index out of range: a token id beyond the embedding, a label beyond the number of classes.
    2. One rank that died or took another path while the others wait.
    3. Faulty hardware or drivers.

    ## What to try
    Run again with `CUDA_LAUNCH_BLOCKING=1`, or run the failing batch on the CPU to get the exact
    line. For NCCL, set `NCCL_DEBUG=INFO` and read the output of the first rank that failed.

    ## When to ignore it
    The error occurred while the process was shutting down anyway.

    ## Sources
    Error messages of PyTorch, JAX, NCCL, SLURM and the kernel; POSIX signals; our own experience.
    """
    return ended(
        patient,
        "device error",
        what="with a device error",
        advice="run it with CUDA_LAUNCH_BLOCKING=1, or run the failing batch on the CPU",
        causes=("an index out of range", "a rank that died", "faulty hardware"),
    )
