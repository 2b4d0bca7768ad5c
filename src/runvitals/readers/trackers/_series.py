"""Series that come one by one, each with steps of its own, as trackers store them."""

import math
from array import array
from collections.abc import Collection

import numpy as np

from runvitals.model import FloatArray, IntArray, ReadError, RowBlock
from runvitals.readers.log import Blocks, Log
from runvitals.readers.rows.table import MAX_COLUMNS, MAX_STEP


class SeriesTails:
    """Makes blocks of single series, and knows where each of them ended.

    A step that falls back is a resume and starts a segment, unless that happens all the time: then
    several writers were at it, and the points are only put in order. A series whose steps are all 0
    was logged without steps and is counted from 0.
    """

    def __init__(self) -> None:
        self.uncounted: set[str] = set()  # names without steps
        self.disordered: set[str] = set()
        self._ends: dict[str, tuple[int, int, int]] = {}  # segment, last step, points

    def blocks(self, name: str, steps: IntArray, times: FloatArray, values: FloatArray) -> Blocks:
        """The blocks of points in log order."""
        if not len(steps):
            return []
        segment, last, count = self._ends.get(name, (1, int(steps[0]), 0))
        if name in self.uncounted or (count == 0 and len(steps) > 1 and not steps.any()):
            self.uncounted.add(name)
            steps = np.arange(count, count + len(steps))
        falls = np.empty(len(steps), np.bool_)
        falls[0] = steps[0] < last
        np.less(steps[1:], steps[:-1], out=falls[1:])
        if falls.sum() > max(8, 0.05 * len(steps)):
            self.disordered.add(name)
            falls = np.zeros(len(steps), np.bool_)
        if not falls.any():
            self._ends[name] = (segment, int(steps[-1]), count + len(steps))
            return [(segment, RowBlock((name,), steps, times, values.reshape(-1, 1)))]
        segments = segment + np.cumsum(falls)
        self._ends[name] = (int(segments[-1]), int(steps[-1]), count + len(steps))
        blocks: Blocks = []
        for number in np.unique(segments).tolist():
            chosen = segments == number
            column = values[chosen].reshape(-1, 1)
            blocks.append((number, RowBlock((name,), steps[chosen], times[chosen], column)))
        return blocks

    def warnings(self) -> list[str]:
        """What was odd so far."""
        found = []
        if self.uncounted:
            names = some_of(self.uncounted)
            found.append(f"logged without steps, points are counted from 0: {names}")
        if self.disordered:
            found.append(f"steps are in no order and were sorted: {some_of(self.disordered)}")
        resumes = max((end[0] for end in self._ends.values()), default=1) - 1
        if resumes:
            found.append(f"the run was resumed {resumes} times")
        return found


def some_of(names: Collection[str]) -> str:
    """The first few names."""
    return ", ".join(sorted(names)[:3]) + (", ..." if len(names) > 3 else "")


class NamedPoints:
    """Numbers of many names as they come, each with its step and time, gathered into blocks."""

    def __init__(self) -> None:
        self.tails = SeriesTails()
        self.columns: dict[str, tuple[array[int], array[float], array[float]]] = {}

    def put(self, name: str, step: float, time: float | None, value: float) -> bool:
        """Adds a point; False if its step is impossible or there are too many names."""
        if not math.isfinite(step) or abs(step) > MAX_STEP:
            return False
        columns = self.columns.get(name)
        if columns is None:
            if len(self.columns) >= MAX_COLUMNS:
                return False
            columns = self.columns[name] = array("q"), array("d"), array("d")
        steps, times, values = columns
        steps.append(int(step))
        times.append(math.nan if time is None else time)
        values.append(value)
        return True

    def blocks(self) -> Blocks:
        """What came since the last call."""
        gathered, self.columns = self.columns, {}
        blocks: Blocks = []
        for name, (steps, times, values) in gathered.items():
            blocks += self.tails.blocks(
                name,
                np.frombuffer(steps, np.int64),
                np.frombuffer(times, np.float64),
                np.frombuffer(values, np.float64),
            )
        return blocks

    def into(self, log: Log) -> Log:
        """Moves the points into a log, with warnings; raises `ReadError` if there are none."""
        if not self.columns:
            raise ReadError(log.path, "no metrics were logged")
        log.add(self.blocks())
        log.warnings += self.tails.warnings()
        return log
