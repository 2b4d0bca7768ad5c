from runvitals.rules.kit import Detection, Hit, Patient, counted, rule
from runvitals.rules.preflight import holds_all, reports, where


@rule("PRE003", when=reports("preflight/zero_learning_rate"), fact=True)
def learning_rate_zero(found: Detection, patient: Patient) -> Hit:
    """An optimiser group has a learning rate of 0.

    ## What it looks for
    `preflight/zero_learning_rate`: groups whose learning rate was exactly 0 in each of the first
    ten updates, as seen by `rv.watch`. Critical if there is nothing else to train.

    ## Why it matters
    The parameters of such a group do not move.

    ## Usual causes
    1. A scheduler that is never stepped, or whose warm-up is counted in epochs.
    2. A learning rate of 0 left over from an experiment.
    3. Integer division in a schedule.

    ## What to try
    Step the scheduler after each update. Print the learning rate of each group after ten updates.

    ## When to ignore it
    A warm-up that starts with more than ten updates at 0; a group that is parked on purpose.

    ## Sources
    PyTorch's documentation of learning rate schedulers.
    """
    return found.hit(
        f"learning rate is 0 for {counted(int(found.level), 'parameter')} in the first updates: "
        f"group {where(patient, found, 'group')}",
        advice="step the scheduler after each update, or give the group a learning rate",
        severity="critical" if holds_all(patient, found) else None,
        causes=("a scheduler that is never stepped", "a learning rate of 0 left over"),
    )
