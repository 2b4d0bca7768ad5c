"""Whether values come in order of size: Kendall's test, exact for few points."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from runvitals.model.row import FloatArray

BEYOND, SHARE = 5, 18.0  # of Kendall's formula
MIN_HITS = 3  # rows, whose order is more than one pair's
MAX_EXACT = 24  # points; beyond that the normal approximation is as good


def chance_of_order(values: FloatArray) -> tuple[float, float]:
    """How often chance alone would make the values rise, and fall, at least so steadily.

    Exact for up to 24 values that are independent of each other; ties speak for neither.

    >>> [round(p, 4) for p in chance_of_order(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))]
    [0.0083, 1.0]
    """
    values = np.asarray(values, np.float64)
    n = len(values)
    if n < 2:
        return 1.0, 1.0
    score = int(np.sign(values[None, :] - values[:, None])[_pairs(n)].sum())
    if n > MAX_EXACT:
        deviation = math.sqrt(score_variance(n))
        return tuple(  # type: ignore[return-value]
            math.erfc((way * score - 1) / deviation / math.sqrt(2.0)) / 2 for way in (1, -1)
        )
    return _at_least(n, score), _at_least(n, -score)


def score_variance(n: FloatArray | int) -> float:
    """Of the pairs in order less those out of order among n values in random order (Kendall 1975).

    Of groups of ties, what all of them take from it.
    """
    return float(np.sum(n * (n - 1) * (2 * n + BEYOND) / SHARE))


def order_of_hits(values: FloatArray) -> float:
    """How many standard deviations hits come more often later (above 0) or earlier than by chance.

    The test of Cochran and Armitage for a trend in shares, with the row as the dose. Hits that come in
    streaks count for fewer.

    >>> round(order_of_hits(np.array([0.0] * 10 + [1.0] * 10)), 1)
    2.0
    """
    n = len(values)
    time = np.arange(n) - (n - 1) / 2.0
    off = np.asarray(values, np.float64) - values.mean()
    power, spread = float(off @ off), float(time @ time)
    if n < MIN_HITS or power <= 0:
        return 0.0
    slope = float(off @ time) / spread
    rest = off - slope * time
    left = float(rest @ rest)
    streaks = max(0.0, float(rest[1:] @ rest[:-1]) / left) if left > 0 else 0.0
    counts = (n - 1) * (1.0 - streaks) / (1.0 + streaks)
    return slope * math.sqrt(spread / power * counts)


@lru_cache(maxsize=2 * MAX_EXACT)
def _pairs(n: int) -> NDArray[np.bool_]:
    """Which places of a table are pairs of an earlier row and a later column."""
    return np.triu(np.ones((n, n), np.bool_), 1)


@lru_cache(maxsize=8192)
def _at_least(n: int, score: int) -> float:
    """The chance of this many more pairs in order than out of order."""
    pairs = n * (n - 1) // 2
    out_of_order = min((pairs - score) // 2, pairs)
    return float(_by_pairs_out_of_order(n)[: out_of_order + 1].sum())


@lru_cache(maxsize=MAX_EXACT)
def _by_pairs_out_of_order(n: int) -> FloatArray:
    """The chance of 0, 1, 2, ... pairs out of order among n values in random order."""
    chances = np.ones(1)
    for size in range(2, n + 1):
        chances = np.convolve(chances, np.full(size, 1.0 / size))
    return chances
