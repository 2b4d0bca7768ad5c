from runvitals.rules.kit import Hit, Patient, jumped, rule, short_number
from runvitals.rules.value import earned, grows_with_returns, largest_so_far, relative, spread_of


@rule("VAL007", needs=["returns/std|returns/var"], excused_by_outcome=True, min_points=30)
def return_scale_changed(patient: Patient, *, times: float = 3.0) -> Hit | None:
    """The critic's targets are on a different scale than before.

    ## What it looks for
    The standard deviation of the returns (or the root of their variance) changes at once, to more
    than `times` (3) its level before, by more than growing returns of episodes explain, or to less
    than a third.

    It is a warning if the outcome is not doing well, otherwise a notice. A spread that narrows
    while the outcome is doing well is what learning looks like, so it only counts below a ninth.

    ## Why it matters
    The critic, its clip range and its learning rate were fitted to the old scale. On a new one its
    values are wrong until it has learned them again, and so are the advantages.

    ## Usual causes
    1. Normalisation of rewards or returns was switched on or off, or reset by a resume.
    2. Rewards or their weights changed during the run.
    3. A few extreme rewards (REW007).
    4. A bug in the returns.

    ## What to try
    Look for what changed at that step: config, resume, reward weights. Normalise returns with
    statistics that are saved and restored.

    ## When to ignore it
    A task in which rewards are only found late.

    ## Sources
    RL metrics table (check scaling consistency of the returns).
    """
    spread = spread_of(patient, "returns")
    assert spread is not None  # it needs it
    size, wide = earned(patient), spread
    if size is not None and grows_with_returns(patient):
        wide = relative(spread, largest_so_far(size))
    low = 1.0 / (times * times if patient.health.good else times)
    found = jumped(wide, times) or jumped(spread, low)
    return found and found.hit(
        "scale of the returns changed: their standard deviation is "
        f"{short_number(found.times)} times what it was",
        advice="look for what changed then (normalisation, reward weights, a resume), and "
        "normalise returns",
        causes=("normalisation changed or was reset", "rewards changed", "extreme rewards"),
    )
