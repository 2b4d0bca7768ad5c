from dataclasses import replace

import numpy as np

from runvitals.rules.kit import Hit, Patient, above, below, rule
from runvitals.rules.temperature import NEAR_BOUND, is_controlled, outside_pulses


@rule("TEMP001", needs=["policy/temperature"], excused_by_outcome=True, min_points=20)
def temperature_out_of_band(
    patient: Patient, *, least: float | None = None, most: float | None = None
) -> Hit | None:
    """The sampling temperature leaves its range, or stays at its bound for long.

    ## What it looks for
    Only policies with a temperature controller, outside of pulses and for a fifth of the run: the
    temperature is beyond `min_temperature` or `max_temperature`, or within 10% of it (0.5 and 2.0 in
    the Training Monitoring Guide's scheduler if not set).

    Beyond a bound it is a warning. Next to a bound it is a warning while the outcome is not doing
    well, otherwise a notice.

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
    calm = outside_pulses(patient, patient["policy/temperature"])
    if not is_controlled(patient) or not len(calm) or float(np.ptp(calm.values)) == 0:
        return None
    low = patient.band("policy/temperature", "low", option=least)
    high = patient.band("policy/temperature", "high", option=most)
    found, bound, word = None, low, "lower"
    if low is not None:
        found = below(calm, replace(low, value=NEAR_BOUND * low.value))
    if found is None and high is not None:
        found = above(calm, replace(high, value=high.value / NEAR_BOUND))
        bound, word = high, "upper"
    if found is None or bound is None:
        return None
    beyond = found.level < bound.value if bound is low else found.level > bound.value
    return found.hit(
        f"temperature is {found.level:.3g}, {'beyond' if beyond else 'next to'} its {word} bound of "
        f"{bound.value:g}, for {found.share:.0%} of the run",
        advice="check the pressure that the controller sees, then its gains and the bound",
        causes=(
            "the system is overloaded",
            "controller gains",
            "pressure in the wrong unit",
            "a bound that does not fit",
        ),
        beyond_excuse=beyond,
    )
