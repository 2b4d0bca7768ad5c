from runvitals.rules.end import ended
from runvitals.rules.kit import Hit, Patient, rule


@rule("END004")
def killed_from_outside(patient: Patient) -> Hit | None:
    """Something outside ended the run: the scheduler, the system or a person.

    ## What it looks for
    A signal ended the run (SIGTERM, SIGKILL, SIGHUP), or the scheduler reports that it cancelled or
    preempted the job or that its time ran out. In another tool's log it is a notice.

    ## Why it matters
    The training did nothing wrong, but it is not finished. Everything after the last checkpoint is
    lost.

    ## Usual causes
    1. The time limit of the job.
    2. Preemption.
    3. `scancel`, `kill`, a closed terminal.
    4. An out-of-memory kill that the system did not report.

    ## What to try
    Resume from the last checkpoint. Save more often, and also on SIGTERM. Ask for more time. If
    nobody stopped it, look for an out-of-memory kill in the system log.

    ## When to ignore it
    The job is meant to be preempted and resumes by itself.

    ## Sources
    Error messages of PyTorch, JAX, NCCL, SLURM and the kernel; POSIX signals; our own experience.
    """
    return ended(
        patient,
        "killed",
        "time limit",
        what="because it was killed from outside",
        advice="resume from the last checkpoint; save on SIGTERM too",
        causes=("a time limit", "preemption", "a person", "an unreported out-of-memory kill"),
        failed=False,
    )
