"""Held-out scores of what a model writes: they overrule a training reward that looks good."""

from __future__ import annotations

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
    if late.min() >= 0 and late.max() <= DEAD:
        return True
    drop = drop_from_best(score.values, share=True)
    return drop is not None and drop.sure and drop.size >= max(0.05, 0.25 * drop.best)
