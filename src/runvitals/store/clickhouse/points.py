"""The points of a run in an index, for a folder that says where they are.

`points/index.json` in a run folder stands for the points themselves. Those of a small run come in one
query, the series of a large one when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import DamagedError, FloatArray, IndexFailure, IntArray, RowBlock
from runvitals.model.references import read_reference, write_reference
from runvitals.store.clickhouse.connection import IndexAddress, connected, parse_index

POINTER = "index.json"
LARGE = 4_000_000  # points of a run from which on a series is read when it is asked for
_FORMAT = "runvitals-indexed/2"
_ORDER = "ORDER BY metric, rank, life, step, time"


@dataclass(frozen=True)
class Pointer:
    """Where the points of a run are, and which state of it is meant."""

    url: str
    run: str
    version: int


def write_pointer(run_folder: Path, pointer: Pointer) -> None:
    """Say in a run folder that its points are in an index."""
    folder = run_folder / "points"
    folder.mkdir(parents=True, exist_ok=True)
    write_reference(folder / POINTER, {"format": _FORMAT, **pointer.__dict__})


def pointer_of(run_folder: Path) -> Pointer | None:
    """What stands for the points of a folder; None if they lie there themselves.

    Raises `ReadError`: without an address that we wrote, the points cannot be found.
    """
    path = run_folder / "points" / POINTER
    if not path.exists():
        return None
    said = read_reference(path)
    try:
        found = Pointer(said["url"], said["run"], said["version"])
        kinds = [type(one) for one in (found.url, found.run, found.version)]
        if said["format"] != _FORMAT or kinds != [str, str, int]:
            raise ValueError("it is not an address in an index")
    except (KeyError, ValueError) as error:
        hint = "open the run through the index again"
        raise DamagedError(path, f"it is damaged ({error})", hint=hint) from error
    return found


def read_points(pointer: Pointer) -> Iterator[tuple[int, RowBlock | IndexedSeries]]:
    """All series of a run, each with the number of the life that logged it."""
    address = parse_index(pointer.url)
    database = address.database
    run = {"run": pointer.run}
    with connected(address) as client:
        counts = client.query(
            f"SELECT metric, rank, life, count() FROM {database}.points "
            "WHERE run = {run:String} GROUP BY metric, rank, life ORDER BY metric, rank, life",
            parameters=run,
        ).result_rows
        if sum(count for *_, count in counts) < LARGE:
            table = client.query_arrow(
                f"SELECT step, toUnixTimestamp64Micro(time) AS time, value "
                f"FROM {database}.points WHERE run = {{run:String}} {_ORDER}",
                parameters=run,
            )
            yield from _cut(counts, *_columns(table))
            return
    clocks: dict[int, tuple[IntArray, FloatArray]] = {}
    for metric, rank, life, count in counts:
        yield life, IndexedSeries(address, pointer.run, (metric,), rank, life, count, clocks)


def _cut(
    counts: list[tuple[str, int, int, int]], steps: IntArray, times: FloatArray, values: FloatArray
) -> Iterator[tuple[int, RowBlock]]:
    if sum(count for *_, count in counts) != len(steps):
        raise IndexFailure("the index changed while it was read", hint="try again")
    at = 0
    for metric, rank, life, count in counts:
        mine = slice(at, at + count)
        at += count
        yield life, RowBlock((metric,), steps[mine], times[mine], values[mine][:, None], rank)


def _columns(table: Any) -> tuple[IntArray, FloatArray, FloatArray]:
    """Steps, times and values; a time of zero stands for one that nobody knows."""
    steps = table.column("step").to_numpy()
    micros = table.column("time").to_numpy()
    times = np.where(micros == 0, np.nan, micros / 1e6)
    return steps, times, table.column("value").to_numpy()


@dataclass
class IndexedSeries:
    """One series of one life, read when it is asked for."""

    address: IndexAddress
    run: str
    names: tuple[str, ...]
    rank: int
    life: int
    count: int
    clocks: dict[int, tuple[IntArray, FloatArray]] = field(repr=False)  # shared by the run's series
    _clock: tuple[IntArray, FloatArray] | None = None

    def __len__(self) -> int:
        return self.count

    def clock(self) -> tuple[IntArray, FloatArray]:
        """Steps and times; series that were logged together share them."""
        if self._clock is None:
            steps, times, _ = self._read()
            key = hash((steps.tobytes(), times.tobytes()))
            self._clock = self.clocks.setdefault(key, (steps, times))
        return self._clock

    def values(self, name: str, first: int = 0, stop: int | None = None) -> FloatArray:
        """Values from one place to before another, read now."""
        assert name == self.names[0]
        steps, times, values = self._read()
        if self._clock is None:
            key = hash((steps.tobytes(), times.tobytes()))
            self._clock = self.clocks.setdefault(key, (steps, times))
        return values[first:stop]

    def _read(self) -> tuple[IntArray, FloatArray, FloatArray]:
        with connected(self.address) as client:
            table = client.query_arrow(
                "SELECT step, toUnixTimestamp64Micro(time) AS time, value "
                f"FROM {self.address.database}.points WHERE run = {{run:String}} "
                "AND metric = {metric:String} AND rank = {rank:UInt32} AND life = {life:UInt16} "
                "ORDER BY step, time",
                parameters={
                    "run": self.run,
                    "metric": self.names[0],
                    "rank": self.rank,
                    "life": self.life,
                },
            )
        if table.num_rows < self.count:
            raise IndexFailure(
                f"{self.count - table.num_rows:,} points of {self.names[0]} are gone from the index",
                hint="they may have passed the age at which the index drops points; start again",
            )
        steps, times, values = _columns(table)
        return steps[: self.count], times[: self.count], values[: self.count]
