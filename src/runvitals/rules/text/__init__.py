"""Rules about what a model wrote.

How often they are wrong: of 10 healthy runs of `runvitals lab run writing` and 5 of a tiny model in
TRL, none is alarmed. Of 40 public folders with completions, most of one repository, 12 hold texts of
four steps or more. Four have a finding, and it was right: one wrote nothing, three were cut off.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from runvitals.model import Quote
from runvitals.rules.detectors import SURE, Detection
from runvitals.rules.patient import Patient
from runvitals.rules.questions import Question
from runvitals.signals.level import read_level

MIN_STRETCHES = 4  # two of them show a change only to who knows the noise
MIN_TEXTS = 16  # before and after: the share of fewer is known only to within 0.12


def risen(patient: Patient, metric: str, by: float) -> Detection | None:
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
    found = Detection(series, first, len(series) - 1, now, max(0.0, start), chance=chance)
    if not _enough_texts(patient, found):
        return None
    return replace(found, quotes=quotes_of(patient, metric, found))


def has_risen(metric: str, by: float) -> Question:
    """The share of texts with a fault is surely higher than at the start by this much."""
    return Question(metric, lambda patient, value: risen(patient, metric, value), "by", by)


def of_texts(found: Detection, what: str) -> str:
    """How many texts show a fault, and how many did at the start."""
    return f"{found.level:.0%} of the texts {what}, {found.before:.0%} at the start"


def quotes_of(patient: Patient, metric: str, found: Detection) -> Sequence[Quote]:
    """Two texts with this fault, if the run has texts."""
    if patient.run.digest is None:
        return ()
    from runvitals.rollouts.series import quotes

    return quotes(patient.run.digest, metric, found.span.first, found.span.last)


def _enough_texts(patient: Patient, found: Detection) -> bool:
    """True if many texts were read before the rise, and many since."""
    if patient.run.digest is None:
        return True
    last = int(found.series.steps[-1])
    kept = [(one.last, len(one.kept)) for one in patient.run.digest.stretches if one.last <= last]
    after = sum(count for step, count in kept if step >= found.step)
    before = sum(count for step, count in kept if step < found.step)
    return min(before, after) >= MIN_TEXTS
