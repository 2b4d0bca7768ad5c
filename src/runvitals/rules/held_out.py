"""Held-out scores of what a model writes: they overrule a training reward that looks good."""

from __future__ import annotations

from runvitals.rules.patient import Patient

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
