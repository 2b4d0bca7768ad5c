"""Rewards or advantages of which a few lie far from all others, by their logged histograms."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from runvitals.model import FloatArray, HistogramSeries, Span
from runvitals.model.formatting import number
from runvitals.rules.patient import Patient
from runvitals.signals.late import FIFTH, late, points_in
from runvitals.signals.shape import TAIL_OF_A_GAUSSIAN, excess_kurtosis, skew, tail_share

MIN_HISTOGRAMS, MIN_LATE = 5, 3  # judgement
HELD = 0.3  # of all distances, by the farthest 5%: twice a Gaussian's, half again a Laplace's
KURTOSIS = 10.0  # where a few values rule; 3 of a Laplace (judgement)
LOPSIDED = 1.0  # skew: 0 is balanced, and 256 values of a Gaussian stray by 0.15
FEW_VALUES = 3  # filled bins: marks such as 0 and 1, and a mark that is seldom given is not a tail
MOST = 0.5  # of the late histograms: each is of few samples

Measure = Callable[[FloatArray, FloatArray], float]


class Uneven(NamedTuple):
    """Histograms that are uneven at the end: which, since when, and how."""

    name: str
    span: Span
    words: str


def long_tails(patient: Patient, quantity: str) -> Uneven | None:
    """The first logged `reward` or `advantage` whose late histograms have long tails."""
    for shelf in patient.histograms(quantity):
        if (span := _late_on(shelf, _is_heavy)) is not None:
            share = _level(shelf, tail_share)
            words = (
                f"long tails: the farthest 5% account for {share:.0%} of all deviation "
                f"({TAIL_OF_A_GAUSSIAN:.0%} for a normal distribution)"
            )
            return Uneven(shelf.name, span, words)
    return None


def lopsided(patient: Patient, quantity: str) -> Uneven | None:
    """The first logged `reward` or `advantage` whose late histograms lean to one side."""
    for shelf in patient.histograms(quantity):
        for side, sign in (("upper", 1.0), ("lower", -1.0)):
            if (span := _late_on(shelf, partial(_leans, side=sign))) is not None:
                words = f"a long {side} tail: skew {number(_level(shelf, skew), 2)}"
                return Uneven(shelf.name, span, words)
    return None


def _late_on(shelf: HistogramSeries, is_so: Measure) -> Span | None:
    """From where on it is so to the end; None if it is not in most of the late ones."""
    if len(shelf) < MIN_HISTOGRAMS:
        return None
    found = shelf.series(is_so)
    if not len(found) or float(late(found.values, FIFTH, MIN_LATE).mean()) < MOST:
        return None
    others = np.flatnonzero(found.values < 1.0)
    first = int(others[-1]) + 1 if len(others) else 0
    return shelf.span(min(first, len(shelf) - 1))


def _level(shelf: HistogramSeries, measure: Measure) -> float:
    count = points_in(len(shelf), FIFTH, MIN_LATE)
    found = shelf.series(measure)
    return float(np.median(found.values[-count:])) if len(found) else 0.0


def _few_values(counts: FloatArray) -> bool:
    return int(np.count_nonzero(counts)) <= FEW_VALUES


def _is_heavy(edges: FloatArray, counts: FloatArray) -> float:
    """1 for a histogram with long tails, 0 for one without."""
    if _few_values(counts):
        return 0.0
    return float(tail_share(edges, counts) >= HELD or excess_kurtosis(edges, counts) >= KURTOSIS)


def _leans(edges: FloatArray, counts: FloatArray, *, side: float) -> float:
    return float(not _few_values(counts) and side * skew(edges, counts) >= LOPSIDED)
