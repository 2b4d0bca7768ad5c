"""Whether it is too early to expect progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runvitals.signals.pairs import aligned, correlation

if TYPE_CHECKING:
    from runvitals.model import Series
    from runvitals.rules.patient import Patient

MIN_POINTS = 8
GROWS = 1.02  # times its value half-way: still warming up
EXPLORES = 0.5  # of the actions are random: the policy hardly shows through (judgement)
FADED = 0.98  # of where it began: exploration is on its way down
NEARLY_ALL = 0.95  # of its steps go down: a resumed run begins again (judgement)
HALF = 0.5  # of the run (judgement)
IN_STEP = -0.9  # correlation with the share of random actions: it follows that share (judgement)


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


def explores_less(patient: Patient) -> bool:
    """Whether the share of random actions was high, and came down to less than half."""
    epsilon = patient.find("explore/epsilon")
    if epsilon is None or len(epsilon) < MIN_POINTS:
        return False
    return float(epsilon.values[0]) > EXPLORES and epsilon.last < EXPLORES * epsilon.values[0]


def follows_exploration(patient: Patient, paid: Series) -> bool:
    """Whether a return rises as random actions become fewer, which it does without any learning."""
    epsilon = patient.find("explore/epsilon")
    if epsilon is None:
        return False
    _, random, returns = aligned(epsilon, paid)
    return len(random) >= MIN_POINTS and correlation(random, returns) <= IN_STEP
