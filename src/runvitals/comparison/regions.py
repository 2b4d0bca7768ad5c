"""Regions of a sweep: ranges of settings in which runs end alike, found by a shallow tree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from runvitals.comparison.resampling import Mean, mean_of
from runvitals.comparison.siblings import SEED, Value
from runvitals.model import FloatArray

if TYPE_CHECKING:
    from runvitals.comparison.sweep import Trial, Varied

MAX_DEPTH = 3
MIN_LEAF = 3  # runs
# The best of some twenty splits of noise reaches an F of 9 to 11 in one sweep of twenty (simulated).
MIN_F = 12.0
TYPICAL_SHARE, TYPICAL_RATIO = 0.5, 1.5  # of the runs in a region, and times the share elsewhere
MAX_TYPICAL = 3
_Z = 1.96
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Bound:
    """A part of one setting: a range of numbers, or words."""

    key: str
    low: float | None = None  # the smallest value inside, None without a lower end
    high: float | None = None
    words: tuple[Value, ...] = ()

    def __str__(self) -> str:
        low, high = (None if end is None else f"{end:g}" for end in (self.low, self.high))
        if self.words:
            return f"{self.key} = {' or '.join(map(str, self.words))}"
        if low == high:
            return f"{self.key} = {low}"
        if low is None:
            return f"{self.key} ≤ {high}"
        return f"{self.key} ≥ {low}" if high is None else f"{low} ≤ {self.key} ≤ {high}"


@dataclass(frozen=True)
class Region:
    """Runs within some bounds. `typical`: findings that most of them and few others have."""

    bounds: tuple[Bound, ...]
    runs: tuple[str, ...]
    mean: Mean | None
    failed: int
    typical: tuple[tuple[str, int], ...]

    @property
    def count(self) -> int:
        """How many runs it has."""
        return len(self.runs)

    @property
    def condition(self) -> str:
        """Its bounds in words."""
        return " and ".join(map(str, self.bounds))

    @property
    def surely_failing(self) -> float:
        """The lower end of the 95% interval (Wilson) of the share that fails."""
        n, share = self.count, self.failed / self.count
        middle = share + _Z**2 / (2 * n)
        spread = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n))
        return (middle - spread) / (1 + _Z**2 / n)


def regions_of(trials: Sequence[Trial], settings: Sequence[Varied], sign: int) -> list[Region]:
    """Regions whose runs end differently, surest failures first; none if no split is clear."""
    target = scores(trials, sign)
    columns = {one.key: one.column for one in settings if not SEED.search(one.key)}
    leaves = list(_leaves(_Leaf(np.arange(len(trials)), {}), target, columns, MAX_DEPTH))
    if len(leaves) < 2:
        return []
    found = [_region(leaf, trials, settings) for leaf in leaves]
    return sorted(found, key=lambda one: (-one.surely_failing, -one.count))


def scores(trials: Sequence[Trial], sign: int) -> FloatArray:
    """How well each run did, from 0 to 1: half the rank of its outcome, half whether it failed.

    Ranks, since one run that diverged would outweigh all others. A run without an outcome is last.
    """
    worst = -math.inf
    outcomes = np.array(
        [
            worst if t.outcome is None or not math.isfinite(t.outcome) else (sign or 1) * t.outcome
            for t in trials
        ]
    )
    _, places, counts = np.unique(outcomes, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts + 1) / 2
    ranks = middle[places] / max(1, len(trials) - 1)
    return np.asarray((ranks + np.array([not t.failed for t in trials], np.float64)) / 2)


@dataclass(frozen=True)
class _Leaf:
    """Some runs, and by setting the column's values from which on and before which they lie."""

    rows: Rows
    limits: Mapping[str, tuple[float, float]]

    def part(self, key: str, rows: Rows, low: float, high: float) -> _Leaf:
        before, after = self.limits.get(key, (-math.inf, math.inf))
        return _Leaf(rows, {**self.limits, key: (max(low, before), min(high, after))})


def _leaves(
    leaf: _Leaf, target: FloatArray, columns: Mapping[str, FloatArray], depth: int
) -> Iterator[_Leaf]:
    parts = _best_split(leaf, target, columns) if depth else None
    if parts is None:
        yield leaf
        return
    for part in parts:
        yield from _leaves(part, target, columns, depth - 1)


def _best_split(
    leaf: _Leaf, target: FloatArray, columns: Mapping[str, FloatArray]
) -> tuple[_Leaf, _Leaf] | None:
    """The split in two that explains most of the variance, if that is more than chance gives."""
    rows = leaf.rows
    mine = target[rows]
    whole = float(((mine - mine.mean()) ** 2).sum())
    if whole < 1e-9:
        return None
    best, found = MIN_F, None
    for key, column in columns.items():
        values = column[rows]
        for cut in np.unique(values[np.isfinite(values)])[1:].tolist():
            above = values >= cut
            n, m = int(above.sum()), int((~above).sum())
            if min(n, m) < MIN_LEAF:
                continue
            rest = n * float(mine[above].var()) + m * float(mine[~above].var())
            f = math.inf if rest <= 1e-12 else (whole - rest) / (rest / (n + m - 2))
            if f > best:
                upper = leaf.part(key, rows[above], cut, math.inf)
                best, found = f, (upper, leaf.part(key, rows[~above], -math.inf, cut))
    return found


def _region(leaf: _Leaf, trials: Sequence[Trial], settings: Sequence[Varied]) -> Region:
    members = set(leaf.rows.tolist())
    inside = [trials[row] for row in sorted(members)]
    outside = [trial for row, trial in enumerate(trials) if row not in members]
    mine = Counter(code for trial in inside for code in set(trial.rules))
    theirs = Counter(code for trial in outside for code in set(trial.rules))
    typical = [
        (code, count)
        for code, count in sorted(mine.items(), key=lambda one: (-one[1], one[0]))
        if count >= TYPICAL_SHARE * len(inside)
        and count / len(inside) > TYPICAL_RATIO * theirs[code] / max(1, len(outside))
    ]
    return Region(
        bounds=tuple(
            _bound(one, leaf.limits[one.key]) for one in settings if one.key in leaf.limits
        ),
        runs=tuple(trial.id for trial in inside),
        mean=mean_of([trial.outcome for trial in inside]),
        failed=sum(trial.failed for trial in inside),
        typical=tuple(typical[:MAX_TYPICAL]),
    )


def _bound(setting: Varied, limits: tuple[float, float]) -> Bound:
    low, high = limits
    places = setting.places
    inside = [choice for choice in setting.choices if low <= places[choice] < high]
    if not setting.numeric:
        return Bound(setting.key, words=tuple(inside))
    numbers = [float(choice) for choice in inside if isinstance(choice, int | float)]
    return Bound(
        setting.key,
        low=None if math.isinf(low) else min(numbers),
        high=None if math.isinf(high) else max(numbers),
    )
