from runvitals.rules.end import ended
from runvitals.rules.kit import Hit, Patient, rule


@rule("END007")
def disk_full(patient: Patient) -> Hit | None:
    """The run ended because the disk was full.

    ## What it looks for
    The error that ended the run says that no disk space or quota was left.

    ## Why it matters
    The last checkpoint may be only half written, and so may the logs.

    ## Usual causes
    1. Checkpoints that are never deleted.
    2. Logs, videos or samples that keep growing.
    3. Someone else using the same disk.

    ## What to try
    Free some space, and check the last checkpoint before you resume from it. Keep only the last few
    checkpoints (`save_total_limit`).

    ## When to ignore it
    Never.

    ## Sources
    Error messages of PyTorch, JAX, NCCL, SLURM and the kernel; POSIX signals; our own experience.
    """
    return ended(
        patient,
        "disk full",
        what="because the disk was full",
        advice="free some space, and check the last checkpoint before you resume from it",
        causes=("old checkpoints are never deleted", "someone else uses the disk"),
    )
