"""What the rules about outcome and reward share."""

from __future__ import annotations

from runvitals.rules.outcome.roles import LEARNED_BY_TRYING
from runvitals.rules.patient import Patient


def is_task(patient: Patient) -> bool:
    """Whether the outcome is one that is learned by trying: no loss and no accuracy on pairs."""
    return patient.outcome is not None and patient.outcome.metric in LEARNED_BY_TRYING


def far_enough(patient: Patient, share: float) -> bool:
    """Whether so much of the plan is done; without a plan, whether the run is not known to go on."""
    if patient.progress is not None:
        return patient.progress >= share
    return patient.run.status != "running"
