"""What a doctor looks at next: what other series did where something went wrong.

The answer is reported either way: a learning rate that did not change clears the schedule.
"""

from typing import NamedTuple

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.model.formatting import number
from runvitals.rules.learning_rate.used import LOGGED
from runvitals.rules.patient import Patient
from runvitals.signals.spikes import WINDOW

AROUND = 10  # points before it, in which a change may have led to it (judgement)
CHANGED = 1.5  # times, up or down: more than a schedule moves in so few points (judgement)
MIN_POINTS = 12  # of a series, to tell what is usual for it (judgement)
MIN_NEAR = 3  # points (judgement)
DROPPED = 0.5  # of the level before: a drop worth telling (judgement)
SPIKED = 2.0  # times the level before (judgement)


class Check(NamedTuple):
    """What a series did there, in words, and whether that makes it a suspect."""

    words: str
    suspect: bool
    series: str


def rate_at(patient: Patient, first: int, last: int) -> Check | None:
    """What the learning rate did from shortly before one step up to another; None if not logged."""
    rate = patient.find(*LOGGED)
    if rate is None:
        return None
    begin = max(0, int(np.searchsorted(rate.steps, first)) - AROUND)
    end = int(np.searchsorted(rate.steps, last, side="right"))
    window = rate.values[begin:end]
    if len(window) < 2 or float(window.min()) < 0:
        return None
    usual = float(np.median(rate.values[max(0, begin - AROUND) : begin + 1]))
    if float(np.ptp(window)) == 0 and float(window[0]) == usual:
        return Check(f"{rate.name} did not change there", False, rate.name)
    far = int(np.argmax(np.abs(window - usual)))
    value, step = float(window[far]), int(rate.steps[begin + far])
    if max(value, usual) > CHANGED * min(value, usual):
        verb = "rose" if value > usual else "fell"
        words = f"{rate.name} {verb} from {number(usual, 3)} to {number(value, 3)} at step {step:,}"
        return Check(words, True, rate.name)
    words = f"{rate.name} hardly changed there, from {number(usual, 3)} to {number(value, 3)}"
    return Check(words, False, rate.name)


def drop_before(series: Series, until: int) -> Check | None:
    """Whether a series had dropped by a step: its lowest level there against the usual one before.

    None where too little was logged before it.
    """
    before, near = _before_and_near(series, until)
    if not len(before) or not len(near):
        return None
    usual, now = float(np.median(before)), float(np.min(near))
    return _moved(series, "drop", "dropped", usual, now, usual > 0 and now < DROPPED * usual)


def spike_before(series: Series, until: int) -> Check | None:
    """Whether a series had spiked by a step: its highest point there against the usual level.

    None where too little was logged before it.
    """
    before, near = _before_and_near(series, until)
    if not len(before) or not len(near):
        return None
    usual, now = float(np.median(before)), float(np.max(near))
    far = now > max(SPIKED * usual, float(np.max(before)))
    return _moved(series, "spike", "spiked", usual, now, far)


def _moved(series: Series, verb: str, past: str, usual: float, now: float, did: bool) -> Check:
    was, is_ = number(usual, 3), number(now, 3)
    if did:
        return Check(f"{series.name} {past} from {was} to {is_}", True, series.name)
    return Check(f"{series.name} did not {verb} ({was}, then {is_})", False, series.name)


def _before_and_near(series: Series, until: int) -> tuple[FloatArray, FloatArray]:
    """The points long before a step, and those shortly before and at it: a quarter of what was seen."""
    end = int(np.searchsorted(series.steps, until, side="right"))
    if end < MIN_POINTS:
        return np.empty(0), np.empty(0)
    near = min(WINDOW, max(MIN_NEAR, end // 4))
    first, last = end - near, min(len(series), end + MIN_NEAR)
    return series.values[max(0, first - WINDOW) : first], series.values[first:last]
