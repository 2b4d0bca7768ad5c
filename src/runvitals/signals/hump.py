"""The best fit that goes up and then down: few points show a turn by it, and how far they stray."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from runvitals.model.row import FloatArray


class Hump(NamedTuple):
    """A curve that rises to its top and falls from there."""

    curve: FloatArray
    noise: float  # how far one point strays from it; 0 if every point lies on it
    spare: int  # points beyond the levels that the curve has: what the noise is measured with

    @property
    def rise(self) -> float:
        """From the first point to the top."""
        return float(self.curve.max() - self.curve[0])

    @property
    def fall(self) -> float:
        """From the top to the last point."""
        return float(self.curve.max() - self.curve[-1])

    @property
    def after(self) -> int:
        """How many points at the end are nearer to the last level than to the top."""
        half = (float(self.curve.max()) + float(self.curve[-1])) / 2.0
        return len(self.curve) - 1 - int(np.flatnonzero(self.curve >= half)[-1])


def hump(values: FloatArray) -> Hump:
    """The unimodal curve of least squares (pooling of adjacent violators, from both ends).

    >>> hump(np.array([1.0, 3.0, 5.0, 4.0, 2.0])).fall
    3.0
    """
    ahead, behind = _errors(values), _errors(values[::-1])[::-1]
    top = int(np.argmin(ahead + behind))
    curve = np.concatenate([_rising(values[:top]), _rising(values[top:][::-1])[::-1]])
    levels = 1 + int(np.count_nonzero(np.diff(curve)))
    spare = len(values) - levels
    squares = float(np.square(values - curve).sum())
    return Hump(curve, math.sqrt(squares / spare) if spare else 0.0, spare)


def _errors(values: FloatArray) -> FloatArray:
    """Squared errors of the best rising curve through the first 0, 1, 2, ... values."""
    errors = [0.0]
    blocks: list[tuple[float, float, int]] = []  # sum, squares, size
    total = 0.0
    for value in values.tolist():
        block = (value, value * value, 1)
        while blocks and blocks[-1][0] * block[2] >= block[0] * blocks[-1][2]:
            last = blocks.pop()
            total -= _error(last)
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
        total += _error(block)
        errors.append(total)
    return np.array(errors)


def _error(block: tuple[float, float, int]) -> float:
    total, squares, size = block
    return max(squares - total * total / size, 0.0)


def _rising(values: FloatArray) -> FloatArray:
    """The best rising curve."""
    means: list[float] = []
    sizes: list[int] = []
    for value in values.tolist():
        mean, size = value, 1
        while means and means[-1] >= mean:
            mean = (means[-1] * sizes[-1] + mean * size) / (sizes[-1] + size)
            size += sizes.pop()
            means.pop()
        means.append(mean)
        sizes.append(size)
    return np.repeat(np.array(means, np.float64), np.array(sizes, np.int64))
