"""Long series made short, the same way while a run lives and afterwards.

Kept are every 2^k-th point, counted from the first, the newest one, and the first few values that are
no numbers. Which points these are follows from the number of points alone, so series that were logged
together stay aligned.
"""

from __future__ import annotations

import numpy as np

from runvitals.model.row import FloatArray, IntArray

_BITS = 12
MAX_POINTS = 1 << _BITS  # that are kept by their place
MAX_ODD = 512  # NaN and infinite values that are kept wherever they stand


def stride_for(count: int) -> int:
    """The power of two that leaves at most `MAX_POINTS` of this many points.

    >>> stride_for(4096), stride_for(4097), stride_for(10_000)
    (1, 2, 4)
    """
    return 1 << max(0, (count - 1).bit_length() - _BITS)


def kept(values: FloatArray) -> IntArray:
    """Which points of a whole series are kept, by index."""
    keep = np.zeros(len(values), bool)
    keep[:: stride_for(len(values))] = True
    keep[-1:] = True
    keep[np.flatnonzero(~np.isfinite(values))[:MAX_ODD]] = True
    return np.flatnonzero(keep)


class ThinSeries:
    """A series that grows point by point and holds what `kept` would keep of it.

    >>> series = ThinSeries()
    >>> for i in range(10_000):
    ...     series.add(np.array([i]), np.array([0.0]), np.array([float(i)]))
    >>> [len(column) for column in series.columns()]
    [2501, 2501, 2501, 2501]
    """

    def __init__(self) -> None:
        self.count = 0
        self._odd = 0
        self._stride = 1
        self._size = 0
        self._index = np.empty(16, np.int64)
        self._steps = np.empty(16, np.int64)
        self._times = np.empty(16, np.float64)
        self._values = np.empty(16, np.float64)
        self._newest: tuple[int, float, float] = (0, 0.0, 0.0)

    def add(self, steps: IntArray, times: FloatArray, values: FloatArray) -> None:
        """Take in the next points, at least one."""
        first = self.count
        self.count += len(steps)
        self._newest = int(steps[-1]), float(times[-1]), float(values[-1])
        stride = stride_for(self.count)
        if stride > self._stride:
            self._thin(stride)
        odd = ~np.isfinite(values)
        if odd.any():
            index = np.arange(first, self.count)
            early = self._odd + np.cumsum(odd) <= MAX_ODD
            self._odd += int(odd.sum())
            take = (index % stride == 0) | (odd & early)
            self._append(index[take], steps[take], times[take], values[take])
        elif (begin := -first % stride) < len(steps):
            mine = slice(begin, None, stride)
            index = np.arange(first + begin, self.count, stride)
            self._append(index, steps[mine], times[mine], values[mine])

    def _append(
        self, index: IntArray, steps: IntArray, times: FloatArray, values: FloatArray
    ) -> None:
        begin, end = self._size, self._size + len(index)
        while end > len(self._index):
            self._resize(2 * len(self._index))
        self._index[begin:end] = index
        self._steps[begin:end] = steps
        self._times[begin:end] = times
        self._values[begin:end] = values
        self._size = end

    def _resize(self, capacity: int) -> None:
        columns = self._index, self._steps, self._times, self._values
        self._index, self._steps, self._times, self._values = (
            np.concatenate([c[: self._size], np.empty(capacity - self._size, c.dtype)])
            for c in columns
        )

    def _thin(self, stride: int) -> None:
        self._stride = stride
        now = slice(0, self._size)
        odd = ~np.isfinite(self._values[now])
        keep = (self._index[now] % stride == 0) | (odd & (np.cumsum(odd) <= MAX_ODD))
        kept = int(keep.sum())
        for column in (self._index, self._steps, self._times, self._values):
            column[:kept] = column[now][keep]
        self._size = kept

    def columns(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
        """Copies of the places (from 0), steps, times and values that are kept."""
        size = self._size
        steps, times, values = self._steps[:size], self._times[:size], self._values[:size]
        if size and self._index[size - 1] == self.count - 1:
            return self._index[:size].copy(), steps.copy(), times.copy(), values.copy()
        step, time, value = self._newest
        return (
            np.append(self._index[:size], self.count - 1),
            np.append(steps, step),
            np.append(times, time),
            np.append(values, value),
        )
