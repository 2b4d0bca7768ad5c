"""Rules about lengths of prompts, responses and episodes."""

from dataclasses import replace

import numpy as np

from runvitals.model.row import FloatArray
from runvitals.rules.detectors import Detection, above
from runvitals.rules.patient import Patient
from runvitals.rules.questions import Question
from runvitals.signals.late import late_mean

MOST = 0.5  # of them (judgement): then hardly anything is ever seen whole, whatever it is paid


def lost(patient: Patient, metric: str, option: float | None = None) -> Detection | None:
    """Where a share is above the catalog's limit up to the end, and its level there."""
    series, limit = patient.find(metric), patient.band(metric, option=option)
    if series is None or not is_share(series.values):
        return None
    found = above(replace(series, values=as_rate(series.values)), limit, to_end=True)
    return found and replace(found, level=late_mean(series.values))


def is_lost(metric: str) -> Question:
    """Asks that of a metric."""
    return Question(metric, lambda patient, value: lost(patient, metric, value), "limit")


def inexcusable(found: Detection) -> bool:
    """True if most are lost, or more than the user allows: no outcome excuses that."""
    return found.level >= MOST or (found.limit is not None and found.limit.from_run)


MIN_VALUES = 3  # a series with so few different values counts one or two things a row
OF_TWO = {0.0, 0.5, 1.0}  # the shares that one or two things can be
WIDTH = 10  # rows that give a share of ten things or more
ROUNDING = 1e-3  # a mean of 16-bit numbers may exceed 1 by so much


def is_share(values: FloatArray) -> bool:
    """Whether all values lie between 0 and 1."""
    return bool(values.min() >= 0.0 and values.max() <= 1.0 + ROUNDING)


def as_rate(values: FloatArray) -> FloatArray:
    """A series of 0, 1 and perhaps halves as the mean of ten rows around each; others as they are.

    >>> as_rate(np.array([0.0, 1.0] * 10))[5:8].round(1).tolist()
    [0.5, 0.5, 0.5]
    """
    if len(values) < WIDTH or set(np.unique(values)[: MIN_VALUES + 1]) - OF_TWO:
        return values
    if np.ptp(values) == 0:
        return values
    sums = np.convolve(values, np.ones(WIDTH), "same")
    counts = np.convolve(np.ones(len(values)), np.ones(WIDTH), "same")
    rates: FloatArray = sums / counts
    return rates
