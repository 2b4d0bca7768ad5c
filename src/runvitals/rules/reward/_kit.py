"""What the rules about outcome and reward share."""

from __future__ import annotations

from runvitals.model import Series, Span
from runvitals.rules.patient import Patient

TASK = (  # outcomes of a task that is learned by trying, the best first
    "eval/success_rate",
    "eval/mean_at_n",
    "eval/pass_at_k",
    "eval/exploitability",
    "eval/score_mean",
    "eval/return_mean",
    "outcome/success_rate",
    "outcome/win_rate",
    "outcome/exploitability",
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


def far_enough(patient: Patient, share: float) -> bool:
    """Whether so much of the plan is done; without a plan, whether the run is not known to go on."""
    if patient.progress is not None:
        return patient.progress >= share
    return patient.run.status != "running"
