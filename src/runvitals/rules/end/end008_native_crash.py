from runvitals.rules.end import ended
from runvitals.rules.kit import Hit, Patient, rule


@rule("END008")
def native_crash(patient: Patient) -> Hit | None:
    """The process crashed outside Python.

    ## What it looks for
    SIGSEGV, SIGBUS, SIGABRT, SIGILL or SIGFPE ended the run, or its console shows a segmentation
    fault.

    ## Why it matters
    You get no traceback, and it can happen again at any step.

    ## Usual causes
    1. Incompatible library versions.
    2. Too little shared memory for data workers (SIGBUS).
    3. A simulator or a native extension.
    4. Faulty memory.

    ## What to try
    Run with `python -X faulthandler`. Enlarge `/dev/shm` or use fewer workers. Test the environment
    on its own.

    ## When to ignore it
    The interpreter crashed on exit, after everything was saved.

    ## Sources
    Error messages of PyTorch, JAX, NCCL, SLURM and the kernel; POSIX signals; our own experience.
    """
    return ended(
        patient,
        "native crash",
        what="with a crash outside Python",
        advice="run it with python -X faulthandler",
        causes=("incompatible library versions", "too little shared memory", "a native extension"),
    )
