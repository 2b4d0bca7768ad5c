"""After which rows a run that may be stopped is judged: this follows from the rows alone.

How fast they come, how they are cut into blocks and how busy the machine is makes no difference, so the
same rows lead to the same decisions. Looks grow rarer with the run, which bounds what they cost: 20 for
the first 320 rows, then 47 each time the run has grown tenfold, and one for each doubling of the rows
over which losses are not finite.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from runvitals.model import RowBlock

MIN_ROWS = 16  # before the first look, and between two
GROWTH = 0.05  # of the run between two looks, as for a warning to be believed (`open_findings.py`)


class Checkpoints:
    """Counts rows and says where to look."""

    def __init__(self) -> None:
        self._rows = 0
        self._next = MIN_ROWS
        self._alarm_after, self._alarm_gap = 0, MIN_ROWS

    def among(self, alarming: npt.NDArray[np.bool_]) -> list[int]:
        """After how many of these new rows to look; a row that alarms is looked at early.

        >>> calm = np.zeros(100, bool)
        >>> Checkpoints().among(calm)
        [16, 32, 48, 64, 80, 96]
        """
        before, self._rows = self._rows, self._rows + len(alarming)
        found = set()
        while self._next <= self._rows:
            found.add(self._next - before)
            self._next += max(MIN_ROWS, int(GROWTH * self._next))
        for row in (np.flatnonzero(alarming) + 1).tolist():
            if before + row > self._alarm_after:
                found.add(row)
                self._alarm_after = before + row + self._alarm_gap
                self._alarm_gap *= 2
        return sorted(found)


def in_order(blocks: Sequence[RowBlock]) -> list[npt.NDArray[np.int64]]:
    """For each block, the places of its rows among all of them in the order they were logged.

    Blocks hold the rows of one set of names each; the time of a row never goes back.
    """
    times = np.concatenate([block.times for block in blocks])
    places = np.empty(len(times), np.int64)
    places[np.argsort(times, kind="stable")] = np.arange(len(times))
    return np.split(places, np.cumsum([len(block) for block in blocks])[:-1])
