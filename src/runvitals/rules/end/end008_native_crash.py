"""END008."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.end._ending import end_of, hit_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

KINDS = ("native crash",)


@rule("END008", "native-crash", severity="warning")
def native_crash(patient: Patient) -> Iterator[Hit]:
    """The process crashed outside of Python.

    ## What it looks for
    SIGSEGV, SIGBUS, SIGABRT, SIGILL or SIGFPE ended the run, or its console shows a segmentation
    fault.

    ## Why it matters
    No traceback says where; it may come again at any step.

    ## Usual causes
    1. Versions of libraries that do not fit together.
    2. Too little shared memory for data workers (SIGBUS).
    3. A simulator or a native extension.
    4. Faulty memory.

    ## What to try
    Run with `python -X faulthandler`; raise `/dev/shm` or lower the number of workers; try the
    environment alone.

    ## When to ignore it
    A crash at the end of the interpreter, after everything was saved.

    ## Sources
    The words of PyTorch, JAX, NCCL, SLURM and the kernel; the signals of POSIX; our own experience.
    """
    end = end_of(patient)
    if end is None or end.kind not in KINDS:
        return
    hit = hit_of(
        patient,
        end,
        "with a crash outside of Python",
        advice="run it with python -X faulthandler",
        causes=(
            "libraries that do not fit together",
            "too little shared memory",
            "a native extension",
        ),
    )
    if hit is not None:
        yield hit
