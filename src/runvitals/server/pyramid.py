"""Lowest, highest and sum of a long series at many resolutions, so that no chart reads all points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray

BLOCK = 64  # points in a block of the finest level
LONG = 1 << 15  # points from which on a pyramid pays


@dataclass(frozen=True)
class Level:
    """Blocks of `stride` points each; a last block that is not full is left out."""

    stride: int
    low: FloatArray
    high: FloatArray
    total: FloatArray  # of finite values
    count: FloatArray  # of finite values


@dataclass(frozen=True)
class Pyramid:
    """Levels from fine to coarse, each with blocks twice as long."""

    levels: tuple[Level, ...]

    @classmethod
    def over(cls, values: FloatArray) -> Pyramid | None:
        """The pyramid of a series in which only NaN is not finite; None for a short one."""
        if len(values) < LONG:
            return None
        blocks = values[: len(values) // BLOCK * BLOCK].reshape(-1, BLOCK)
        known = ~np.isnan(blocks)
        level = Level(
            BLOCK,
            np.fmin.reduce(blocks, axis=1),
            np.fmax.reduce(blocks, axis=1),
            np.where(known, blocks, 0.0).sum(axis=1),
            known.sum(axis=1).astype(np.float64),
        )
        levels = [level]
        while len(level.low) >= 256:
            level = _coarser(level)
            levels.append(level)
        return cls(tuple(levels))

    def for_width(self, points: float) -> Level | None:
        """The coarsest level with at least eight blocks in so many points."""
        fitting = [level for level in self.levels if 8 * level.stride <= points]
        return fitting[-1] if fitting else None


def _coarser(level: Level) -> Level:
    pairs = len(level.low) // 2
    low, high, total, count = (
        column[: 2 * pairs].reshape(pairs, 2)
        for column in (level.low, level.high, level.total, level.count)
    )
    return Level(
        2 * level.stride,
        np.fmin.reduce(low, axis=1),
        np.fmax.reduce(high, axis=1),
        total.sum(axis=1),
        count.sum(axis=1),
    )
