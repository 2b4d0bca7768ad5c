"""Held-out data and scores of what a model writes: they overrule training that looks good."""

from __future__ import annotations

import numpy as np

from runvitals.model import Series
from runvitals.rules.detectors import SURE, Found
from runvitals.rules.outcome.course import FEW
from runvitals.rules.patient import Patient
from runvitals.signals.level import read_level

SCORES = (
    "eval/success_rate",
    "eval/mean_at_n",
    "eval/pass_at_k",
    "eval/win_rate",
    "eval/score_mean",
    "eval/lm/sequence_accuracy",
)
MANY, NEARLY_ALL = 0.2, 0.75  # of the rollouts; of those that are left (judgement)
NO_FEWER = 0.9  # of the early share: it has not fallen since
SLACK = 0.05  # by which success may exceed what is left: the two are of different batches
MIN_GAP = 0.12  # between accuracies; in healthy runs of the lab it is 0.05 at most
BEST_OF_MANY = ("eval/pass_at_k",)  # one of several tries is enough for them


def held_back(patient: Patient, late: float, early: float) -> bool:
    """Whether success is as high as it can be with such a share of rollouts lost, no fewer than before.

    What was cut off or broken off cannot succeed. If all that is left succeeds, that share is what
    stands in the way, however well the run seems to learn.
    """
    outcome = patient.outcome
    if outcome is None or outcome.ceiling != 1.0 or outcome.metric in BEST_OF_MANY:
        return False
    now = outcome.course.now
    left = 1.0 - late
    return late >= max(MANY, NO_FEWER * early) and NEARLY_ALL * left <= now <= left + SLACK


def does_well_elsewhere(patient: Patient) -> bool:
    """Whether held-out data say that what was learned is worth something."""
    held_out = patient.held_out
    return held_out is not None and (
        held_out.course.good or (held_out.speaks and patient.health.good)
    )


def left_behind(mine: Series | None, held_out: Series | None, by: float) -> Found | None:
    """Where a held-out accuracy is surely this far below the one in training, and no longer rises."""
    if mine is None or held_out is None or len(held_out) < FEW:
        return None
    trained, other = read_level(mine.values).end, read_level(held_out.values)
    rises = other.rose(by=by / 2, since=1 / 2) > 1 / 2
    chance = float(np.mean(trained - other.end > by))
    if rises or chance < SURE:
        return None
    half, right = len(held_out) // 2, float(np.median(other.end))
    before = float(np.median(trained))
    return Found(held_out, half, len(held_out) - 1, right, before, chance=chance)
