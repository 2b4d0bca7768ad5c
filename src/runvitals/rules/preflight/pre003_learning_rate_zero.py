from runvitals.rules.kit import Hit, Patient, rule, stretch
from runvitals.rules.preflight._totals import found, holds_all, last, where

METRIC = "preflight/zero_learning_rate"


@rule("PRE003", "learning-rate-zero", needs=[METRIC], fact=True)
def learning_rate_zero(patient: Patient) -> Hit | None:
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
    total = found(patient, METRIC)
    if total is None:
        return None
    return stretch(total, len(total) - 1).hit(
        f"learning rate is 0 for {last(total):,.0f} "
        f"parameter{'' if last(total) == 1 else 's'} in the first updates: group "
        f"{where(patient, METRIC, total, 'group')}",
        advice="step the scheduler after each update, or give the group a learning rate",
        severity="critical" if holds_all(patient, total) else None,
        causes=("a scheduler that is never stepped", "a learning rate of 0 left over"),
    )
