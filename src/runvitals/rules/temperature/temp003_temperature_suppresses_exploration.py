"""TEMP003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.temperature._controller import is_controlled, outside_pulses, pressure
from runvitals.signals.crossing import sustained_below
from runvitals.signals.pairs import aligned, rank_correlation

LEAST_POINTS = 20  # judgement
COLD, VERY_COLD = 0.3, 0.1  # times the base temperature (judgement)
LEAST_SHARE = 0.3  # of the run (judgement)
FALLEN = 0.5  # what is left of the entropy (judgement)
NEARLY_ALWAYS = 0.95  # of the run: then it follows nothing (judgement)
FOLLOWS = -0.6  # rank correlation with the pressure (judgement)


@rule(
    "TEMP003",
    "temperature-suppresses-exploration",
    severity="warning",
    needs=["policy/temperature", "policy/entropy"],
)
def temperature_suppresses_exploration(patient: Patient) -> Iterator[Hit]:
    """The temperature controller cools the policy so far that it no longer explores.

    ## What it looks for
    Only policies with a temperature controller. The temperature outside of pulses is below 0.3 of its
    base for 30 % of the run while the entropy is half of
    what it was at most, and the outcome does not improve or hold. At a tenth of the base it is a
    warning in any state.

    ## Why it matters
    Entropy falls here not because the policy has learned what to do but because it is not allowed to
    try anything else; what it misses stays missed.

    ## Usual causes
    1. Pressure counts too much: `qps_sensitivity`.
    2. A lower bound that is too low.
    3. Real overload.

    ## What to try
    Lower `qps_sensitivity` or raise `min_temperature`; if latency rose first, treat that.

    ## When to ignore it
    A policy that is meant to be greedy under load.

    ## Sources
    Training Monitoring Guide (entropy collapse with a low temperature).
    """
    if not is_controlled(patient):
        return
    calm = outside_pulses(patient, patient["policy/temperature"])
    entropy = patient["policy/entropy"]
    if len(calm) < LEAST_POINTS or len(entropy) < LEAST_POINTS:
        return
    base = patient.find("policy/temperature_base")
    usual = float(np.median(base.values)) if base is not None else float(calm.values.max())
    found = [
        one
        for one in sustained_below(calm.values, COLD * usual)
        if one.beyond >= LEAST_SHARE * len(calm)
    ]
    if not found:
        return
    longest = max(found, key=lambda one: one.beyond)
    middle = float(np.median(calm.values[longest.first : longest.last + 1]))
    start, end = int(calm.steps[longest.first]), int(calm.steps[longest.last])
    during = entropy.values[(entropy.steps >= start) & (entropy.steps <= end)]
    left = float(np.median(during)) / max(float(entropy.values.max()), 1e-9) if len(during) else 1.0
    frozen = middle < VERY_COLD * usual
    if not frozen and left > FALLEN:
        return
    severity: Severity | None = None
    if not frozen and (patient.health.good or patient.health.silent):
        severity = "notice"
    follows = _follows_pressure(patient, longest.beyond / len(calm))
    sensitivity = patient.setting("qps_sensitivity")
    yield Hit(
        series=calm.name,
        span=longest.span(calm),
        message=f"temperature is {middle:.3g} of a base of {usual:.3g} in {longest.beyond} points, "
        f"and entropy {left:.0%} of its best{follows}",
        advice="lower qps_sensitivity"
        + (f" (now {sensitivity})" if sensitivity is not None else "")
        + " or raise min_temperature",
        severity=severity,
        causes=("pressure counts too much", "the lower bound is too low", "real overload"),
    )


def _follows_pressure(patient: Patient, share: float) -> str:
    load = pressure(patient)
    if load is None or share > NEARLY_ALWAYS:
        return ""
    _, heat, weight = aligned(patient["policy/temperature"], load)
    return "; it follows the pressure" if rank_correlation(heat, weight) < FOLLOWS else ""
