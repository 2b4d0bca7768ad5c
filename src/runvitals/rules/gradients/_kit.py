"""What the rules about gradients share."""

from __future__ import annotations

from runvitals.rules.patient import Patient

NORMS = "optim/grad_norm|policy/grad_norm|rm/grad_norm"


def is_sick(patient: Patient) -> bool:
    """Whether the outcome is known and not doing well."""
    return patient.health.struggles
