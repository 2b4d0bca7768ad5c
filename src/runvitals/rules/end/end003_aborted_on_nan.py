"""END003."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.end._ending import end_of, hit_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

KINDS = ("not a number",)


@rule("END003", "aborted-on-nan", severity="warning")
def aborted_on_nan(patient: Patient) -> Iterator[Hit]:
    """The run aborted because a number was NaN or infinite.

    ## What it looks for
    The error that ended the run mentions NaN, infinite or invalid values in a loss, gradient,
    probability or parameter: an assertion of the script, a check of a distribution, anomaly detection.

    ## Why it matters
    The network was lost before; a restart from the last checkpoint mostly ends the same way.

    ## Usual causes
    1. A learning rate that is too high.
    2. A division by zero or logarithm of zero in the loss.
    3. Half precision that overflows.
    4. A batch that is empty or broken.

    ## What to try
    Restart from a checkpoint before the first bad value with a lower rate and gradient clipping; see
    which number was the first (NUM001), and what grew before it.

    ## When to ignore it
    Never: a run that aborts on NaN did what it should, and still has to be mended.

    ## Sources
    The words of PyTorch, JAX, NCCL, SLURM and the kernel; the signals of POSIX; our own experience.
    """
    end = end_of(patient)
    if end is None or end.kind not in KINDS:
        return
    hit = hit_of(
        patient,
        end,
        "because a number was NaN or infinite",
        advice="restart before the first bad value with a lower learning rate and gradient clipping",
        causes=("a learning rate that is too high", "a division by zero", "half precision"),
    )
    if hit is not None:
        yield hit
