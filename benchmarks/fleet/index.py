"""Filling an index and asking it, in the embedded engine (chdb), in a folder that is removed after.

    python -m benchmarks.fleet.index                   1,024 ranks, 100 metrics, 100 steps: 1e7 rows
    python -m benchmarks.fleet.index --steps 1000      1e8 rows, about 1.5 GB on disk

Rows go in as the loader sends them: ranks together, up to a million rows in one insert, with
deduplication tokens and with the rollup. CPU seconds are those of the whole process, the engine's
threads and merges included; making up the numbers is left out.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from runvitals.index.database import Database, opened
from runvitals.index.rows import MAX_ROWS, batches
from runvitals.index.schema import POINTS
from runvitals.model import RowBlock

RUN = "bench/job"
ROUNDS = 7


def segment(rank: int, metrics: int, steps: int) -> RowBlock:
    """What one rank logged: metrics that wander, one row each second or so."""
    rng = np.random.default_rng(rank)
    names = tuple(f"train/metric{i:03d}" for i in range(metrics))
    values = np.cumsum(rng.normal(size=(steps, metrics)), axis=0)
    times = 1.7e9 + np.arange(steps) + 0.01 * rng.random(steps)
    return RowBlock(names, np.arange(steps), times, values, rank)


def cpu() -> float:
    """CPU seconds of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def sent(database: Database, ranks: range, metrics: int, steps: int) -> Iterator[tuple[int, float]]:
    """Insert the segments of some ranks; rows and CPU seconds of each insert."""
    together = max(1, MAX_ROWS // (metrics * steps))
    for first in range(0, len(ranks), together):
        mine = ranks[first : first + together]
        blocks = [(1, segment(rank, metrics, steps)) for rank in mine]
        began = cpu()
        rows = 0
        for number, table in enumerate(batches(RUN, blocks)):
            database.insert_once(POINTS, table, f"{RUN}/rank{mine[0]}+{len(mine)}:{number}")
            rows += table.num_rows
        yield rows, cpu() - began


def timed(ask: Callable[[], Any]) -> tuple[float, float, int]:
    """The first time and the median of the others in milliseconds, and how many rows came."""
    taken = []
    rows = 0
    for _ in range(ROUNDS):
        began = time.perf_counter()
        rows = len(ask())
        taken.append(1000 * (time.perf_counter() - began))
    return taken[0], statistics.median(taken[1:]), rows


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--metrics", type=int, default=100)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="where the index goes, meanwhile")
    given = parser.parse_args()
    size = (given.metrics, given.steps)
    with (
        TemporaryDirectory(dir=given.folder) as folder,
        opened(f"chdb://{folder}/index", create=True) as database,
    ):
        database.create()
        began, used = time.perf_counter(), cpu()
        made = list(sent(database, range(given.ranks), *size))
        wall, all_cpu = time.perf_counter() - began, cpu() - used
        rows, spent = sum(one for one, _ in made), sum(one for _, one in made)
        print(f"rows taken in, with the rollup   {rows:>14,}")
        print(f"rows per CPU second              {rows / spent:>14,.0f}")
        print(f"the same, making numbers up too  {rows / all_cpu:>14,.0f}   ({wall:.0f} s of time)")
        [(disk, stored)] = database.rows(
            "SELECT sum(bytes_on_disk), sum(rows) FROM system.parts WHERE active "
            "AND database = {name:String} AND table = 'points'",
            name=database.name,
        )
        print(f"bytes on disk for each row       {disk / stored:>14.2f}")
        again = range(min(given.ranks, max(1, 3 * MAX_ROWS // (given.metrics * given.steps))))
        replayed = sum(one for one, _ in sent(database, again, *size))
        [(now,)] = database.rows("SELECT count() FROM {db}.points")
        [(rolled,)] = database.rows("SELECT sum(points) FROM {db}.rollup")
        print(f"rows sent again                  {replayed:>14,}")
        print(f"rows that this added             {now - rows:>14,}   (rollup: {rolled - rows:,})")
        names = {"metric": "train/metric050", "rank": given.ranks // 2}
        questions = {
            "one series": "SELECT step, time, value FROM {db}.points WHERE run = 'bench/job' "
            "AND metric = {metric:String} AND rank = {rank:UInt32} ORDER BY step",
            "spread over all ranks, rollup": "SELECT step, low, mean, high, high_rank "
            "FROM {db}.spread WHERE run = 'bench/job' AND metric = {metric:String} ORDER BY step",
            "the same from the points": "SELECT step, min(value), avg(value), max(value) "
            "FROM {db}.points WHERE run = 'bench/job' AND metric = {metric:String} "
            "GROUP BY step ORDER BY step",
        }
        for title, sql in questions.items():
            first, usual, found = timed(lambda sql=sql: database.rows(sql, **names))
            print(f"{title:<32} {usual:>11.1f} ms   (first {first:.1f} ms, {found:,} rows)")


if __name__ == "__main__":
    main()
