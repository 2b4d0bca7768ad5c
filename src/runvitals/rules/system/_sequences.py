"""How much one step has to hold at once: what to look at when memory runs out."""

from __future__ import annotations

from typing import NamedTuple

from runvitals.rules.patient import Patient
from runvitals.signals.late import QUARTER, early_median, late_median

# in the order of the Training Metrics Glossary: check the fullest device first, then single sequences
LONGEST = ("balance/seqlen_max", "length/response_max", "length/prompt_max")
INSTEAD = ("length/response_mean", "lm/length_mean")  # where no longest is logged
MIN_POINTS = 12  # judgement
LONGER = 1.15  # times the early length (judgement)


class Sequences(NamedTuple):
    """Which lengths grew, in words, and the names of all that were logged."""

    grew: str
    names: tuple[str, ...]


def sequences(patient: Patient) -> Sequences:
    """The lengths that decide how much memory a step takes, and which of them grew."""
    found = [one for metric in LONGEST if (one := patient.find(metric)) is not None]
    if not found:
        instead = patient.find(*INSTEAD)
        found = [] if instead is None else [instead]
    told = []
    for series in found:
        early, late = early_median(series.values, QUARTER), late_median(series.values, QUARTER)
        if len(series) >= MIN_POINTS and 0 < LONGER * early < late:
            told.append(f"{series.name} grew from {early:,.0f} to {late:,.0f}")
    return Sequences(" and ".join(told), tuple(series.name for series in found))
