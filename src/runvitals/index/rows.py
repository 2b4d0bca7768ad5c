"""Blocks of points as rows of the table `points`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from runvitals.model import RowBlock

MAX_ROWS = 1_000_000  # in one insert

Lived = tuple[int, RowBlock]  # a block, and the number of the life that logged it


def batches(run: str, blocks: Iterable[Lived], most: int = MAX_ROWS) -> Iterator[pa.Table]:
    """Tables of limited size. The same blocks always make the same tables."""
    waiting: list[Lived] = []
    count = 0
    for life, whole in blocks:
        for block in _pieces(whole, most):
            if waiting and count + block.values.size > most:
                yield _table(run, waiting)
                waiting, count = [], 0
            waiting.append((life, block))
            count += block.values.size
    if waiting:
        yield _table(run, waiting)


def _pieces(block: RowBlock, most: int) -> Iterator[RowBlock]:
    """A block in parts that fit: some of its names at a time, so that a series stays together."""
    rows, width = len(block), len(block.names)
    if block.values.size <= most:
        yield block
        return
    names = max(1, most // max(rows, 1))
    length = max(1, most // names)
    for first in range(0, width, names):
        some = block.select(list(range(first, min(first + names, width))))
        for at in range(0, rows, length):
            cut = slice(at, at + length)
            yield RowBlock(
                some.names, some.steps[cut], some.times[cut], some.values[cut], some.rank
            )


def _table(run: str, blocks: list[Lived]) -> pa.Table:
    place: dict[str, int] = {}
    metrics, ranks, lives, steps, times, values = [], [], [], [], [], []
    for life, block in blocks:
        rows, width = len(block), len(block.names)
        codes = np.array([place.setdefault(n, len(place)) for n in block.names], np.int32)
        metrics.append(np.repeat(codes, rows))
        ranks.append(np.full(rows * width, block.rank, np.uint32))
        lives.append(np.full(rows * width, life, np.uint16))
        steps.append(np.tile(block.steps, width))
        times.append(np.tile(_micros(block.times), width))
        values.append(block.values.T.ravel())
    count = sum(map(len, values))
    return pa.table(
        {
            "run": pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), [run]),
            "metric": pa.DictionaryArray.from_arrays(np.concatenate(metrics), list(place)),
            "rank": np.concatenate(ranks),
            "life": np.concatenate(lives),
            "step": np.concatenate(steps).astype(np.int64, copy=False),
            "time": pa.array(np.concatenate(times)).cast(pa.timestamp("us", tz="UTC")),
            "value": np.concatenate(values).astype(np.float64, copy=False),
        }
    )


def _micros(times: np.ndarray) -> np.ndarray:
    """Microseconds since 1970; zero where the time is not known."""
    known = np.isfinite(times)
    return np.where(known, np.round(np.where(known, times, 0.0) * 1e6), 0.0).astype(np.int64)
