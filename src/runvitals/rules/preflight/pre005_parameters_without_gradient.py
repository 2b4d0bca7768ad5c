from runvitals.rules.kit import Detection, Hit, Patient, counted, rule
from runvitals.rules.preflight import reports, where


@rule("PRE005", when=reports("preflight/no_gradient"), fact=True)
def parameters_without_gradient(found: Detection, patient: Patient) -> Hit:
    """Parameters in the optimiser got no gradient, or only zeros, in the first updates.

    ## What it looks for
    `preflight/no_gradient`: parameters that require a gradient and are in the optimiser, but whose
    gradient was missing or exactly 0 in each of the first ten updates that `rv.watch` saw. It is
    silent if all gradients are 0, which points to batches and rewards instead (GRAD003, REW004).

    ## Why it matters
    They are cut off from the loss and keep their initial values.

    ## Usual causes
    1. A `detach()`, `.item()`, `.data` or `no_grad` in the forward pass.
    2. A module that is built but never called, or whose output is not used.
    3. A mask or factor that is always 0, or units that are dead from the start.

    ## What to try
    Follow the tensor from the named module to the loss, and look for where `grad_fn` becomes None.

    ## When to ignore it
    Parts that are only used later: experts, or heads for later tasks.

    ## Sources
    PyTorch's notes on autograd; DistributedDataParallel's error about unused parameters.
    """
    return found.hit(
        f"{counted(int(found.level), 'parameter')} got no gradient in the first updates: "
        f"{where(patient, found)}",
        advice="look for a detach or a module that is not called between them and the loss",
        causes=(
            "detached from the loss",
            "a module that is never called",
            "a mask that is always 0",
        ),
    )
