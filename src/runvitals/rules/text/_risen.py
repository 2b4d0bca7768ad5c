"""A share of texts with a fault that has risen since the run's own first texts."""

from __future__ import annotations

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rollouts.series import quotes
from runvitals.rules.detectors import SURE, Found
from runvitals.rules.patient import Patient
from runvitals.signals.level import read_level

MIN_STRETCHES = 4  # two of them show a change only to who knows the noise


def risen(patient: Patient, metric: str, by: float) -> Found | None:
    """Where the share is surely higher than at the start by this much, up to the end; or None.

    The run is compared with itself: a small model may have written like that from the first step on.
    """
    series = patient.find(metric)
    if series is None or len(series) < MIN_STRETCHES:
        return None
    level = read_level(series.values)
    chance = level.rose(by)
    if chance < SURE:
        return None
    start, now = float(np.median(level.start)), float(np.median(level.end))
    low = np.flatnonzero(level.curve <= start + by / 2)
    first = min(int(low[-1]) + 1, len(series) - 1) if len(low) else 0
    now = min(1.0, max(now, float(np.mean(series.values[first:]))))
    return Found(series, first, len(series) - 1, now, max(0.0, start), chance=chance)


def hit_of(
    patient: Patient,
    found: Found,
    what: str,
    *,
    advice: str,
    causes: tuple[str, ...] = (),
    beyond: float = 1.0,
    severity: Severity | None = None,
) -> Hit:
    """A hit that says how many texts show it, since when, and quotes two of them.

    Above a share of `beyond` nothing excuses it.
    """
    digest = patient.run.digest
    span = found.span
    shown = [] if digest is None else quotes(digest, found.series.name, span.first, span.last)
    return found.hit(
        f"{found.level:.0%} of the texts {what}, {found.before:.0%} at the start",
        advice=advice,
        causes=causes,
        severity=severity,
        beyond_excuse=found.level >= beyond,
        quotes=shown,
    )
