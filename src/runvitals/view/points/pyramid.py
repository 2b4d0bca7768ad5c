"""Lowest, highest and sum of a long series at many resolutions, so that no chart reads all points."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np

from runvitals.model import FloatArray

BLOCK = 64  # points in a block of the finest level
LONG = 1 << 15  # points from which on a pyramid pays
PIECE = 1 << 21  # points that are read at once to make one


class Values(Protocol):
    """Values of a series, in memory or in a file."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> FloatArray: ...


@dataclass(frozen=True)
class PyramidLevel:
    """Blocks of `stride` points each; a last block that is not full is left out."""

    stride: int
    low: FloatArray
    high: FloatArray
    total: FloatArray  # of finite values
    count: FloatArray  # of finite values
    first: FloatArray
    last: FloatArray

    def __len__(self) -> int:
        return len(self.low)


@dataclass(frozen=True)
class Pyramid:
    """Levels from fine to coarse, each with blocks twice as long."""

    levels: tuple[PyramidLevel, ...]

    @classmethod
    def over(cls, values: Values) -> Pyramid | None:
        """The pyramid of a series in which only NaN is not finite; None for a short one."""
        if len(values) < LONG:
            return None
        # what is left over, less than a block, is read from the points (`buckets.py`)
        end = len(values) // BLOCK * BLOCK
        pieces = [_finest(values[at : min(at + PIECE, end)]) for at in range(0, end, PIECE)]
        level = _joined(pieces)
        levels = [level]
        while len(level) >= 256:
            level = _coarser(level)
            levels.append(level)
        return cls(tuple(levels))

    def for_width(self, points: float) -> PyramidLevel | None:
        """The coarsest level with at least eight blocks in this many points."""
        fitting = [level for level in self.levels if 8 * level.stride <= points]
        return fitting[-1] if fitting else None


def _finest(values: FloatArray) -> PyramidLevel:
    blocks = values.reshape(-1, BLOCK)
    known = ~np.isnan(blocks)
    return PyramidLevel(
        BLOCK,
        np.fmin.reduce(blocks, axis=1),
        np.fmax.reduce(blocks, axis=1),
        np.where(known, blocks, 0.0).sum(axis=1),
        known.sum(axis=1).astype(np.float64),
        blocks[:, 0].copy(),
        blocks[:, -1].copy(),
    )


def _joined(levels: list[PyramidLevel]) -> PyramidLevel:
    if len(levels) == 1:
        return levels[0]
    names = [one.name for one in fields(PyramidLevel)][1:]
    return PyramidLevel(
        levels[0].stride,
        *(np.concatenate([getattr(level, name) for level in levels]) for name in names),
    )


def _coarser(level: PyramidLevel) -> PyramidLevel:
    pairs = len(level) // 2
    low, high, total, count, first, last = (
        column[: 2 * pairs].reshape(pairs, 2)
        for column in (level.low, level.high, level.total, level.count, level.first, level.last)
    )
    return PyramidLevel(
        2 * level.stride,
        np.fmin.reduce(low, axis=1),
        np.fmax.reduce(high, axis=1),
        total.sum(axis=1),
        count.sum(axis=1),
        first[:, 0],
        last[:, 1],
    )
