"""Whether a policy began at its reference: before the first update both are one model."""

from __future__ import annotations

import numpy as np

from runvitals.model import Limit, Series
from runvitals.rules.patient import Patient

EARLY = 3.0  # intervals of the log: a run that goes on from a checkpoint begins later (judgement)
FIRST = 3  # points: one batch may be odd
HALF_OF_LIMIT = 0.5  # no update goes half as far as a whole run may (judgement)


def starts_elsewhere(patient: Patient, kl: Series, bound: Limit) -> bool:
    """Whether the KL is far from 0 at the first row already, while the loss or reward counts it.

    No update goes half as far as the limit allows a whole run. A run that was resumed, or whose KL
    has no weight that is known, says nothing.
    """
    coefficient = patient.find("policy/kl_coef")
    weight = patient.number("kl_coef") if coefficient is None else float(coefficient.values[0])
    interval = float(np.median(np.diff(kl.steps)))
    if not weight or float(kl.steps[0]) > EARLY * max(1.0, interval):
        return False
    return float(kl.values[:FIRST].min()) > HALF_OF_LIMIT * bound.value
