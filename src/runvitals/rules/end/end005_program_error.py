from runvitals.rules.end import ended
from runvitals.rules.kit import Hit, Patient, rule


@rule("END005")
def program_error(patient: Patient) -> Hit | None:
    """An error in the program ended the run.

    ## What it looks for
    The console or the exit code shows an exception or failure that none of the other END rules
    covers.

    ## Why it matters
    The run is not finished, and it will probably fail again at the same point.

    ## Usual causes
    1. A bug in code that runs late: the first evaluation, the first checkpoint, the end of an
       epoch.
    2. A missing file or service.
    3. A worker that died.

    ## What to try
    Read the traceback: it is in `provenance.ending` in `run.json`, or at the end of the console
    output. Test that part first, with a few steps.

    ## When to ignore it
    The error came after training, while something was being saved or shown.

    ## Sources
    Error messages of PyTorch, JAX, NCCL, SLURM and the kernel; POSIX signals; our own experience.
    """
    return ended(
        patient,
        "error",
        what="with an error",
        advice="read the traceback; test that part with a few steps first",
        causes=("a bug in code that runs late", "a missing file or service"),
    )
