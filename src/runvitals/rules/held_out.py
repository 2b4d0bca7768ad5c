"""Held-out data and scores of what a model writes: they overrule training that looks good."""

import numpy as np

from runvitals.model import Series
from runvitals.rules.detectors import SURE, Detection
from runvitals.rules.outcome.course import FEW
from runvitals.rules.patient import Patient
from runvitals.signals.level import read_level

NEVER = 0.02  # a share of successes that is none
SCORES = (
    "eval/success_rate", "eval/mean_at_n", "eval/pass_at_k", "eval/win_rate", "eval/score_mean",
    "eval/lm/sequence_accuracy",
)  # fmt: skip
MIN_GAP = 0.12  # between accuracies; in healthy runs of the lab it is 0.05 at most


def does_well_elsewhere(patient: Patient) -> bool:
    """True if held-out data confirm that something useful was learned."""
    held_out = patient.held_out
    return held_out is not None and (
        held_out.course.good or (held_out.course.speaks and patient.health.good)
    )


def left_behind(mine: Series | None, held_out: Series | None, by: float) -> Detection | None:
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
    return Detection(held_out, half, len(held_out) - 1, right, before, chance=chance)
