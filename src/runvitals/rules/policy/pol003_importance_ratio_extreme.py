import numpy as np

from runvitals.rules.kit import (
    Hit,
    Limit,
    Patient,
    Series,
    Span,
    above,
    below,
    counted,
    number,
    rule,
    short_number,
)

ADVICE = "compare old and new log-probabilities of one batch before any update"
CAUSES = ("update too large", "log-probabilities with another temperature or mask", "stale samples")


@rule(
    "POL003", needs=["policy/ratio_mean|policy/ratio_max"], excused_by_outcome=True, min_points=12
)
def importance_ratio_extreme(patient: Patient, *, largest: float = 200.0) -> Hit | None:
    """The new policy assigns its samples very different probabilities than the old one did.

    ## What it looks for
    - `policy/ratio_mean` outside 0.8 to 1.2 for a fifth of the run, or above 200 in any update
    - `policy/ratio_max` above 200 for a fifth of the run

    It is a warning if the outcome is not doing well, otherwise a notice. A mean above 200 for a fifth
    of the run is a warning in any case.

    ## Why it matters
    Over samples of the old policy, the mean ratio is 1 whatever the new policy is. If it is not,
    the samples did not come from the policy that is called old, or a few of them decide everything.

    ## Usual causes
    1. An update that is too large.
    2. Log-probabilities computed with other settings: temperature, mask, padding.
    3. Rollout engine and trainer disagree.
    4. Stale samples.

    ## What to try
    Compare old and new log-probabilities of the same samples before any update. They must be equal.

    ## When to ignore it
    The largest of a million ratios may well be 10. Look at the mean.

    ## Sources
    RL metrics table (about 1, unstable above 200); TRL's notes on PPO statistics.
    """
    mean, top = patient.find("policy/ratio_mean"), patient.find("policy/ratio_max")
    high, low = patient.band("policy/ratio_mean"), patient.band("policy/ratio_mean", "low")
    if found := above(mean, high) or below(mean, low):
        return found.hit(
            f"mean ratio is {short_number(found.level)} over {found.count:,} updates, but should be 1",
            advice=ADVICE,
            causes=CAUSES,
            beyond_excuse=found.level > largest,
        )
    if mean is not None and (rows := np.flatnonzero(mean.values > largest)).size:
        return _single(mean, rows, largest)
    found = above(top, Limit(largest, "RL metrics table: unstable above"))
    return found and found.hit(
        f"largest ratio is above {largest:g} in {found.count:,} updates, "
        f"median {short_number(found.level)}",
        advice=ADVICE,
        causes=CAUSES,
    )


def _single(mean: Series, rows: np.ndarray, largest: float) -> Hit:
    """Mean ratios so large that one update is enough."""
    peak = int(rows[np.argmax(mean.values[rows])])
    return Hit(
        series=mean.name,
        span=Span(int(mean.steps[rows[0]]), int(mean.steps[rows[-1]]), len(rows)),
        message=f"mean ratio is above {largest:g} in {counted(len(rows), 'update')}, up to "
        f"{number(float(mean.values[peak]))} at step {int(mean.steps[peak]):,}, but should be 1",
        advice=ADVICE,
        causes=CAUSES,
        limit=Limit(largest, "RL metrics table: unstable above"),
    )
