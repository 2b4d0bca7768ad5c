"""Whether it is too early to expect progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

MIN_POINTS = 8
GROWS = 1.02  # times its value half-way: still warming up
EXPLORES = 0.5  # of the actions are random: the policy hardly shows through (judgement)
FADED = 0.98  # of where it began: exploration is on its way down
NEARLY_ALL = 0.95  # of its steps go down: a resumed run begins again (judgement)
HALF = 0.5  # of the run (judgement)


def settling(patient: Patient) -> str | None:
    """Why it is too early to expect progress: warm-up of the rate, or exploration still fading."""
    rate = patient.find("optim/learning_rate", "policy/learning_rate")
    if rate is not None and len(rate) >= MIN_POINTS:
        values = rate.values
        if (
            values[-1] > 0
            and values[-1] >= values.max()
            and values[-1] > GROWS * values[len(values) // 2]
        ):
            return "the learning rate is still warming up"
    epsilon = patient.find("explore/epsilon")
    if epsilon is not None and len(epsilon) >= MIN_POINTS:
        values = epsilon.values
        if (
            values[-1] > EXPLORES
            and values[-1] < FADED * values[0]
            and np.mean(np.diff(values) <= 1e-9) >= NEARLY_ALL
        ):
            return f"exploration is still at {values[-1]:.2g}"
    starts = patient.number("learning_starts")
    if starts is not None and starts >= HALF * patient.last_step > 0:
        return "half of the run lies before learning_starts"
    return None
