"""Rows of several blocks that belong to one step, put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.model import FloatArray, IntArray, RowBlock


@dataclass(frozen=True, slots=True)
class WideRows:
    """Wide rows. Row `i` of block `b` went into wide row `places[b][i]`."""

    steps: IntArray
    times: FloatArray
    places: list[NDArray[Any]]


def slices(rows: int, size: int, most: int) -> Iterator[slice]:
    """Parts of so many rows, each of a size, of which one part holds no more than `most`."""
    length = max(1, most // max(1, size))
    for start in range(0, rows, length):
        yield slice(start, min(start + length, rows))


def merge_rows(blocks: Sequence[RowBlock]) -> WideRows:
    """Rows in order of time, where neighbours with one step and no common name become one row.

    Two `log()` calls at one step, one for losses and one for evaluation, are one line to a reader.
    The merged row has the time of its newest part.

    >>> one = RowBlock(("a",), np.array([1, 2]), np.array([0.0, 2.0]), np.zeros((2, 1)))
    >>> two = RowBlock(("b",), np.array([1, 2]), np.array([1.0, 3.0]), np.zeros((2, 1)))
    >>> merge_rows([one, two]).steps.tolist(), merge_rows([one, one]).steps.tolist()
    ([1, 2], [1, 1, 2, 2])
    """
    if len(blocks) == 1:
        [block] = blocks
        return WideRows(block.steps, block.times, [np.arange(len(block))])
    lengths = [len(block) for block in blocks]
    steps = np.concatenate([block.steps for block in blocks]) if blocks else np.zeros(0, np.int64)
    times = np.concatenate([block.times for block in blocks]) if blocks else np.zeros(0)
    order = np.argsort(times, kind="stable")  # unknown times last, in log order
    runs = np.cumsum(np.diff(steps[order], prepend=steps[order[:1]]) != 0)
    clusters = np.repeat(_clusters(blocks), lengths)[order]
    # the k-th row of each cluster within a run of equal steps goes into the run's k-th wide row
    turns = _occurrences(runs * (int(clusters.max(initial=0)) + 1) + clusters)
    _, groups = np.unique(runs * (int(turns.max(initial=0)) + 1) + turns, return_inverse=True)
    rows = np.empty(len(steps), dtype=np.intp)
    rows[order] = groups
    newest = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.intp)
    newest[groups] = order  # later ones overwrite earlier ones
    places = np.split(rows, np.cumsum(lengths)[:-1]) if blocks else []
    return WideRows(steps[newest], times[newest], places)


def _clusters(blocks: Sequence[RowBlock]) -> NDArray[Any]:
    """A number per block; blocks that share a name share the number."""
    owner: dict[str, int] = {}
    parent = list(range(len(blocks)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, block in enumerate(blocks):
        for name in block.names:
            parent[root(owner.setdefault(name, i))] = root(i)
    return np.array([root(i) for i in range(len(blocks))], dtype=np.int64)


def _occurrences(keys: NDArray[Any]) -> NDArray[Any]:
    """How often each key came before.

    >>> _occurrences(np.array([5, 7, 5, 5, 7])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    counts = np.arange(len(keys)) - np.repeat(starts, np.diff(starts, append=len(keys)))
    out = np.empty(len(keys), dtype=np.int64)
    out[order] = counts
    return out
