from runvitals.rules.end import ended
from runvitals.rules.kit import Hit, Patient, rule


@rule("END003")
def aborted_on_nan(patient: Patient) -> Hit | None:
    """The run aborted because a number was NaN or infinite.

    ## What it looks for
    The error that ended the run mentions NaN, infinite or invalid values in a loss, gradient,
    probability or parameter. It may come from an assertion in the script, a distribution's own
    checks, or anomaly detection.

    ## Why it matters
    The network was already broken before. A restart from the last checkpoint usually ends the same
    way.

    ## Usual causes
    1. A learning rate that is too high.
    2. A division by zero or a logarithm of zero in the loss.
    3. Half precision that overflows.
    4. An empty or corrupt batch.

    ## What to try
    Restart from a checkpoint before the first bad value, with a lower learning rate and gradient
    clipping. Find out which number was bad first (NUM001) and what grew before it.

    ## When to ignore it
    Never. Aborting on NaN was right, but the cause still has to be fixed.

    ## Sources
    Error messages of PyTorch, JAX, NCCL, SLURM and the kernel; POSIX signals; our own experience.
    """
    return ended(
        patient,
        "not a number",
        what="because a number was NaN or infinite",
        advice="restart before the first bad value, with a lower learning rate and gradient clipping",
        causes=("a learning rate that is too high", "a division by zero", "half precision"),
    )
