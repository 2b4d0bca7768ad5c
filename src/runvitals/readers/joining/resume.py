"""Whether a log goes on where another stopped: the run was resumed, and wrote to a new file."""

from __future__ import annotations

import numpy as np

from runvitals.model import PointTable

SHARED_NAMES = 0.5  # of the log that has fewer
MAX_AHEAD = 20  # usual distances between two points that may be missing
MIN_DONE = 0.1  # of the first log's steps: a log that begins earlier starts over


def continues(earlier: PointTable, later: PointTable) -> bool:
    """Whether the second table begins where the first one ended, or shortly before: names agree, and
    the steps go on. Steps that are logged again are those after the last checkpoint.
    """
    mine, theirs = set(earlier.names()), set(later.names())
    shared = mine & theirs
    if not shared or len(shared) < SHARED_NAMES * min(len(mine), len(theirs)):
        return False
    # the longest series know best where the run stood; eight of them outvote a counter that starts over
    longest = sorted(shared, key=lambda name: -earlier.size(name))[:8]
    votes = [_goes_on(*(table.clock(name) for table in (earlier, later))) for name in longest]
    return 2 * sum(votes) > len(votes)


def _goes_on(earlier: tuple[np.ndarray, np.ndarray], later: tuple[np.ndarray, np.ndarray]) -> bool:
    (steps, times), (more, their_times) = earlier, later
    if len(steps) < 2 or not len(more):
        return False
    first, last, begin = int(steps[0]), int(steps[-1]), int(more[0])
    usual = float(np.median(np.diff(steps))) or 1.0
    if not first + MIN_DONE * (last - first) < begin <= last + MAX_AHEAD * usual:
        return False
    if int(more[-1]) <= first:
        return False
    # a log that begins before the other one did cannot have followed it, whatever its steps are
    known, after = times[np.isfinite(times)], their_times[np.isfinite(their_times)]
    return not len(known) or not len(after) or float(after[0]) >= float(known[0])
