"""END008."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.end._ending import end_of, hit_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

KINDS = ("native crash",)


@rule("END008", "native-crash", severity="warning")
def native_crash(patient: Patient) -> Iterator[Hit]:
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
    end = end_of(patient)
    if end is None or end.kind not in KINDS:
        return
    hit = hit_of(
        patient,
        end,
        "with a crash outside Python",
        advice="run it with python -X faulthandler",
        causes=(
            "incompatible library versions",
            "too little shared memory",
            "a native extension",
        ),
    )
    if hit is not None:
        yield hit
