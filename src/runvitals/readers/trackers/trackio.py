"""Trackio projects: the SQLite file `<project>.db`, or the Parquet files it is exported to."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import Event, FloatArray, Gap, IntArray, ReadError, Sample
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.raw.numbers import parse_time
from runvitals.readers.rows.table import MAX_POINTS, MAX_STEP
from runvitals.readers.trackers._json_values import flatten, histogram_of, parse_json
from runvitals.readers.trackers._series import NamedPoints
from runvitals.readers.trackers._sqlite import has_tables, opened, rows, shortfall, tables

ID = "trackio"

_NEEDED = {"metrics": {"id", "timestamp", "run_name", "step", "metrics"}}
_COLUMNS = {"id", "run_id", "timestamp", "run_name", "step", "log_id", "space_id"}
_TRACE = {"run_id", "step", "messages", "metadata"}
_BATCH = 4096
_MAX_RUNS = 100_000


def sniff(path: Path, head: bytes) -> int:
    """By its tables, or by the columns of the Parquet file."""
    if head.startswith(b"PAR1"):
        from runvitals.readers.tabular._arrow import BROKEN, column_names

        try:
            return 97 if {"run_name", "timestamp", "step", "id"} <= set(column_names(path)) else 0
        except BROKEN:
            return 0
    return 97 if has_tables(path, head, _NEEDED) else 0


def read(path: Path) -> list[Log]:
    """The runs of the project in the order in which they began."""
    with open(path, "rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    runs = _read_parquet(path) if is_parquet else _read_sqlite(path)
    logs = []
    for run in runs.values():
        run.finish()
        if run.log.points.count:
            logs.append(run.log)
    if not logs:
        raise ReadError(path, "no metrics: the project has no rows with numbers")
    return logs


@dataclass
class _Run:
    """What is known of one run, and what was read but not yet given."""

    log: Log
    points: NamedPoints = field(default_factory=NamedPoints)
    has_histograms: bool = False
    damaged: int = 0  # rows that hold no metrics, or no step

    def take(self, step: Any, stamp: Any, values: Any, prefix: str = "") -> int:
        """Take in a row of metrics; returns how many numbers were in it."""
        if not isinstance(values, Mapping):
            return 0
        time = parse_time(str(stamp or ""))
        if not isinstance(step, int) or abs(step) > MAX_STEP:
            return 0
        if self.log.started is None:
            self.log.started = time
        row: dict[str, float] = {}
        media: list[str] = []
        for name, value in values.items():
            flatten(f"{prefix}{name}", value, row, media)
        self.has_histograms = self.has_histograms or bool(media)
        for name, number in row.items():
            self.points.put(name, step, time, number)
        return len(row)

    def take_config(self, config: Any) -> None:
        """Keys with a leading underscore are Trackio's own."""
        if not isinstance(config, Mapping):
            return
        own = {str(key): value for key, value in config.items() if not str(key).startswith("_")}
        self.log.config = {**self.log.config, **own}
        created = parse_time(str(config.get("_Created") or ""))
        if created is not None:
            self.log.started = created

    def finish(self) -> None:
        self.log.add(self.points.blocks())
        self.log.warnings += self.points.tails.warnings()
        if self.damaged:
            rows = "1 row is" if self.damaged == 1 else f"{self.damaged:,} rows are"
            self.log.warnings.append(Gap(f"{rows} damaged and left out"))


class Runs(dict[str, _Run]):
    """The runs of a file by their id."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._count = 0
        self.full = False

    def of(self, key: Any, name: Any) -> _Run:
        """The run with this id, or with this name where it has none; made if it is new."""
        key = str(key or name)
        run = self.get(key)
        if run is None:
            run = _Run(Log(self._path, ID, name=str(name or key)))
            if len(self) < _MAX_RUNS:
                self[key] = run
        return run

    def count(self, points: int) -> bool:
        """True if that many points more are still within bounds."""
        self._count += points
        if self._count > MAX_POINTS and not self.full:
            self.full = True
            told = f"more than {MAX_POINTS:,} points; the rest was not read"
            for run in self.values():
                run.log.warnings.append(Gap(told))
        return not self.full


def _read_sqlite(path: Path) -> Runs:
    runs = Runs(path)
    with opened(path) as connection:
        found = tables(connection)
        if not _NEEDED["metrics"] <= set(found.get("metrics", ())):
            raise ReadError(path, "the table `metrics` of Trackio is not there")
        run_id = "run_id" if "run_id" in found["metrics"] else "run_name"  # in its first versions
        query = (
            f"SELECT id, {run_id}, run_name, timestamp, step, metrics FROM metrics "
            "WHERE id > ? ORDER BY id"
        )
        last = -1
        warnings = shortfall(path)
        for row, key, name, stamp, step, blob in rows(connection, query, (-1,), warnings):
            last = row
            values = _json_of(blob)
            run = runs.of(key, name)
            run.damaged += not isinstance(values, Mapping) or not isinstance(step, int)
            if not runs.count(run.take(step, stamp, values)):
                break
        if {"timestamp", "metrics", run_id} <= set(found.get("system_metrics", ())):
            clocks = Clocks(runs)
            told = f"SELECT {run_id}, timestamp, metrics FROM system_metrics ORDER BY timestamp"
            for key, stamp, blob in rows(connection, told, (), []):
                if not runs.count(clocks.take(str(key), stamp, _json_of(blob))):
                    break
        if {"config", run_id, "run_name"} <= set(found.get("configs", ())):
            for key, config in rows(
                connection, f"SELECT {run_id}, config FROM configs", (), warnings
            ):
                if str(key) in runs:
                    runs[str(key)].take_config(_json_of(config))
    for key, run in runs.items():
        run.log.warnings += warnings
        own = query.replace("WHERE", f"WHERE {run_id} = ? AND")
        follower = _Follower(path, run, own, key, last)
        run.log.read_new = follower.read_new
        run.log.has_samples = set(found.get("traces", ())) >= _TRACE
        if run.has_histograms or run.log.has_samples:
            run.log.events = follower.events
    return runs


class Clocks:
    """System metrics have times only; they stand at the step that was reached by then."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._clocks: dict[str, tuple[FloatArray, IntArray]] = {}
        for key, run in runs.items():
            longest = max(
                run.points.columns.values(), key=lambda columns: len(columns[0]), default=None
            )
            if longest is not None:
                times = np.array(longest[1])
                order = np.argsort(times, kind="stable")
                self._clocks[key] = (times[order], np.array(longest[0])[order])

    def take(self, key: str, stamp: Any, values: Any) -> int:
        """Give system metrics to their run; returns how many numbers were in them."""
        run = self._runs.get(key)
        return 0 if run is None else run.take(self._step(key, stamp), stamp, values, "system/")

    def _step(self, key: str, stamp: Any) -> int:
        time = parse_time(str(stamp or ""))
        if time is None or key not in self._clocks:
            return 0
        times, steps = self._clocks[key]
        return int(steps[max(int(np.searchsorted(times, time, side="right")) - 1, 0)])


@dataclass
class _Follower:
    """One run of a SQLite file and how far it has been read."""

    path: Path
    run: _Run
    query: str
    key: str
    last: int

    def read_new(self) -> Blocks:
        """Points that were logged since."""
        try:
            with opened(self.path) as connection:
                for row, _, _, stamp, step, blob in connection.execute(
                    self.query, (self.key, self.last)
                ):
                    self.last = row
                    self.run.take(step, stamp, _json_of(blob))
        except (ReadError, OSError):
            pass
        return self.run.points.blocks()

    def events(self) -> Iterator[Event]:
        """Histograms, and traces: what a model and others said."""
        if self.run.has_histograms:
            yield from self._histograms()
        if self.run.log.has_samples:
            query = "SELECT step, messages, metadata FROM traces WHERE run_id = ? ORDER BY step, id"
            with opened(self.path) as connection:
                for step, messages, metadata in connection.execute(query, (self.key,)):
                    more = _json_of(metadata)
                    fields = dict(more) if isinstance(more, dict) else {}
                    yield Sample(int(step), math.nan, {**fields, "messages": _json_of(messages)})

    def _histograms(self) -> Iterator[Event]:
        with opened(self.path) as connection:
            for _, _, _, stamp, step, blob in connection.execute(self.query, (self.key, -1)):
                values = _json_of(blob)
                if not isinstance(values, dict) or not isinstance(step, int):
                    continue
                time = parse_time(str(stamp or ""))
                for name, value in values.items():
                    if isinstance(value, dict) and value.get("_type") == "trackio.histogram":
                        found = histogram_of(name, step, math.nan if time is None else time, value)
                        if found is not None:
                            yield found


def _json_of(blob: Any) -> Any:
    raw = blob.encode("utf-8", "replace") if isinstance(blob, str) else blob
    return parse_json(raw) if isinstance(raw, bytes) else None


def _read_parquet(path: Path) -> Runs:
    runs = Runs(path)
    for row in _parquet_rows(path, needed=True):
        run = runs.of(row.get("run_id"), row.get("run_name"))
        values = {key: value for key, value in row.items() if key not in _COLUMNS}
        if not runs.count(run.take(row.get("step"), row.get("timestamp"), values)):
            break
    if path.name == "metrics.parquet":
        configs = path.parent / "aux" / "configs.parquet"
        system = path.parent / "aux" / "system_metrics.parquet"
    else:
        configs = path.with_name(f"{path.stem}_configs.parquet")
        system = path.with_name(f"{path.stem}_system.parquet")
    clocks = Clocks(runs)
    for row in _parquet_rows(system):
        values = {name: value for name, value in row.items() if name not in _COLUMNS}
        clocks.take(str(row.get("run_id") or row.get("run_name")), row.get("timestamp"), values)
    for row in _parquet_rows(configs):
        known = runs.get(str(row.get("run_id") or row.get("run_name")))
        if known is not None:
            known.take_config({k: v for k, v in row.items() if k not in {*_COLUMNS, "created_at"}})
    return runs


def _parquet_rows(path: Path, *, needed: bool = False) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if not needed and not path.is_file():
            return
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH):
                yield from batch.to_pylist()
    except (OSError, ValueError, MemoryError, pa.ArrowException) as error:
        if needed:
            raise ReadError(path, f"this is not a complete Parquet file ({error})") from error


READER = Reader(ID, "Trackio project", sniff, read, role="main")
