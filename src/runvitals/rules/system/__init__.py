"""Rules about memory, devices and external costs."""

from typing import NamedTuple

from runvitals.rules.detectors import Detection, rose
from runvitals.rules.patient import Patient

# in the order of the Training Metrics Glossary: check the fullest device first, then single sequences
LONGEST = ("balance/seqlen_max", "length/response_max", "length/prompt_max")
INSTEAD = ("length/response_mean", "lm/length_mean")  # where no longest is logged
LONGER = 1.15  # times the early length (judgement)


class Sequences(NamedTuple):
    """Which lengths grew, in words, and the names of all that were logged."""

    grew: str
    names: tuple[str, ...]
    first: Detection | None = None  # the growth of the one to check first


def sequences(patient: Patient) -> Sequences:
    """The lengths that decide how much memory a step takes, and which of them grew."""
    found = [one for metric in LONGEST if (one := patient.find(metric)) is not None]
    if not found:
        instead = patient.find(*INSTEAD)
        found = [] if instead is None else [instead]
    grown = [longer for one in found if (longer := rose(one, LONGER)) is not None]
    told = [f"{one.series.name} grew from {one.before:,.0f} to {one.level:,.0f}" for one in grown]
    first = grown[0] if grown and grown[0].series is found[0] else None
    return Sequences(" and ".join(told), tuple(series.name for series in found), first)
