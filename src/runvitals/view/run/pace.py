"""How fast a run goes: its newest rows, and the steps per second around them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model import Run

PACE_POINTS = (
    30  # rows: enough to even out single slow ones, few enough to be the present (judgement)
)


class NewestRows(NamedTuple):
    """When something was logged last (Unix seconds), and the pace around that time; NaN if unknown."""

    time: float = math.nan
    steps_per_second: float = math.nan


def newest_rows(run: Run) -> NewestRows:
    """By the series that training itself logged last: the host is sampled even while it hangs."""
    found = NewestRows()
    for name in run.names():
        if name.lower().startswith("system/"):
            continue
        steps, times = run.points.clock(name)
        if not len(times) or not np.isfinite(times[-1]) or times[-1] <= found.time:
            continue
        begin = max(0, len(times) - PACE_POINTS)
        newest = float(times[-1])
        taken = newest - float(times[begin])
        rate = float(steps[-1] - steps[begin]) / taken if taken > 0 else math.nan
        found = NewestRows(newest, rate)
    return found
