"""The curves of some metrics in bounded memory, however long the run."""

from __future__ import annotations

import numpy as np

from runvitals.model import FloatArray

BINS = 64


class History:
    """Metrics that are logged together: their last values, extremes, and curves of `BINS` means.

    When the bins are full, neighbours are joined, so a curve always spans the whole run.
    """

    def __init__(self, count: int) -> None:
        self.rows = 0
        self.stamp = 0  # when it was last added to; its owner counts
        self.last: FloatArray = np.full(count, np.nan)
        self.low: FloatArray = np.full(count, np.nan)
        self.high: FloatArray = np.full(count, np.nan)
        self._stride = 1
        self._sums: FloatArray = np.zeros((BINS, count))
        self._counts: FloatArray = np.zeros((BINS, count))

    def add(self, values: FloatArray) -> None:
        """Take rows in, one column per metric."""
        n = len(values)
        while (self.rows + n - 1) // self._stride >= BINS:
            self._join_neighbours()
        bins = (self.rows + np.arange(n)) // self._stride
        starts = np.flatnonzero(np.diff(bins, prepend=-1))
        finite = np.isfinite(values)
        with np.errstate(over="ignore", invalid="ignore"):
            known = values if finite.all() else np.where(finite, values, 0.0)
            self._sums[bins[starts]] += np.add.reduceat(known, starts)
        self._counts[bins[starts]] += np.add.reduceat(finite.astype(np.float64), starts)
        self.low = np.fmin(self.low, np.fmin.reduce(values))
        self.high = np.fmax(self.high, np.fmax.reduce(values))
        self.last = values[-1].copy()
        self.rows += n

    def curve(self, column: int) -> FloatArray:
        """Means of equally many rows each, oldest first; NaN where nothing finite was logged."""
        used = -(-self.rows // self._stride)
        counts = self._counts[:used, column]
        means = np.full(used, np.nan)
        np.divide(self._sums[:used, column], counts, out=means, where=counts > 0)
        return means

    def _join_neighbours(self) -> None:
        for bins in (self._sums, self._counts):
            bins[: BINS // 2] = bins[0::2] + bins[1::2]
            bins[BINS // 2 :] = 0.0
        self._stride *= 2


def trend(curve: FloatArray) -> int:
    """1 when the last quarter of a curve lies clearly above the quarter before, -1 when below.

    >>> trend(np.arange(20.0)), trend(-np.arange(20.0)), trend(np.ones(20)), trend(np.arange(3.0))
    (1, -1, 0, 0)
    """
    known = curve[np.isfinite(curve)]
    quarter = len(known) // 4
    if quarter < 2:
        return 0
    new, old = known[-quarter:], known[-2 * quarter : -quarter]
    with np.errstate(over="ignore", invalid="ignore"):
        change = new.mean() - old.mean()
        noise = np.sqrt((new.var() + old.var()) / quarter)
        span = known.max() - known.min()
    if not abs(change) > max(1.5 * noise, 0.03 * span):
        return 0
    return 1 if change > 0 else -1
