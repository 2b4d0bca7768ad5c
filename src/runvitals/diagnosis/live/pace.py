"""When to look, so that judging stays a small share of one core."""

import time

SHARE = 0.005  # of one core
FIRST_SECONDS = 10.0  # after the first rows
MIN_SECONDS = 5.0  # between two looks
MAX_SECONDS = 600.0
EARLY_SECONDS = 3.0  # until a look that something alarming asked for; doubles each time
REST = 4.0  # times as long as it worked, a look rests after each rule
MAX_REST = 0.1  # seconds


class Pace:
    """Says how long to wait before the next look, from what the last one cost."""

    def __init__(self) -> None:
        self._next = time.monotonic() + FIRST_SECONDS
        self._early_after = EARLY_SECONDS
        self._last_early = -float("inf")

    def seconds_left(self) -> float:
        """Until the next look."""
        return max(0.0, self._next - time.monotonic())

    def hurry(self) -> None:
        """Look soon, since something alarming was logged; repeated calls have less and less effect."""
        now = time.monotonic()
        if now - self._last_early >= self._early_after:
            self._last_early = now
            self._early_after *= 2.0
            self._next = min(self._next, now + 1.0)

    def looked(self, cpu_seconds: float, *, behind: bool = False) -> None:
        """Note that a look is over and its CPU time; `behind`: another one is already due.

        Then it comes at once: looks at a number of rows are few, and rest after each rule.
        """
        wait = min(max(cpu_seconds / SHARE, MIN_SECONDS), MAX_SECONDS)
        self._next = time.monotonic() + (0.0 if behind else wait)


class Rests:
    """Short sleeps within a look, so that the training loop never waits long for the interpreter."""

    def __init__(self) -> None:
        self._since = time.thread_time()

    def rest(self) -> None:
        """Sleep in proportion to the work done since the last rest."""
        worked = time.thread_time() - self._since
        if worked > 0.001:
            time.sleep(min(REST * worked, MAX_REST))
            self._since = time.thread_time()
