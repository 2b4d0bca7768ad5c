"""What the rules about outcome and reward share."""

from __future__ import annotations

import numpy as np

from runvitals.model import Series, Span
from runvitals.rules.outcome import LEAST_POINTS, Course, course
from runvitals.rules.patient import Patient

TASK = (  # outcomes of a task that is learned by trying, the best first
    "eval/success_rate",
    "eval/mean_at_n",
    "eval/pass_at_k",
    "eval/score_mean",
    "eval/return_mean",
    "outcome/success_rate",
    "outcome/win_rate",
    "outcome/elo",
    "outcome/score_mean",
    "outcome/return_mean",
    "reward/score_mean",
    "reward/mean",
)


def span_of(series: Series, first: int = 0, last: int = -1) -> Span:
    """The steps from one index of a series to another."""
    last = last % len(series)
    first = min(max(first, 0), last)
    return Span(int(series.steps[first]), int(series.steps[last]), last - first + 1)


def is_task(patient: Patient) -> bool:
    """Whether the outcome is one that is learned by trying: no loss and no accuracy on pairs."""
    return patient.outcome is not None and patient.outcome.metric in TASK


def way_of(series: Series | None) -> Course | None:
    """The course of a series; None if it is too short to have one."""
    return course(series.values) if series is not None and len(series) >= LEAST_POINTS else None


def far_enough(patient: Patient, share: float) -> bool:
    """Whether so much of the plan is done; without a plan, whether the run is not known to go on."""
    if patient.progress is not None:
        return patient.progress >= share
    return patient.run.status != "running"


def settling(patient: Patient) -> str | None:
    """Why it is too early to expect progress: warm-up of the rate, or exploration still fading."""
    rate = patient.find("optim/learning_rate", "policy/learning_rate")
    if rate is not None and len(rate) >= 8:
        values = rate.values
        if (
            values[-1] > 0
            and values[-1] >= values.max()
            and values[-1] > 1.02 * values[len(values) // 2]
        ):
            return "the learning rate is still warming up"
    epsilon = patient.find("explore/epsilon")
    if epsilon is not None and len(epsilon) >= 8:
        values = epsilon.values
        if values[-1] > 0.3 and values[-1] < 0.98 * values[0] and np.all(np.diff(values) <= 1e-9):
            return f"exploration is still at {values[-1]:.2g}"
    starts = patient.number("learning_starts")
    if starts is not None and starts >= 0.5 * patient.last_step > 0:
        return "half of the run lies before learning_starts"
    return None
