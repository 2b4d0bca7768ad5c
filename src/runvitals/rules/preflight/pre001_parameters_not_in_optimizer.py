from runvitals.rules.kit import Hit, Patient, rule, stretch
from runvitals.rules.preflight._totals import counted, found, holds_all, where

METRIC = "preflight/not_in_optimizer"


@rule("PRE001", "parameters-not-in-optimizer", needs=[METRIC], fact=True)
def parameters_not_in_optimizer(patient: Patient) -> Hit | None:
    """Parameters that require a gradient are in no optimiser group.

    ## What it looks for
    `preflight/not_in_optimizer` above 0: `rv.watch` compares the parameters that got a gradient in
    the first update with the optimiser's groups. Critical if none of them is in the optimiser.

    ## Why it matters
    These parameters get gradients and cost memory and time, but never change.

    ## Usual causes
    1. A head or adapter was added or replaced after the optimiser was created.
    2. The optimiser was given the parameters of another module, or of a copy.
    3. A filter by name misses some.

    ## What to try
    Create the optimiser after the model is complete. Freeze what is not meant to learn.

    ## When to ignore it
    Another optimiser trains them. Then pass all optimisers: `rv.watch(model, [first, second])`.

    ## Sources
    PyTorch's documentation of `torch.optim` (construct the optimiser after moving and changing the
    model).
    """
    total = found(patient, METRIC)
    if total is None:
        return None
    return stretch(total, len(total) - 1).hit(
        f"{counted(total, 'trainable parameter')} in no optimiser group: "
        f"{where(patient, METRIC, total)}",
        advice="create the optimiser after the model is complete, or freeze what should not learn",
        severity="critical" if holds_all(patient, total) else None,
        causes=(
            "module added or replaced after the optimiser was created",
            "optimiser given another module or copy",
        ),
    )
