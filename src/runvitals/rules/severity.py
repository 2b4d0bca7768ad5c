"""How loud a sign is: by the outcome, or by a level that nothing excuses.

A sign beside an outcome that is fine is a *notice*, an early warning that says so in plain words. It
is a *warning* where it does harm (the outcome is flat, falls, or never rose), or beyond a level that no
outcome excuses. *Critical*, the run is lost, is for each rule to say.
"""

from __future__ import annotations

from runvitals.model import Severity
from runvitals.rules.patient import Patient


def by_outcome(patient: Patient, *, beyond_excuse: bool = False) -> Severity:
    """Warning where the outcome suffers or nothing excuses it, else notice."""
    return "warning" if beyond_excuse or patient.health.struggles else "notice"


def suffers(patient: Patient) -> bool:
    """Whether the outcome is bad for certain, or nothing shows that it is better than at the start.

    Narrower than `struggles`: for signs that a run which slowly gets better may well show.
    """
    return patient.health.bad or patient.health.gets_nowhere


def so_far(patient: Patient) -> str:
    """What a message adds about the outcome; empty where that suffers: other findings say so.

    It follows the message as it is: "clip fraction above 0.3" + "; the outcome is holding up so far".
    """
    if patient.health.good:
        outcome = patient.outcome
        name = outcome.series.name if outcome is not None else "the outcome"
        return f"; {name} is holding up so far"
    if patient.health.unknown:
        return "; no outcome was logged to compare with"
    return ""
