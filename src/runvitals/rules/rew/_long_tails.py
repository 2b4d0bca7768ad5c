"""Rewards of which a few lie far from all others, by their logged histograms."""

from __future__ import annotations

import numpy as np

from runvitals.model import FloatArray, Hit, Limit
from runvitals.rules.patient import Patient
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.late import FIFTH, late, points_in
from runvitals.signals.shape import TAIL_OF_A_GAUSSIAN, excess_kurtosis, tail_share

LEAST_HISTOGRAMS, LEAST_LATE = 5, 3  # judgement
HELD = 0.3  # of all distances, by the farthest 5 %: twice a Gaussian's, half again a Laplace's
KURTOSIS = 10.0  # where a few values rule; 3 of a Laplace (judgement)
FEW_VALUES = 3  # filled bins: marks such as 0 and 1, and a mark that is seldom given is no tail
MOST = 0.5  # of the late histograms: each is of few rewards
SOURCE = "RL metrics table: no long tails"


def long_tails(patient: Patient) -> Hit | None:
    """The first reward whose late histograms have long tails."""
    for shelf in patient.histograms("reward"):
        if len(shelf) < LEAST_HISTOGRAMS:
            continue
        count = points_in(len(shelf), FIFTH, LEAST_LATE)
        held = shelf.series(tail_share)
        heavy = shelf.series(_is_heavy)
        if not len(heavy) or float(late(heavy.values, FIFTH, LEAST_LATE).mean()) < MOST:
            continue
        balanced = np.flatnonzero(heavy.values < 1.0)
        first = int(balanced[-1]) + 1 if len(balanced) else 0
        share = float(np.median(held.values[-count:])) if len(held) else 0.0
        return Hit(
            series=shelf.name,
            span=shelf.span(min(first, len(shelf) - 1)),
            message=f"rewards have long tails: the farthest 5 % hold {share:.0%} of all that they "
            f"differ by, {TAIL_OF_A_GAUSSIAN:.0%} is usual{so_far(patient)}",
            advice="look at the largest and smallest rewards; clip or rank-normalise them",
            severity=by_outcome(patient),
            causes=("outliers or terms without a bound", "tasks of different scale in one batch"),
            limit=Limit(HELD, SOURCE),
        )
    return None


def _is_heavy(edges: FloatArray, counts: FloatArray) -> float:
    """1 for a histogram with long tails, 0 for one without."""
    if np.count_nonzero(counts) <= FEW_VALUES:
        return 0.0
    return float(tail_share(edges, counts) >= HELD or excess_kurtosis(edges, counts) >= KURTOSIS)
