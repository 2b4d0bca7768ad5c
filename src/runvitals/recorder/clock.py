"""Times for rows: wall time that never goes back, whatever is done to the machine's clock."""

from __future__ import annotations

import time

AHEAD_SECONDS = 1.0  # by which the wall clock has to be ahead to be followed


class RunClock:
    """Unix seconds that pass like a stopwatch, begun with the wall clock.

    A clock that is set back is not followed. One that is far ahead is: the machine slept, or its clock
    was wrong at first.
    """

    def __init__(self) -> None:
        self.offset = time.time() - time.monotonic()

    def now(self) -> float:
        """The time of a row; `log` itself adds the offset, to spare the call."""
        return time.monotonic() + self.offset

    def follow(self) -> None:
        """Look at the wall clock; now and then will do."""
        ahead = time.time() - time.monotonic() - self.offset
        if ahead > AHEAD_SECONDS:
            self.offset += ahead
