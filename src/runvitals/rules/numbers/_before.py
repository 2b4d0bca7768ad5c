"""What the numbers did before one of them stopped being a number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from runvitals.model import Series
from runvitals.model.formatting import number
from runvitals.rules.learning_rate.used import lower_first, rate_hint, suspect
from runvitals.rules.patient import Patient

GREW = (
    10.0  # times its usual size: noise of a loss or a gradient norm seldom does as much (GRAD001)
)
RECENT = 3  # points right before (judgement)
OVERFLOW = "overflow in fp16"


class Growth(NamedTuple):
    """A series that grew out of all proportion, from which size to which."""

    series: Series
    usual: float
    peak: float

    @property
    def words(self) -> str:
        """What grew, from what to what."""
        return f"{self.series.name} grew from {number(self.usual, 2)} to {number(self.peak, 2)}"


def growth_before(patient: Patient, metrics: Iterable[str], step: int) -> Growth | None:
    """The series that had grown most, of those that had grown at all, right before a step."""
    found = []
    for metric in metrics:
        series = patient.find(metric)
        if series is None:
            continue
        before = series.part(0, int(np.searchsorted(series.steps, step)))
        if (grown := _grown(before)) is not None:
            found.append(grown)
    return max(found, key=lambda one: one.peak / one.usual, default=None)


def _grown(series: Series) -> Growth | None:
    sizes = np.abs(series.values)
    if len(sizes) < 2:
        return None
    recent = min(RECENT, len(sizes) - 1)
    usual, peak = float(np.median(sizes[:-recent])), float(sizes[-recent:].max())
    return Growth(series, usual, peak) if peak > GREW * usual > 0 else None


def advice_for(patient: Patient, step: int, grown: Growth | None, *, early: bool) -> str:
    """What to do about it, by what the run shows."""
    if grown is not None:
        clip = patient.number("max_grad_norm")
        gradients = "clip gradients" if not clip else f"clip gradients below {clip:g}"
        usual = f"lower the learning rate{rate_hint(patient)}, or {gradients}: {grown.words} before"
        return lower_first(patient, usual)
    if early:
        look = "check the very first batch for NaN in inputs and labels"
        return lower_first(patient, look)
    return lower_first(
        patient,
        f"resume from a checkpoint before step {step:,}, and run that batch with anomaly detection",
    )


def causes_of(patient: Patient, grown: Growth | None, *, early: bool) -> tuple[str, ...]:
    """The likeliest first, by what the run shows."""
    rate = suspect(patient)
    exploded = rate or "learning rate too high"
    if grown is not None:
        causes = [exploded, "gradients not clipped"]
    elif early:
        causes = ["bad input or label", exploded, "a division or logarithm at zero"]
    else:
        causes = ["a single bad batch", "a division or logarithm at zero", exploded]
    if rate is not None:
        causes.sort(key=lambda cause: cause != rate)
    precision = patient.setting("precision")
    if "16" in str(precision) and "b" not in str(precision):
        return (OVERFLOW, *causes)
    return tuple(causes) if precision is not None else (*causes, OVERFLOW)
