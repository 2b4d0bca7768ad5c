"""END004."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.end._ending import end_of, hit_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

KINDS = ("killed", "time limit")


@rule("END004", "killed-from-outside", severity="warning")
def killed_from_outside(patient: Patient) -> Iterator[Hit]:
    """Something outside ended the run: the scheduler, the system or a person.

    ## What it looks for
    A signal ended the run (SIGTERM, SIGKILL, SIGHUP), or the scheduler says that it cancelled or
    preempted it, or that its time was over.

    ## Why it matters
    The training did nothing wrong, but it is not done, and what came after the last checkpoint is lost.

    ## Usual causes
    1. The time limit of the job.
    2. Preemption.
    3. `scancel`, `kill`, a closed terminal.
    4. Lack of memory that the system did not report.

    ## What to try
    Resume from the last checkpoint; save more often, also on SIGTERM; ask for more time. If nobody
    ended it, look for a lack of memory in the system's log.

    ## When to ignore it
    Jobs that are meant to be preempted and resume by themselves.

    ## Sources
    The words of PyTorch, JAX, NCCL, SLURM and the kernel; the signals of POSIX; our own experience.
    """
    end = end_of(patient)
    if end is None or end.kind not in KINDS:
        return
    hit = hit_of(
        patient,
        end,
        "because something outside ended it",
        advice="resume from the last checkpoint; save on SIGTERM too",
        causes=("a time limit", "preemption", "a person", "a lack of memory"),
    )
    if hit is not None:
        yield hit
