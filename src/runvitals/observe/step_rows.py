"""What a command logs as one row per step, whatever pieces it was read in."""

from __future__ import annotations

import numpy as np

from runvitals.diagnosis.live.view import MACHINE
from runvitals.model import PointTable, RowBlock


class StepRows:
    """Takes the rows that a table has gained; a step is complete when a later one has begun.

    So the rows follow from what was logged alone, not from how often somebody looked. Of several
    values of one name the last one counts, and what comes late for a step is left out.
    """

    def __init__(self) -> None:
        self._last = np.iinfo(np.int64).min  # step that was taken
        self._clock = 0.0

    def take(self, points: PointTable) -> list[RowBlock]:
        """The rows of the steps that were completed since the last call, in their order."""
        rows: dict[int, dict[str, tuple[float, float]]] = {}  # time and value, by step and name
        for name in points.names():
            if name.lower().startswith(MACHINE):
                continue
            steps, times, values = points.column(name)
            new = slice(int(np.searchsorted(steps, self._last, side="right")), None)
            for step, *point in zip(steps[new], times[new], values[new], strict=True):
                rows.setdefault(int(step), {})[name] = (float(point[0]), float(point[1]))
        complete = sorted(rows)[:-1]
        if complete:
            self._last = complete[-1]
        return [self._block(step, rows[step]) for step in complete]

    def _block(self, step: int, row: dict[str, tuple[float, float]]) -> RowBlock:
        """One row; its time never goes back, so that rows stay in the order of their steps."""
        times = [at for at, _ in row.values()]
        self._clock = float(np.nanmax([self._clock, *times]))
        values = np.array([[value for _, value in row.values()]])
        return RowBlock(tuple(row), np.array([step]), np.array([self._clock]), values)
