"""The parts of a reward, and which of them is the one that matters."""

from __future__ import annotations

import re

import numpy as np

from runvitals.model import Series
from runvitals.rules.patient import Patient

MAIN = re.compile(r"accura|correct|success|solve|answer|task|goal|exact|main|outcome|pass", re.I)
SIDE = re.compile(
    r"format|length|style|shap|bonus|penalt|xml|tag|think|soft|polite|brevity|repeti|speed|coin",
    re.I,
)
UNNAMED = re.compile(r"^(?:\w+/)?rewards?/[^/]+(?:/mean)?$", re.I)


def parts_of(patient: Patient, least: int) -> list[Series]:
    """The logged parts with so many points; where none is known as one, what is filed under reward."""
    known = patient.all("reward/component_mean")
    if not known:
        known = [
            series.finite()
            for name in patient.run.names()
            if UNNAMED.match(name)
            and (series := patient.raw(name)) is not None
            and series.metric is None
        ]
    return [series for series in known if len(series) >= least]


def name_of(series: Series) -> str:
    """What a part is called in the log."""
    return series.labels.get("component", series.name)


def is_main(series: Series, main: str | None) -> bool:
    """Whether a part is the goal itself, by its name or because the user says so."""
    return main in name_of(series) if main else bool(MAIN.search(name_of(series)))


def late_level(series: Series) -> float:
    """The median of the last fifth."""
    return float(np.median(series.values[-max(3, len(series) // 5) :]))
