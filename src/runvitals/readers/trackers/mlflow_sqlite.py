"""MLflow's SQLite store (`mlflow.db`): all runs of all experiments in one file."""

from __future__ import annotations

import math
import sqlite3
import sys
from array import array
from pathlib import Path
from typing import Any

from runvitals.model import Gap, ReadError
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.rows.table import MAX_COLUMNS, MAX_POINTS, MAX_STEP
from runvitals.readers.trackers._series import SeriesTails, as_arrays
from runvitals.readers.trackers._sqlite import has_tables, opened, rows, shortfall, tables
from runvitals.readers.trackers.mlflow_folder import config_value, seconds

ID = "mlflow-sqlite"

MAX_RUNS = 100_000
_STATUS = {
    "RUNNING": "running",
    "SCHEDULED": "running",
    "FINISHED": "finished",
    "FAILED": "crashed",
    "KILLED": "killed",
}
_NEEDED = {
    "runs": {"run_uuid", "status", "start_time"},
    "metrics": {"key", "value", "timestamp", "run_uuid"},
    "params": {"key", "value", "run_uuid"},
}


def sniff(path: Path, head: bytes) -> int:
    """By its tables."""
    return 98 if has_tables(path, head, _NEEDED) else 0


def read(path: Path) -> list[Log]:
    """Every run with metrics, oldest first."""
    with opened(path) as connection:
        found = tables(connection)
        if not all(columns <= set(found.get(name, ())) for name, columns in _NEEDED.items()):
            raise ReadError(path, "the tables of MLflow (runs, metrics, params) are not all there")
        runs = _runs(path, connection, found)
        store = _Store(path, found["metrics"])
        warnings = shortfall(path)
        points, last = store.points(connection, -1, warnings)
        configs = _configs(connection)
        names = _run_names(connection, found)
    logs = []
    for run_id, log in runs.items():
        mine = points.get(run_id)
        if mine is None and log.status != "running":
            continue
        tails = SeriesTails()
        follower = _Run(store, run_id, tails, last)
        log.add(follower.blocks(mine or {}))
        log.config = configs.get(run_id, {})
        log.name = names.get(run_id) or log.name
        log.warnings += [*tails.warnings(), *warnings]
        log.read_new = follower.read_new
        logs.append(log)
    if not logs:
        raise ReadError(
            path,
            f"no metrics: {len(runs)} runs, none of which logged any",
            hint="they ended before their first log_metric",
        )
    return logs


_Points = dict[str, tuple["array[int]", "array[float]", "array[float]"]]


class _Store:
    """The metrics table."""

    def __init__(self, path: Path, columns: list[str]) -> None:
        self._path = path
        step = "step" if "step" in columns else "0"  # before MLflow 1.0
        nan = "is_nan" if "is_nan" in columns else "0"
        self._query = (
            f"SELECT rowid, run_uuid, key, value, timestamp, {step}, {nan} FROM metrics "
            "WHERE rowid > ?"
        )

    def points(
        self,
        connection: sqlite3.Connection,
        after: int,
        warnings: list[str],
        run_id: str | None = None,
    ) -> tuple[dict[str, _Points], int]:
        """Points by run and name in log order, and the id of the last row."""
        query, last, count = self._query, after, 0
        values: tuple[Any, ...] = (after,)
        if run_id is not None:
            query, values = f"{query} AND run_uuid = ?", (after, run_id)
        found: dict[str, _Points] = {}
        for row, run, key, value, stamp, step, nan in rows(
            connection, f"{query} ORDER BY rowid", values, warnings
        ):
            last = row
            if not isinstance(step, int) or abs(step) > MAX_STEP or not isinstance(key, str):
                continue
            if isinstance(value, int | float) and not nan:
                number = float(value)
                if abs(number) == sys.float_info.max:  # how MLflow keeps infinities
                    number = math.copysign(math.inf, number)
            elif nan:
                number = math.nan
            else:
                continue
            series = found.setdefault(run, {})
            columns = series.get(key)
            if columns is None:
                if len(series) >= MAX_COLUMNS:
                    continue
                columns = series[key] = (array("q"), array("d"), array("d"))
            columns[0].append(step)
            columns[1].append(stamp / 1e3 if isinstance(stamp, int) else math.nan)
            columns[2].append(number)
            count += 1
            if count >= MAX_POINTS:
                warnings.append(Gap(f"more than {MAX_POINTS:,} points; the rest was not read"))
                break
        return found, last

    def new_points(self, after: int, run_id: str) -> tuple[_Points, int]:
        with opened(self._path) as connection:
            found, last = self.points(connection, after, [], run_id)
        return found.get(run_id, {}), last


class _Run:
    """One run of the store and how far it has been read."""

    def __init__(self, store: _Store, run_id: str, tails: SeriesTails, last: int) -> None:
        self._store = store
        self._id = run_id
        self._tails = tails
        self._last = last

    def blocks(self, points: _Points) -> Blocks:
        blocks: Blocks = []
        for name, (steps, times, values) in points.items():
            blocks += self._tails.blocks(name, *as_arrays(steps, times, values))
        return blocks

    def read_new(self) -> Blocks:
        """Points that were logged since."""
        try:
            points, self._last = self._store.new_points(self._last, self._id)
        except (ReadError, OSError):
            return []
        return self.blocks(points)


def _runs(
    path: Path, connection: sqlite3.Connection, found: dict[str, list[str]]
) -> dict[str, Log]:
    columns = set(found["runs"])
    optional = [n if n in columns else "NULL" for n in ("name", "end_time", "lifecycle_stage")]
    query = f"SELECT run_uuid, status, start_time, {', '.join(optional)} FROM runs LIMIT {MAX_RUNS}"
    runs: list[tuple[str, Log]] = []
    for run_id, status, start, name, end, stage in connection.execute(query):
        log = Log(path, ID, name=str(name or run_id), status=_STATUS.get(status, "unknown"))
        log.started, log.ended = seconds(start), seconds(end)
        if stage == "deleted":
            log.warnings.append("the run was deleted in MLflow")
        runs.append((str(run_id), log))
    return dict(sorted(runs, key=lambda run: (run[1].started or 0.0, run[0])))


def _configs(connection: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    configs: dict[str, dict[str, Any]] = {}
    for run_id, key, value in connection.execute("SELECT run_uuid, key, value FROM params"):
        config = configs.setdefault(run_id, {})
        if isinstance(value, str) and len(config) < MAX_COLUMNS:
            config[str(key)] = config_value(value)
    return configs


def _run_names(connection: sqlite3.Connection, found: dict[str, list[str]]) -> dict[str, str]:
    """Older versions keep the name of a run only as a tag."""
    if not {"key", "value", "run_uuid"} <= set(found.get("tags", ())):
        return {}
    query = "SELECT run_uuid, value FROM tags WHERE key = 'mlflow.runName'"
    return {run_id: str(value) for run_id, value in connection.execute(query) if value}


READER = Reader(
    ID,
    "MLflow SQLite store",
    sniff,
    read,
    role="main",
)
