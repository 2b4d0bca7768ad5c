"""END002."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.end._ending import end_of, hit_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

KINDS = ("device error",)


@rule("END002", "device-error", severity="warning")
def device_error(patient: Patient) -> Iterator[Hit]:
    """The run ended with an error of the GPU or of the communication between GPUs.

    ## What it looks for
    The error that ended the run is one of CUDA, cuBLAS, cuDNN, NCCL, HIP or XLA and not about memory: a
    device-side assert, an illegal memory access, a collective that timed out, an ECC error.

    ## Why it matters
    Errors of a device are reported late and far from their cause. The same code may fail again at once,
    or the hardware may be at fault.

    ## Usual causes
    1. An index out of range: a token id above the size of the embedding, a label above the number of
    classes.
    2. One rank that died or took another path, so that the others wait.
    3. Faulty hardware or drivers.

    ## What to try
    Run again with `CUDA_LAUNCH_BLOCKING=1`, or run the failing batch on the CPU, which names the line.
    For NCCL: look at what the first rank that failed said; `NCCL_DEBUG=INFO`.

    ## When to ignore it
    An error while the process was being ended anyway.

    ## Sources
    The words of PyTorch, JAX, NCCL, SLURM and the kernel; the signals of POSIX; our own experience.
    """
    end = end_of(patient)
    if end is None or end.kind not in KINDS:
        return
    hit = hit_of(
        patient,
        end,
        "with an error of its device",
        advice="run it with CUDA_LAUNCH_BLOCKING=1, or the failing batch on the CPU",
        causes=("an index out of range", "a rank that died", "hardware"),
    )
    if hit is not None:
        yield hit
