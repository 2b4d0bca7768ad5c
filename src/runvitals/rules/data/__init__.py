"""Rules about the log itself: settings, names, steps, and what is missing."""

import math
from typing import Any

from runvitals.model import Run
from runvitals.rules.patient import Patient

MAX_VALUE = 1e300  # what is larger is a mark for infinity, and overflows with the next factor


def as_number(value: Any) -> float | None:
    """A setting as a finite number, even if it was logged as text; None if it is not a number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float) or abs(value) > MAX_VALUE:
        return None
    return float(value) if math.isfinite(value) else None


def raw_number(run: Run, *keys: str) -> float | None:
    """A number of the config by the end of its key, for settings that the catalog does not know."""
    for key, value in run.config.items():
        end = str(key).replace("/", ".").rpartition(".")[2].lower()
        if end in keys and (number := as_number(value)) is not None:
            return number
    return None


def restarts(run: Run, name: str) -> list[int]:
    """The first step of each restart of the process, as one series shows it."""
    return [first for first, _, _ in run.points.lives(name)[1:]]


def any_series(patient: Patient) -> str:
    """The name of the series with the most points, for what concerns the whole run."""
    run = patient.run
    names = [name for name in run.names() if not name.lower().startswith("system/")]
    return max(names or run.names(), key=lambda n: len(run.points.clock(n)[0]), default="")
