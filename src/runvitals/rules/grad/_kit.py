"""What the rules about gradients share."""

from __future__ import annotations

from runvitals.model import Series, Span
from runvitals.rules.patient import Patient

NORMS = "optim/grad_norm|policy/grad_norm|rm/grad_norm"


def span_of(series: Series, first: int = 0, last: int = -1) -> Span:
    """The steps from one index of a series to another."""
    last = last % len(series)
    first = min(max(first, 0), last)
    return Span(int(series.steps[first]), int(series.steps[last]), last - first + 1)


def is_sick(patient: Patient) -> bool:
    """Whether the outcome is known, and does not do well."""
    return patient.health.struggles
