from runvitals.rules.end import ended
from runvitals.rules.kit import Hit, Patient, rule


@rule("END006", severity="notice")
def stopped_by_keyboard(patient: Patient) -> Hit | None:
    """Someone stopped the run with Ctrl-C.

    ## What it looks for
    The run ended by SIGINT or `KeyboardInterrupt`, and not because of `--stop-on`.

    ## Why it matters
    This is not a failure, but the run is incomplete. Do not compare it with complete ones.

    ## Usual causes
    1. Someone had seen enough.

    ## What to try
    Nothing, unless it was an accident.

    ## When to ignore it
    You stopped it yourself.

    ## Sources
    Error messages of PyTorch, JAX, NCCL, SLURM and the kernel; POSIX signals; our own experience.
    """
    return ended(
        patient, "keyboard", what="because someone pressed Ctrl-C", advice="", causes=("a person",)
    )
