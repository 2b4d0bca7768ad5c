"""How random the policy is, and whether it explores."""

from dataclasses import replace

import numpy as np

from runvitals.model import Series
from runvitals.rules.patient import Patient

FIRST = 5  # points that are the start: one batch may be odd (judgement)
NOTHING = 1e-4  # of its start: less is as good as none, and logs round it to 0
SPREAD = "policy/action_std"


def randomness(patient: Patient) -> Series | None:
    """The series that falls to zero when exploration ends: for continuous actions, their spread."""
    series = patient.find(SPREAD)
    if series is None and not patient.continuous:
        series = patient.find("policy/entropy", "policy/entropy_sequence")
    if series is None or start_of(series) <= 0:
        return None
    return replace(series, values=np.maximum(series.values, NOTHING * start_of(series)))


def start_of(series: Series) -> float:
    """Its highest value at the start, before it can have fallen far."""
    return float(series.values[:FIRST].max())


def title(series: Series) -> str:
    """What it is called in a message."""
    return "standard deviation of actions" if series.metric == SPREAD else "entropy"


def bonus(patient: Patient) -> str:
    """The entropy bonus, with its size if known."""
    size = patient.number("entropy_coef")
    return "the entropy bonus" + ("" if size is None else f" (this run: {size:g})")
