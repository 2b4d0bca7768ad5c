"""Many ranks in one chart: the range over all of them, and which of them are worth a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from runvitals.model import FloatArray, IntArray, PointTable, Run

OfRanks = Literal["lowest", "median", "highest"]
OF_RANKS: tuple[OfRanks, ...] = get_args(OfRanks)
MANY_RANKS = 24  # more than these are not told apart by colour: then a band stands for all
MAX_CHOSEN = 8  # ranks that a chart of many shows one by one
SAMPLED_STEPS = 64  # of each rank, to find which lie highest and lowest
MAX_CELLS = 8_000_000  # ranks times steps that are compared at once: 64 MB


@dataclass(frozen=True)
class RankSpread:
    """At each step the lowest and the highest value of any rank, and the median over ranks."""

    steps: IntArray
    times: FloatArray  # of the lowest rank
    lowest: FloatArray
    median: FloatArray
    highest: FloatArray

    def of(self, which: OfRanks) -> FloatArray:
        """One of the three."""
        found: FloatArray = getattr(self, which)
        return found


def spread_of(run: Run, name: str) -> RankSpread:
    """The range over all ranks that logged a name. Values that are not finite are left out.

    Where there are too many steps for that, a stretch of them becomes one: the lowest and highest
    value are those of the whole stretch, the median is that of its first step.
    """
    binding = run.bindings.get(name)
    convert = None if binding is None else binding.convert
    ranks = run.points.ranks(name)
    columns = [run.points.column(name, rank) for rank in ranks]
    steps = columns[0][0]
    if not all(c[0] is steps or np.array_equal(c[0], steps) for c in columns):
        steps = np.unique(np.concatenate([column[0] for column in columns]))
    steps = np.unique(steps)
    stride = max(1, -(-len(steps) * len(ranks) // MAX_CELLS))
    kept = steps[::stride]
    low, high = np.full(len(steps), np.nan), np.full(len(steps), np.nan)
    table = np.full((len(kept), len(ranks)), np.nan)
    for i, (at, _, values) in enumerate(columns):
        row = np.full(len(steps), np.nan)
        row[np.searchsorted(steps, at)] = values if convert is None else convert(values)
        row[~np.isfinite(row)] = np.nan
        np.fmin(low, row, out=low)
        np.fmax(high, row, out=high)
        table[:, i] = row[::stride]
    if stride > 1:
        edges = np.arange(0, len(steps), stride)
        low, high = np.fmin.reduceat(low, edges), np.fmax.reduceat(high, edges)
    times = np.interp(kept, columns[0][0], columns[0][1])
    return RankSpread(kept, times, low, _medians(table), high)


def _medians(table: FloatArray) -> FloatArray:
    """The median of each row, of what it has."""
    if not np.isnan(table).any():
        found: FloatArray = np.median(table, axis=1, overwrite_input=True)
        return found
    table.sort(axis=1)  # NaN last
    known = (~np.isnan(table)).sum(axis=1)
    rows = np.arange(len(table))
    lower = table[rows, np.maximum(known - 1, 0) // 2]
    upper = table[rows, np.minimum(known // 2, table.shape[1] - 1)]
    return np.where(known > 0, (lower + upper) / 2, np.nan)


def differing(run: Run, name: str) -> list[int]:
    """The ranks of a name if they logged different values, else none."""
    ranks = run.points.ranks(name)
    return ranks if len(ranks) > 1 and not run.ranks_agree(name) else []


def by_interest(points: PointTable, name: str, ranks: Sequence[int], told: set[int]) -> list[int]:
    """Ranks with those that findings name first, then from the outermost level to the middle."""
    if len(ranks) <= 1:
        return [*ranks]
    levels = _levels([points.column(name, rank)[2] for rank in ranks])
    known = levels[np.isfinite(levels)]
    middle = float(np.median(known)) if len(known) else 0.0
    away = np.where(np.isfinite(levels), np.abs(levels - middle), np.inf)
    order = np.argsort(-away, kind="stable")
    above = [ranks[i] for i in order if not levels[i] < middle]
    below = [ranks[i] for i in order if levels[i] < middle]
    first = [rank for rank in ranks if rank in told]
    mixed = [rank for i in range(len(ranks)) for side in (above, below) for rank in side[i : i + 1]]
    return list(dict.fromkeys([*first, *mixed]))


def _levels(columns: Sequence[FloatArray]) -> FloatArray:
    """The usual value of each rank, by some of its steps; NaN if none is finite."""
    table = np.full((len(columns), 2 * SAMPLED_STEPS), np.nan)
    for row, values in zip(table, columns, strict=True):
        some = values[:: max(1, len(values) // SAMPLED_STEPS)]
        row[: len(some)] = some
    table[~np.isfinite(table)] = np.nan
    return _medians(table)
