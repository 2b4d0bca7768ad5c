from runvitals.rules.kit import Detection, Hit, Patient, counted, rule
from runvitals.rules.preflight import holds_all, reports, where


@rule("PRE001", when=reports("preflight/not_in_optimizer"), fact=True)
def parameters_not_in_optimizer(found: Detection, patient: Patient) -> Hit:
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
    verb = "is" if found.level == 1 else "are"
    return found.hit(
        f"{counted(int(found.level), 'trainable parameter')} {verb} in no optimiser group: "
        f"{where(patient, found)}",
        advice="create the optimiser after the model is complete, or freeze what should not learn",
        severity="critical" if holds_all(patient, found) else None,
        causes=(
            "module added or replaced after the optimiser was created",
            "optimiser given another module or copy",
        ),
    )
