"""Blocks of points as rows of the table `points`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from runvitals.model import RowBlock, Run

MAX_ROWS = 1_000_000  # in one insert

Lived = tuple[int, RowBlock]  # a block, and the number of the life that logged it


@dataclass(frozen=True)
class RunPoints:
    """The points of a run that is loaded into an index."""

    run: Run
    key: str  # of the run in the index
    folder: Path | None  # of our own runs
    fingerprint: str  # of the files of the run

    def blocks(self) -> Iterator[Lived]:
        """All points, series by series."""
        points = self.run.points
        for name in self.run.names():
            for rank in points.ranks(name):
                for life, (steps, times, values) in points.by_life(name, rank):
                    yield life, RowBlock((name,), steps, times, values[:, None], rank)


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
            yield some.part(slice(at, at + length))


def _table(run: str, blocks: list[Lived]) -> pa.Table:
    """Series by series, in the order of the table `points`, so that the engine need not sort."""
    series = sorted(
        (
            (name, block.rank, life, number, column)
            for number, (life, block) in enumerate(blocks)
            for column, name in enumerate(block.names)
        )
    )
    names = list(dict.fromkeys(name for name, *_ in series))
    place = {name: i for i, name in enumerate(names)}
    micros = [_micros(block.times) for _, block in blocks]
    lengths = [len(blocks[number][1]) for *_, number, _ in series]
    metrics = np.array([place[name] for name, *_ in series], np.int32)
    ranks = np.array([rank for _, rank, *_ in series], np.uint32)
    lives = np.array([life for _, _, life, *_ in series], np.uint16)
    steps = [blocks[number][1].steps for *_, number, _ in series]
    times = [micros[number] for *_, number, _ in series]
    values = [blocks[number][1].values[:, column] for *_, number, column in series]
    return pa.table(
        {
            "run": pa.DictionaryArray.from_arrays(np.zeros(sum(lengths), np.int32), [run]),
            "metric": pa.DictionaryArray.from_arrays(np.repeat(metrics, lengths), names),
            "rank": np.repeat(ranks, lengths),
            "life": np.repeat(lives, lengths),
            "step": np.concatenate(steps).astype(np.int64, copy=False),
            "time": pa.array(np.concatenate(times)).cast(pa.timestamp("us", tz="UTC")),
            "value": np.concatenate(values).astype(np.float64, copy=False),
        }
    )


def _micros(times: np.ndarray) -> np.ndarray:
    """Microseconds since 1970; zero where the time is not known."""
    known = np.isfinite(times)
    return np.where(known, np.round(np.where(known, times, 0.0) * 1e6), 0.0).astype(np.int64)
