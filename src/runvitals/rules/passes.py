"""Passes over the training data: how often a sample had been seen when something was measured."""

from __future__ import annotations

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.rules.patient import Patient

FIRST_PASS = 0.9  # of an epoch: until then all samples are new (judgement)
BY_HALF = 0.5  # of the first pass: before that little was learned to predict by


def seen_at(patient: Patient, series: Series) -> FloatArray | None:
    """How often the data had been seen at each point of a series; None if nobody knows."""
    epoch = patient.find("progress/epoch")
    if epoch is None or not np.any(epoch.values % 1):  # counted in whole epochs
        return None
    passed = np.interp(series.steps, epoch.steps, epoch.values)
    return passed - min(float(np.floor(epoch.values[0])), 1.0)


def is_foretold(patient: Patient, loss: Series, limit: float) -> bool:
    """Whether samples were predicted that well before they had been seen: late in the first pass.

    What the model knows of samples it has not seen yet is not memory: copying, sorting, formats.
    """
    seen = seen_at(patient, loss)
    if seen is None:
        return False
    new = loss.values[(seen >= BY_HALF * FIRST_PASS) & (seen < FIRST_PASS)]
    return len(new) > 0 and float(np.median(new)) <= limit
