from runvitals.rules.kit import Hit, Patient, rule, stretch
from runvitals.rules.preflight._totals import found, last, where

METRIC = "preflight/no_gradient"


@rule("PRE005", "parameters-without-gradient", needs=[METRIC], fact=True)
def parameters_without_gradient(patient: Patient) -> Hit | None:
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
    total = found(patient, METRIC)
    if total is None:
        return None
    return stretch(total, len(total) - 1).hit(
        f"{last(total):,.0f} parameter{'' if last(total) == 1 else 's'} got no gradient in "
        "the first updates: "
        f"{where(patient, METRIC, total)}",
        advice="look for a detach or a module that is not called between them and the loss",
        causes=(
            "detached from the loss",
            "a module that is never called",
            "a mask that is always 0",
        ),
    )
