"""Held-out scores of what a model writes: they overrule a training reward that looks good."""

from __future__ import annotations

import numpy as np

from runvitals.rules.patient import Patient
from runvitals.signals.held_out import drop_from_best

SCORES = (
    "eval/success_rate",
    "eval/mean_at_n",
    "eval/pass_at_k",
    "eval/win_rate",
    "eval/score_mean",
    "eval/lm/sequence_accuracy",
)
LEAST_POINTS = 5
DEAD = 0.02
SOLVED = 0.8  # of the ceiling
MANY, NEARLY_ALL = 0.2, 0.75  # of the rollouts; of those that are left
BEST_OF_MANY = ("eval/pass_at_k",)  # one of several tries is enough for them


def does_well(patient: Patient) -> bool:
    """Whether the outcome improves or holds, and no held-out score says otherwise."""
    return patient.does_well and not does_badly(patient)


def does_badly(patient: Patient) -> bool:
    """Whether the outcome stands still or falls, or a held-out score is at 0 or lost a quarter."""
    if patient.state in ("stalled", "degrading"):
        return True
    score = patient.find(*SCORES)
    if score is None or len(score) < LEAST_POINTS:
        return False
    late = score.values[len(score) // 2 :]
    return bool(late.min() >= 0 and late.max() <= DEAD) or lost_a_quarter(patient)


def lost_a_quarter(patient: Patient) -> bool:
    """Whether a held-out score has clearly lost a quarter of its best."""
    score = patient.find(*SCORES)
    drop = None if score is None else drop_from_best(score.values, share=True)
    return drop is not None and drop.sure and drop.size >= max(0.05, 0.25 * drop.best)


def is_solved(patient: Patient) -> bool:
    """Whether the outcome ends near the most it can be: then little can be wrong with the rollouts."""
    outcome = patient.outcome
    if outcome is None or outcome.ceiling is None or not does_well(patient):
        return False
    late = outcome.values[-max(3, len(outcome.values) // 5) :]
    return float(np.median(late)) >= SOLVED * outcome.ceiling


def held_back(patient: Patient, late: float, early: float) -> bool:
    """Whether success is as high as it can be with such a share of rollouts lost, no fewer than before.

    What was cut off or broken off cannot succeed. If all that is left succeeds, that share is what
    stands in the way, however well the run seems to learn.
    """
    outcome = patient.outcome
    if outcome is None or outcome.ceiling != 1.0 or outcome.metric in BEST_OF_MANY:
        return False
    now = float(np.median(outcome.values[-max(3, len(outcome.values) // 5) :]))
    left = 1.0 - late
    return late >= max(MANY, 0.9 * early) and NEARLY_ALL * left <= now <= left + 0.05
