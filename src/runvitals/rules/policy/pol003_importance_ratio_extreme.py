"""POL003."""

import math
from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity, Span
from runvitals.model.formatting import number, short_number
from runvitals.rules.beyond_excuse import IMPORTANCE_RATIO
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.crossing import Stretch, sustained_above, sustained_below

LOW, HIGH = 0.8, 1.25  # of a mean that is 1 by construction: beyond the usual clip range of 0.2
ADVICE = "compare old and new log-probabilities of one batch before any update"
CAUSES = (
    "update too large",
    "log-probabilities with another temperature or mask",
    "stale samples",
)
GROSS_MEAN = 2.0  # judgement
RATIO_WORTH_KNOWING, GROSS_RATIO = 10.0, 200.0  # judgement; RL metrics table (unstable above 200)


@rule(
    "POL003",
    "importance-ratio-extreme",
    severity="warning",
    needs=["policy/ratio_mean|policy/ratio_max"],
    families=["policy-gradient"],
)
def importance_ratio_extreme(
    patient: Patient, *, low: float = LOW, high: float = HIGH, largest: float = GROSS_RATIO
) -> Iterator[Hit]:
    """The new policy assigns its samples very different probabilities than the old one did.

    ## What it looks for
    While the outcome is not doing well:

    - `policy/ratio_mean` outside 0.8 to 1.25 in 8 of 10 updates: a warning, critical above 2
    - `policy/ratio_mean` above 200 in a single update: a warning
    - `policy/ratio_max` above 200 in 8 of 10 updates: a warning
    - `policy/ratio_max` above 10 in 8 of 10 updates: a notice

    Otherwise, or if no outcome was logged, all of these are notices. `policy/ratio_max` is ignored
    while the outcome is doing well. Only a mean above 200 in 8 of 10 updates is an alarm in any
    case.

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
    if patient.health.early:
        return
    if patient.health.good:
        largest = math.inf
    mean = patient.find("policy/ratio_mean")
    if mean is not None:
        beyond = sustained_above(mean.values, high) + sustained_below(mean.values, low)
        if beyond:
            stretch = max(beyond, key=lambda one: one.beyond)
            middle = float(np.median(mean.values[stretch.first : stretch.last + 1]))
            side = high if middle > 1.0 else low
            severity: Severity = "critical" if middle > GROSS_MEAN else "warning"
            yield _hit(
                patient,
                mean,
                stretch,
                f"mean ratio is {short_number(middle)} over {stretch.beyond:,} updates, but should "
                "be 1",
                severity,
                side,
            )
            return
        if len(single := np.flatnonzero(mean.values > IMPORTANCE_RATIO)):
            yield _single(patient, mean, single)
            return
    top = patient.find("policy/ratio_max")
    if top is None:
        return
    for bound, severity in ((largest, "warning"), (RATIO_WORTH_KNOWING, "notice")):
        if not math.isfinite(largest):
            return  # single ratios of a run that does well
        found = sustained_above(top.values, bound)
        if found:
            stretch = max(found, key=lambda one: one.beyond)
            middle = float(np.median(top.values[stretch.first : stretch.last + 1]))
            yield _hit(
                patient,
                top,
                stretch,
                f"largest ratio is above {bound:g} in {stretch.beyond:,} updates, "
                f"median {short_number(middle)}",
                severity,
                bound,
            )
            return


def _single(patient: Patient, mean: Series, found: np.ndarray) -> Hit:
    """Mean ratios so large that one update is enough."""
    peak = int(found[np.argmax(mean.values[found])])
    return Hit(
        series=mean.name,
        span=Span(int(mean.steps[found[0]]), int(mean.steps[found[-1]]), len(found)),
        message=f"mean ratio is above {IMPORTANCE_RATIO:g} in {len(found):,} "
        f"update{'' if len(found) == 1 else 's'}, up to {number(float(mean.values[peak]))} at step "
        f"{int(mean.steps[peak]):,}, but should be 1{so_far(patient)}",
        advice=ADVICE,
        severity=by_outcome(patient),
        causes=CAUSES,
        limit=Limit(IMPORTANCE_RATIO, "RL metrics table: unstable above"),
    )


def _hit(
    patient: Patient,
    series: Series,
    stretch: Stretch,
    message: str,
    severity: Severity,
    bound: float,
) -> Hit:
    extreme = float(np.median(series.values[stretch.first : stretch.last + 1])) > IMPORTANCE_RATIO
    return Hit(
        series=series.name,
        span=stretch.span(series),
        message=f"{message}{so_far(patient)}",
        advice=ADVICE,
        severity=severity if patient.health.struggles or extreme else "notice",
        causes=CAUSES,
        limit=Limit(bound, "the mean over samples of the old policy is 1"),
    )
