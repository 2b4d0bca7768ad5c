"""Rules that ask whether a gain in reward is real."""

from dataclasses import dataclass

import numpy as np

from runvitals.model import Series
from runvitals.rules.detectors import SURE, Detection
from runvitals.signals.level import read_level

MIN_STRETCHES = 8  # of the run: fewer show a jump, but not a course


@dataclass(frozen=True)
class Change:
    """The levels at the start and at the end, and how sure a rise and a fall are."""

    series: Series
    start: float
    now: float
    rose: float
    fell: float

    @property
    def by(self) -> float:
        """How far it has come."""
        return self.now - self.start

    def found(self) -> Detection:
        """All of the run, to say it of."""
        last = len(self.series) - 1
        return Detection(
            self.series, 0, last, self.now, self.start, chance=max(self.rose, self.fell)
        )


def change_of(series: Series | None, least: float = 0.0) -> Change | None:
    """How far a series has come, and the chances that it is more than `least`; None if too short.

    Without `least` it is half the noise of a row.
    """
    if series is None or len(series) < MIN_STRETCHES:
        return None
    level, turned = read_level(series.values), read_level(-series.values)
    least = least or level.noise / 2
    start, now = float(np.median(level.start)), float(np.median(level.end))
    return Change(series, start, now, level.rose(least), turned.rose(least))


def is_rise(change: Change | None) -> bool:
    """True if it has surely risen."""
    return change is not None and change.rose >= SURE


def is_fall(change: Change | None) -> bool:
    """True if it has surely fallen."""
    return change is not None and change.fell >= SURE
