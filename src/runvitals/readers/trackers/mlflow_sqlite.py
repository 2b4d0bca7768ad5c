"""MLflow's SQLite store (`mlflow.db`): all runs of all experiments in one file."""

import math
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runvitals.model import Gap, ReadError
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.rows.table import MAX_COLUMNS, MAX_POINTS
from runvitals.readers.trackers._series import NamedPoints
from runvitals.readers.trackers._sqlite import has_tables, opened, rows, shortfall, tables
from runvitals.readers.trackers.mlflow_folder import config_value, seconds

ID = "mlflow-sqlite"

MAX_RUNS = 100_000
_STATUS = {
    "RUNNING": "running", "SCHEDULED": "running", "FINISHED": "finished", "FAILED": "crashed",
    "KILLED": "killed",
}  # fmt: skip
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
        points: dict[str, NamedPoints] = defaultdict(NamedPoints)
        last = store.read(connection, -1, points, warnings)
        configs = _configs(connection)
        names = _run_names(connection, found)
    logs = []
    for run_id, log in runs.items():
        if run_id not in points and log.status != "running":
            continue
        mine = points[run_id]
        log.add(mine.blocks())
        log.config = configs.get(run_id, {})
        log.name = names.get(run_id) or log.name
        log.warnings += [*mine.tails.warnings(), *warnings]
        log.read_new = _Run(store, run_id, mine, last).read_new
        logs.append(log)
    if not logs:
        hint = "they ended before their first log_metric"
        raise ReadError(path, f"no metrics: {len(runs)} runs, none of which logged any", hint=hint)
    return logs


class _Store:
    """The metrics table."""

    def __init__(self, path: Path, columns: list[str]) -> None:
        self.path = path
        step = "step" if "step" in columns else "0"  # before MLflow 1.0
        nan = "is_nan" if "is_nan" in columns else "0"
        self._query = (
            f"SELECT rowid, run_uuid, key, value, timestamp, {step}, {nan} FROM metrics "
            "WHERE rowid > ?"
        )

    def read(
        self,
        connection: sqlite3.Connection,
        after: int,
        points: Mapping[str, NamedPoints],
        warnings: list[str],
        run_id: str | None = None,
    ) -> int:
        """Take in points by run, in log order; gives the id of the last row."""
        query, last, count = self._query, after, 0
        values: tuple[Any, ...] = (after,)
        if run_id is not None:
            query, values = f"{query} AND run_uuid = ?", (after, run_id)
        for row, run, key, value, stamp, step, nan in rows(
            connection, f"{query} ORDER BY rowid", values, warnings
        ):
            last = row
            if not isinstance(step, int) or not isinstance(key, str):
                continue
            if isinstance(value, int | float) and not nan:
                number = float(value)
                if abs(number) == sys.float_info.max:  # how MLflow keeps infinities
                    number = math.copysign(math.inf, number)
            elif nan:
                number = math.nan
            else:
                continue
            time = stamp / 1e3 if isinstance(stamp, int) else None
            count += points[run].put(key, step, time, number)
            if count >= MAX_POINTS:
                warnings.append(Gap(f"more than {MAX_POINTS:,} points; the rest was not read"))
                break
        return last


@dataclass
class _Run:
    """One run of the store and how far it has been read."""

    store: _Store
    id: str
    points: NamedPoints
    last: int

    def read_new(self) -> Blocks:
        """Points that were logged since."""
        try:
            with opened(self.store.path) as connection:
                mine = {self.id: self.points}
                self.last = self.store.read(connection, self.last, mine, [], self.id)
        except (ReadError, OSError):
            return []
        return self.points.blocks()


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


READER = Reader(ID, "MLflow SQLite store", sniff, read, role="main")
