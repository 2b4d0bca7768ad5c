"""Blocks as one wide table, cut into pieces that fit in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from runvitals.exporters._merge import merge_rows, slices
from runvitals.model import RowBlock

MAX_CELLS = 2_000_000


def column_names(names: Sequence[str], taken: Sequence[str]) -> dict[str, str]:
    """How metrics are called in a file that has columns of its own.

    >>> column_names(["loss", "time"], ["step", "time"])
    {'loss': 'loss', 'time': 'time_'}
    """
    out = {}
    for name in names:
        column = name.encode("utf-8", "replace").decode("utf-8")
        while column in taken:
            column += "_"
        out[name] = column
    return out


def wide_columns(
    blocks: Sequence[RowBlock], columns: Mapping[str, int], count: int
) -> Iterator[list[Any]]:
    """Arrow arrays: step, time, then `count` metrics, `columns[name]` saying which is which.

    A cell is null where nothing was logged; NaN that was logged stays NaN.
    """
    if len(blocks) == 1 and len(set(columns.values())) == len(columns):
        yield from _one_shape(blocks[0], columns, count)
        return
    merged = merge_rows(blocks)
    indexes = [np.array([columns[name] for name in b.names], dtype=np.intp) for b in blocks]
    orders = [np.argsort(place, kind="stable") for place in merged.places]
    ordered = [place[order] for place, order in zip(merged.places, orders, strict=True)]
    for part in slices(len(merged.steps), count, MAX_CELLS):
        rows = part.stop - part.start
        values = np.zeros((count, rows))
        empty = np.ones((count, rows), dtype=bool)
        for block, place, order, index in zip(blocks, ordered, orders, indexes, strict=True):
            first, last = np.searchsorted(place, (part.start, part.stop))
            cells = np.ix_(index, place[first:last] - part.start)
            values[cells] = block.values[order[first:last]].T
            empty[cells] = False
        nothing = pa.nulls(rows, pa.float64())
        unused: list[bool] = np.all(empty, axis=1).tolist()
        yield [
            pa.array(merged.steps[part]),
            _times(merged.times[part]),
            *(nothing if unused[i] else pa.array(values[i], mask=empty[i]) for i in range(count)),
        ]


def _one_shape(block: RowBlock, columns: Mapping[str, int], count: int) -> Iterator[list[Any]]:
    for part in slices(len(block), count, MAX_CELLS):
        values = np.ascontiguousarray(block.values[part].T)
        arrays = [pa.nulls(values.shape[1], pa.float64())] * count
        for i, name in enumerate(block.names):
            arrays[columns[name]] = pa.array(values[i])
        yield [pa.array(block.steps[part]), _times(block.times[part]), *arrays]


def _times(times: Any) -> Any:
    return pa.array(times, mask=np.isnan(times))
