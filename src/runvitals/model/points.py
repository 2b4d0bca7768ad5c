"""All points of one run in memory, by original name and rank, whatever format they came from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from runvitals.model.row import FloatArray, IntArray, RowBlock
from runvitals.model.thin import MOST_POINTS, kept

Arrays = tuple[IntArray, FloatArray, FloatArray]
_Part = tuple[int, IntArray, FloatArray, FloatArray]
_EMPTY: Arrays = (np.empty(0, np.int64), np.empty(0, np.float64), np.empty(0, np.float64))


class PointTable:
    """Gathers row blocks and gives back columns.

    A run that was restarted has several segments, one per process life. Where a later segment logs
    steps again that an earlier one had reached, the earlier tail is abandoned: it is kept, but it is
    not part of the series.

    >>> table = PointTable()
    >>> def block(steps, values):
    ...     return RowBlock(("loss",), np.array(steps), np.zeros(len(steps)), np.array([values]).T)
    >>> table.add(block([0, 1, 2, 3], [9.0, 8.0, 7.0, 6.0]), segment=1)
    >>> table.add(block([2, 3], [7.5, 6.5]), segment=2)
    >>> steps, times, values = table.column("loss")
    >>> values.tolist(), table.abandoned("loss")[2].tolist()
    ([9.0, 8.0, 7.5, 6.5], [7.0, 6.0])
    """

    def __init__(self) -> None:
        self._parts: dict[tuple[str, int], list[_Part]] = {}
        self._ranks: dict[str, list[int]] = {}
        self._cache: dict[tuple[str, int], tuple[int, Arrays, Arrays]] = {}
        self.count = 0

    def add(self, block: RowBlock, segment: int = 1) -> None:
        """Take in a block; `segment` numbers the process lives of the run from 1."""
        if not len(block):
            return
        for index, name in enumerate(block.names):
            key = (name, block.rank)
            parts = self._parts.get(key)
            if parts is None:
                parts = self._parts[key] = []
                self._ranks.setdefault(name, []).append(block.rank)
            parts.append((segment, block.steps, block.times, block.values[:, index]))
        self.count += len(block) * len(block.names)

    def adopt(self, other: PointTable, prefix: str = "") -> list[str]:
        """Take over the names of another table that this one does not have; returns them as kept."""
        taken = []
        for name in other.names():
            kept = f"{prefix}{name}"
            if kept in self._ranks:
                continue
            for rank in other.ranks(name):
                parts = other._parts[(name, rank)]
                self._parts[(kept, rank)] = list(parts)
                self._ranks.setdefault(kept, []).append(rank)
                self.count += sum(len(part[1]) for part in parts)
            taken.append(kept)
        return taken

    def names(self) -> list[str]:
        """All names in order of first appearance."""
        return list(self._ranks)

    def ranks(self, name: str) -> list[int]:
        """The ranks that logged this name, lowest first."""
        return sorted(self._ranks.get(name, ()))

    def column(self, name: str, rank: int | None = None) -> Arrays:
        """Steps, times and values of one name on one rank (the lowest by default), sorted by step."""
        return self._split(name, rank)[0]

    def abandoned(self, name: str, rank: int | None = None) -> Arrays:
        """The points of this name that a restart logged anew."""
        return self._split(name, rank)[1]

    def lives(self, name: str, rank: int | None = None) -> list[tuple[int, int, int]]:
        """First step, last step and number of points of this name in each life of the process.

        >>> table = PointTable()
        >>> for segment, steps in enumerate(([0, 1, 2, 3], [2, 3]), 1):
        ...     one = np.zeros(len(steps))
        ...     table.add(RowBlock(("loss",), np.array(steps), one, one[:, None]), segment=segment)
        >>> table.lives("loss")
        [(0, 3, 4), (2, 3, 2)]
        """
        ranks = self._ranks.get(name)
        if not ranks:
            return []
        key = (name, min(ranks) if rank is None else rank)
        found: dict[int, list[IntArray]] = {}
        for segment, steps, _, _ in self._parts.get(key, []):
            found.setdefault(segment, []).append(steps)
        return [
            (
                min(int(part.min()) for part in found[segment]),
                max(int(part.max()) for part in found[segment]),
                sum(len(part) for part in found[segment]),
            )
            for segment in sorted(found)
        ]

    def by_life(self, name: str, rank: int) -> list[tuple[int, Arrays]]:
        """The points of this name by segment, oldest first, those that were logged anew included."""
        by_segment: dict[int, list[Arrays]] = {}
        for segment, steps, times, values in self._parts.get((name, rank), ()):
            by_segment.setdefault(segment, []).append((steps, times, values))
        return [(segment, _in_order(by_segment[segment])) for segment in sorted(by_segment)]

    def thinned(self) -> PointTable:
        """The same table with long series made short (`model/thin.py`); itself if none is long."""
        lengths = {key: sum(len(part[1]) for part in parts) for key, parts in self._parts.items()}
        if max(lengths.values(), default=0) <= MOST_POINTS:
            return self
        thin = PointTable()
        thin._ranks = {name: list(ranks) for name, ranks in self._ranks.items()}
        for (name, rank), parts in self._parts.items():
            shorter = (
                _thinned(self.by_life(name, rank)) if lengths[name, rank] > MOST_POINTS else parts
            )
            thin._parts[name, rank] = shorter
            thin.count += sum(len(part[1]) for part in shorter)
        return thin

    def _split(self, name: str, rank: int | None) -> tuple[Arrays, Arrays]:
        ranks = self._ranks.get(name)
        if not ranks:
            return _EMPTY, _EMPTY
        key = (name, min(ranks) if rank is None else rank)
        parts = self._parts.get(key, [])
        cached = self._cache.get(key)
        if cached is None or cached[0] != len(parts):
            cached = (len(parts), *_merge(parts))
            self._cache[key] = cached
        return cached[1], cached[2]

    def blocks(self) -> Iterator[RowBlock]:
        """Every kept point again; names that were logged together share a block."""
        groups: dict[tuple[int, bytes, bytes], list[str]] = {}
        for name in self._ranks:
            for rank in self.ranks(name):
                steps, times, _ = self.column(name, rank)
                key = (rank, _digest(steps), _digest(times))
                groups.setdefault(key, []).append(name)
        for (rank, _, _), names in groups.items():
            steps, times, _ = self.column(names[0], rank)
            values = np.stack([self.column(name, rank)[2] for name in names], axis=1)
            yield RowBlock(tuple(names), steps, times, values, rank)


def _thinned(lives: list[tuple[int, Arrays]]) -> list[_Part]:
    """The kept points of all segments, counted through from the first segment to the last."""
    index = kept(np.concatenate([arrays[2] for _, arrays in lives]))
    parts: list[_Part] = []
    begin = 0
    for segment, (steps, times, values) in lives:
        mine = index[(index >= begin) & (index < begin + len(steps))] - begin
        begin += len(steps)
        if len(mine):
            parts.append((segment, steps[mine], times[mine], values[mine]))
    return parts


def _digest(array: IntArray | FloatArray) -> bytes:
    return hashlib.blake2b(array.tobytes(), digest_size=16).digest()


def _merge(parts: list[_Part]) -> tuple[Arrays, Arrays]:
    by_segment: dict[int, list[_Part]] = {}
    for part in parts:
        by_segment.setdefault(part[0], []).append(part)
    kept: list[Arrays] = []
    dropped: list[Arrays] = []
    limit: int | None = None  # first step of any later segment
    for segment in sorted(by_segment, reverse=True):
        arrays = _in_order([part[1:] for part in by_segment[segment]])
        first = int(arrays[0][0])
        if limit is not None:
            cut = int(np.searchsorted(arrays[0], limit, side="left"))
            dropped.append(_slice(arrays, cut, None))
            arrays = _slice(arrays, None, cut)
        kept.append(arrays)
        limit = first if limit is None else min(limit, first)
    return _concatenate(kept[::-1]), _concatenate(dropped[::-1])


def _concatenate(arrays: list[Arrays]) -> Arrays:
    if not arrays:
        return _EMPTY
    if len(arrays) == 1:
        steps, times, values = arrays[0]
        return steps, times, np.ascontiguousarray(values)
    return (
        np.concatenate([part[0] for part in arrays]),
        np.concatenate([part[1] for part in arrays]),
        np.concatenate([part[2] for part in arrays]),
    )


def _slice(arrays: Arrays, start: int | None, stop: int | None) -> Arrays:
    cut = slice(start, stop)
    return arrays[0][cut], arrays[1][cut], arrays[2][cut]


def _in_order(parts: list[Arrays]) -> Arrays:
    """By step; equal steps as they were logged, which between parts only the time tells."""
    arrays = steps, times, values = _concatenate(parts)
    if len(steps) < 2:
        return arrays
    if len(parts) > 1 and bool((times[1:] < times[:-1]).any()):
        order = np.lexsort((times, steps))
    elif bool((steps[1:] < steps[:-1]).any()):
        order = np.argsort(steps, kind="stable")
    else:
        return arrays
    return steps[order], times[order], values[order]
