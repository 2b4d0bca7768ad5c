"""Many ranks in one chart: the range over all of them, and which of them are worth a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args
from weakref import WeakKeyDictionary

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
    clocks = [run.points.clock(name, rank) for rank in ranks]
    columns = [run.points.values(name, rank) for rank in ranks]
    first, first_times = clocks[0]
    together = all(np.array_equal(at, first) for at, _ in clocks)
    steps = np.unique(first if together else np.concatenate([at for at, _ in clocks]))
    in_place = together and len(steps) == len(first)  # no step was logged twice
    stride = max(1, -(-len(steps) * len(ranks) // MAX_CELLS))
    kept = steps[::stride]
    low, high = np.full(len(steps), np.nan), np.full(len(steps), np.nan)
    table = np.full((len(kept), len(ranks)), np.nan)
    for i, ((at, _), logged) in enumerate(zip(clocks, columns, strict=True)):
        values = logged if convert is None else convert(logged)
        row = np.full(len(steps), np.nan)
        row[slice(None) if in_place else np.searchsorted(steps, at)] = values
        row[~np.isfinite(row)] = np.nan
        np.fmin(low, row, out=low)
        np.fmax(high, row, out=high)
        table[:, i] = row[::stride]
    if stride > 1:
        edges = np.arange(0, len(steps), stride)
        low, high = np.fmin.reduceat(low, edges), np.fmax.reduceat(high, edges)
    times = np.interp(kept, first, first_times)
    return RankSpread(kept, times, low, _medians(table), high)


def _medians(table: FloatArray) -> FloatArray:
    """The median of each row, of what it has."""
    if not np.isnan(table).any():
        found: FloatArray = np.median(table, axis=1, overwrite_input=True)
        return found
    table.sort(axis=1)  # NaN last
    known = (~np.isnan(table)).sum(axis=1)
    rows = np.arange(len(table))
    # np.nanmedian would mask the table, or go through it row by row
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
    levels = _levels_of(points, name, ranks)
    known = levels[np.isfinite(levels)]
    middle = float(np.median(known)) if len(known) else 0.0
    away = np.where(np.isfinite(levels), np.abs(levels - middle), np.inf)
    order = np.argsort(-away, kind="stable")
    above = [ranks[i] for i in order if not levels[i] < middle]
    below = [ranks[i] for i in order if levels[i] < middle]
    first = [rank for rank in ranks if rank in told]
    # the outermost above and below in turn: else eight ranks of one sick node would hide a single one
    # on the other side
    mixed = [rank for i in range(len(ranks)) for side in (above, below) for rank in side[i : i + 1]]
    return list(dict.fromkeys([*first, *mixed]))


def _levels_of(points: PointTable, name: str, ranks: Sequence[int]) -> FloatArray:
    """The level of each rank; that of a run that has not grown is kept for as long as it is open."""
    known = _known_levels.setdefault(points, {})
    found = known.get(name)
    if found is None or found[0] != points.count or found[1] != len(ranks):
        levels = _levels([points.values(name, rank) for rank in ranks])
        found = known[name] = (points.count, len(ranks), levels)
    return found[2]


_known_levels: WeakKeyDictionary[PointTable, dict[str, tuple[int, int, FloatArray]]]
_known_levels = WeakKeyDictionary()


def _levels(columns: Sequence[FloatArray]) -> FloatArray:
    """The usual value of each rank, by some of its steps; NaN if none is finite."""
    table = np.full((len(columns), 2 * SAMPLED_STEPS), np.nan)
    for row, values in zip(table, columns, strict=True):
        some = values[:: max(1, len(values) // SAMPLED_STEPS)]
        row[: len(some)] = some
    table[~np.isfinite(table)] = np.nan
    return _medians(table)
