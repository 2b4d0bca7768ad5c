"""END006."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.end._ending import end_of, hit_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

KINDS = ("keyboard",)


@rule("END006", "stopped-by-keyboard", severity="notice")
def stopped_by_keyboard(patient: Patient) -> Iterator[Hit]:
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
    end = end_of(patient)
    if end is None or end.kind not in KINDS:
        return
    hit = hit_of(
        patient,
        end,
        "because someone pressed Ctrl-C",
        advice="",
        causes=("a person",),
        severity="notice",
    )
    if hit is not None:
        yield hit
