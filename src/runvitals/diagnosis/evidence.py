"""Advice that follows from what the whole run shows, and not only from the series of one rule."""

from __future__ import annotations

from dataclasses import replace

from runvitals.model import Finding
from runvitals.rules.causes import effects_of
from runvitals.rules.learning_rate.used import causes_with_rate, learning_rate, lower_first
from runvitals.rules.patient import Patient

ABSURD_RATE = "LR002"  # what an absurd learning rate may explain is in the table of causes


def in_the_light_of_the_rate(finding: Finding, patient: Patient) -> Finding:
    """The finding with an unusual learning rate as its first suspect, if that may have led to it.

    No entropy bonus helps a policy that is thrown about by steps a hundred times too large: where the
    rate is absurd, lowering it comes first; where it is only high, it is named among the causes.
    """
    if finding.code not in effects_of(ABSURD_RATE):
        return finding
    rate = learning_rate(patient)
    if rate is None or not rate.too_high:
        return finding
    causes = causes_with_rate(patient, finding.causes)
    advice = finding.advice
    if rate.level == "absurd" and f"learning rate of {rate.value:g}" not in advice:
        first = lower_first(patient, advice)
        advice = first if "learning rate" in advice or not advice else f"{first}; then {advice}"
    return replace(finding, advice=advice, causes=causes)
