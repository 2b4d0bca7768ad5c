"""Running means since the start of a run, and the series behind them.

A mean over all episodes so far hides what happens now, and rises or falls long after the episodes have
stopped to do so. Its steps shrink as 1/n, and what it was made of can be told from it.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from runvitals.model.row import FloatArray

MIN_POINTS = 40  # to see steps shrink
# Of the rows: single episodes of the other sign than all means; and beyond 0 and 1, by so much, what
# the log rounds off (judgement: of 700 training series of public logs and made runs one more is taken
# for such a mean with these, and it is called `running_reward_mean`)
A_FEW, ROUNDED = 0.02, 0.02
SLOPE = (
    -1.35,
    -0.65,
)  # of their size against the number of the row, both as logarithms; -1 is exact
# differences of independent rows correlate at -0.5; those of plain noise come nearer to -0.67
MAX_ALTERNATING = -0.52  # less two standard errors
APART = -0.25  # halfway between rows on their own (-0.5) and a moving mean (0)
UNEVEN = 4.0  # times that the rows of one stretch may stray more than those of another (judgement)
# How far the size of the last steps may be off what 1/n makes of those before, as a logarithm: three
# standard errors of a ratio of two mean absolute values of this many normal numbers
AT_LAST = 3.3
BEYOND = 0.1  # by which rounding may move a hit or miss
NEARLY_ALL, MIN_HITS = 0.95, 3
PIECES, MIN_PIECE = 6, 4  # stretches of a series, and rows in one that has a spread (judgement)
MIN_ROWS = 3  # before that a mean over all rows is hardly one
HALF = 0.5  # of a hit: what is farther off 0 and 1 is none
DECIMALS, TEN = 9, 10.0  # that a log may be rounded to; 32 bits hold 7


def behind_running_mean(values: FloatArray) -> FloatArray | None:
    """The rows whose mean up to each row is this series; None if it does not look like such a mean."""
    n = len(values)
    if n < MIN_POINTS or not np.isfinite(values).all():
        return None
    count = np.arange(1, n + 1, dtype=np.float64)
    rows = np.concatenate([values[:1], count[1:] * values[1:] - count[:-1] * values[:-1]])
    if values.min() >= 0 and values.max() <= 1:
        if _are_hits(rows):
            return rows
        if float(((rows < -ROUNDED) | (rows > 1 + ROUNDED)).mean()) > A_FEW:
            return None  # what is behind a mean of shares are shares
        rows = np.clip(rows, 0.0, 1.0)
    steps = np.abs(np.diff(values, 2))  # of second order: a rise of the rows does not shrink
    edges = np.unique(np.geomspace(MIN_ROWS, n - 2, PIECES + 1).astype(int))
    if len(edges) < PIECES:
        return None
    sizes = np.array([steps[a:b].mean() for a, b in itertools.pairwise(edges)])
    if not (sizes > 0).all():
        return None
    middle = np.sqrt(edges[:-1] * edges[1:])
    slope = float(np.polyfit(np.log(middle), np.log(sizes), 1)[0])
    if not SLOPE[0] <= slope <= SLOPE[1]:
        return None
    shrink = float(sizes[-1] / sizes[-2] * middle[-1] / middle[-2])
    if abs(math.log(shrink)) > AT_LAST / math.sqrt(np.diff(edges)[-2]):
        return None
    if _rounded_away(values, rows) or _breaks_sign(values, rows, A_FEW):
        return None
    if not np.ptp(np.diff(rows)) > 0:
        return None
    correlation = alternating(rows)
    least = MAX_ALTERNATING - 1.0 / math.sqrt(n)
    return rows if correlation >= least and _unevenness(rows) <= UNEVEN else None


def behind_window(values: FloatArray, counts: FloatArray, window: float) -> FloatArray | None:
    """The mean of what is new in each row, of a series that is a mean over the last `window` episodes.

    `counts`: how many episodes there were by each row. None if they do not grow, or if the rows would
    swing to and fro: then it is a mean over something else.

    >>> behind_window(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), 100.0)
    array([1., 3., 5.])
    """
    new = np.diff(counts, prepend=0.0)
    if len(values) < MIN_ROWS or len(values) != len(counts) or not (new > 0).all():
        return None
    rows = np.empty(len(values))
    for k, (mean, fresh) in enumerate(zip(values, new, strict=True)):
        total = min(counts[k], window)
        left, known = total - fresh, 0.0
        for earlier in range(k - 1, -1, -1):
            if left <= 0:
                break
            taken = min(left, new[earlier])
            known += taken * rows[earlier]
            left -= taken
        rows[k] = (mean * total - known) / min(fresh, total)
    swings = alternating(rows) < MAX_ALTERNATING - 1.0 / math.sqrt(len(rows))
    return None if swings or _breaks_sign(values, rows) else rows


def stand_apart(values: FloatArray) -> bool:
    """Whether each row strays by itself, so that the rows cannot be means over one moving window.

    Differences of rows that have nothing in common correlate by -0.5 with the next: what one row is too
    high goes up to it and down again. Those of a moving mean do not correlate, as each comes from
    episodes of its own. Halfway between the two is where either is as likely.

    >>> stand_apart(np.array([1.0, 3.0, 1.0, 4.0, 1.0, 3.0])), stand_apart(np.arange(6.0) ** 2)
    (True, False)
    """
    return alternating(values) < APART


def alternating(rows: FloatArray) -> float:
    """The correlation of one difference with the next; 0 if nothing differs."""
    rest = np.diff(rows)
    rest = rest - rest.mean()
    power = float(rest @ rest)
    return float(rest[1:] @ rest[:-1]) / power if power > 0 else 0.0


def _are_hits(rows: FloatArray) -> bool:
    """Whether nearly all rows are 0 or 1, and there are both: a mean of hits and misses."""
    near = np.round(rows)
    hits = (np.abs(rows - near) <= BEYOND) & ((near == 0) | (near == 1))
    both = int((near == 1).sum()), int((near == 0).sum())
    possible = rows.min() >= -HALF and rows.max() <= 1 + HALF
    return possible and float(hits.mean()) >= NEARLY_ALL and min(both) >= MIN_HITS


def _unevenness(rows: FloatArray) -> float:
    """How much wider the rows of one stretch stray than those of another, the first ones too.

    The first rows of a mean since the start are hardly averaged. Those of a smooth curve that settles
    by itself are not wild, and what would be behind it grows wilder with every row.
    """
    edges = np.unique(np.geomspace(2, len(rows), PIECES).astype(int))
    pieces = np.split(np.diff(rows), edges[:-1])
    wide = [float(np.std(piece)) for piece in pieces if len(piece) >= MIN_PIECE]
    if min(wide) <= 0:
        return math.inf
    return max(wide) / min(wide)


def _breaks_sign(values: FloatArray, rows: FloatArray, few: float = 0.0) -> bool:
    """Whether what would be behind a series of one sign has the other, in more than a few rows.

    Single episodes may well have it although no mean of them does.
    """
    size = BEYOND * float(np.abs(values).max())
    if float(values.min()) >= 0:
        return float((rows < -size).mean()) > few
    return float(values.max()) <= 0 and float((rows > size).mean()) > few


def _rounded_away(values: FloatArray, rows: FloatArray) -> bool:
    """Whether the log keeps too few decimals to tell the rows from their sum."""
    near = np.abs(values[values != 0])
    if not len(near):
        return True
    for places in range(DECIMALS):
        if np.allclose(values * TEN**places, np.round(values * TEN**places), rtol=0, atol=1e-6):
            return len(values) * TEN**-places > float(np.std(rows))
    return False
