"""TEMP001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.temperature._controller import is_controlled, outside_pulses
from runvitals.signals.crossing import sustained_above, sustained_below
from runvitals.signals.late import THIRD, late_mean

LOW, HIGH = 0.5, 2.0  # Training Monitoring Guide, outside of pulses
IN_PULSES = 5.0  # times the upper bound (judgement)
MIN_POINTS, MIN_AT_BOUND = 12, 30  # judgement
MIN_SHARE = 0.2  # of the run (judgement)
AT_BOUND, AT_BOUND_LATE = 1 / 3, 0.5  # of the run, and of its last third (judgement)
SLACK = 0.02  # of a bound that the temperature may touch (judgement)


@rule(
    "TEMP001",
    "temperature-out-of-band",
    severity="warning",
    needs=["policy/temperature"],
)
def temperature_out_of_band(
    patient: Patient, *, least: float | None = None, most: float | None = None
) -> Iterator[Hit]:
    """The sampling temperature leaves its range, or stays at its bound for long.

    ## What it looks for
    Only policies with a temperature controller, in 8 of 10 points and a fifth of the run:

    - Outside of pulses, the temperature is beyond `min_temperature` or `max_temperature` (0.5 and
      2.0 if not set).
    - A pulse raises it above five times the upper bound.

    If it stays at a bound for a third of the run, it is a warning while the outcome falls or stands
    still, otherwise a notice.

    ## Why it matters
    If it is too cold, the policy stops exploring. If it is too hot, it acts at random. A controller
    at its bound no longer controls anything.

    ## Usual causes
    1. The controller's gains.
    2. Pressure signals in the wrong unit.
    3. Bounds that do not fit, or a pulse that never ends.
    4. A cluster that really is overloaded.

    ## What to try
    Look at the pressure that the controller sees, then at its gains.

    ## When to ignore it
    Deliberate pulses: short ones are not counted.

    ## Sources
    Training Monitoring Guide (0.5 to 2.0 outside of pulses).
    """
    if not is_controlled(patient):
        return
    whole = patient["policy/temperature"]
    low = patient.limit(least, otherwise=LOW, why="the usual range", setting="min_temperature")
    high = patient.limit(most, otherwise=HIGH, why="the usual range", setting="max_temperature")
    calm = outside_pulses(patient, whole)
    unsure: Severity | None = None if low.from_run or high.from_run else "notice"
    for series, limit, below in (
        (calm, Limit(low.value * (1 - SLACK), low.source, low.from_run), True),
        (calm, Limit(high.value * (1 + SLACK), high.source, high.from_run), False),
        (
            whole,
            Limit(IN_PULSES * high.value, f"{IN_PULSES:g} x {high.source}", high.from_run),
            False,
        ),
    ):
        find = sustained_below if below else sustained_above
        found = [
            one
            for one in find(series.values, limit.value)
            if one.beyond >= MIN_SHARE * len(whole) and len(whole) >= MIN_POINTS
        ]
        if found:
            longest = max(found, key=lambda one: one.beyond)
            middle = float(np.median(series.values[longest.first : longest.last + 1]))
            yield Hit(
                series=whole.name,
                span=longest.span(series),
                message=f"temperature is {middle:.3g}, {'below' if below else 'above'} "
                f"{limit.value:.3g}, at {longest.beyond:,} points",
                advice="check the pressure that the controller sees, then its gains and pulses",
                severity=unsure,
                causes=("controller gains", "pressure in the wrong unit", "endless pulses"),
                limit=limit,
            )
            return
    yield from _at_bound(patient, low, high)


def _at_bound(patient: Patient, low: Limit, high: Limit) -> Iterator[Hit]:
    calm = outside_pulses(patient, patient["policy/temperature"])
    if len(calm) < MIN_AT_BOUND or float(np.ptp(calm.values)) <= 0:
        return
    for limit, word in ((low, "lower"), (high, "upper")):
        at = np.abs(calm.values - limit.value) <= SLACK * abs(limit.value)
        stays = late_mean(at.astype(np.float64), THIRD) >= AT_BOUND_LATE
        if not limit.from_run or float(at.mean()) < AT_BOUND or not stays:
            continue
        where = np.flatnonzero(at)
        severity: Severity = "warning" if patient.health.struggles else "notice"
        yield Hit(
            series=calm.name,
            span=calm.span(int(where[0]), int(where[-1])),
            message=f"temperature is at its {word} bound of {limit.value:g} "
            f"for {at.mean():.0%} of the run",
            advice="check the pressure that the controller sees, then the bound",
            severity=severity,
            causes=("the system is overloaded", "controller gains", "a bound that does not fit"),
            limit=limit,
        )
        return
