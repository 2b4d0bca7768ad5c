"""END005."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.end._ending import end_of, hit_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

KINDS = ("error",)


@rule("END005", "program-error", severity="warning")
def program_error(patient: Patient) -> Iterator[Hit]:
    """An error in the program ended the run.

    ## What it looks for
    The console or the exit code shows an exception or failure of none of the other kinds.

    ## Why it matters
    It is not done, and mostly it will fail again at the same place.

    ## Usual causes
    1. A mistake that shows only there: the first evaluation, the first checkpoint, the end of an epoch.
    2. A file or service that was not there.
    3. A worker that died.

    ## What to try
    Read the traceback: `provenance.ending` in `run.json` has it, or the end of the console. Run that
    part at the start, with a few steps.

    ## When to ignore it
    Errors after the training, while something is saved or shown.

    ## Sources
    The words of PyTorch, JAX, NCCL, SLURM and the kernel; the signals of POSIX; our own experience.
    """
    end = end_of(patient)
    if end is None or end.kind not in KINDS:
        return
    hit = hit_of(
        patient,
        end,
        "with an error",
        advice="read the traceback; run that part with a few steps first",
        causes=("a mistake that shows only there", "a missing file or service"),
    )
    if hit is not None:
        yield hit
