"""The tables of a folder of runs, in a DuckDB file of the user's cache, for questions in SQL."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from runvitals.diagnosis.judge import settings_for
from runvitals.index.filling import Filler
from runvitals.index.rows import RunPoints, batches
from runvitals.index.schema import (
    FINDING,
    METRICS,
    POINTS,
    ROLLUP_STEPS,
    RUNS,
    VERDICTS,
    IndexTable,
)
from runvitals.model.references import cache_folder
from runvitals.store.clickhouse.connection import IndexAddress, turn_at

FILE = "runs-1.duckdb"  # another number where the tables differ
TABLES = (POINTS, RUNS, METRICS, VERDICTS)
_POINTS = re.compile(r"\b(points|spread)\b", re.IGNORECASE)
_VERDICTS = re.compile(r"\b(verdicts|findings|fleet)\b", re.IGNORECASE)
_KINDS = {
    "String": "VARCHAR",
    "UInt16": "USMALLINT",
    "UInt32": "UINTEGER",
    "UInt64": "BIGINT",  # sums of UBIGINT would not fit into 64 bits
    "Int64": "BIGINT",
    "Float64": "DOUBLE",
    "Bool": "BOOLEAN",
    "DateTime64(6, 'UTC')": "TIMESTAMP",
    "Array(String)": "VARCHAR[]",
    "Map(String, String)": "MAP(VARCHAR, VARCHAR)",
}
_WRAPPED = re.compile(r"(?:Nullable|LowCardinality)\((.*)\)")
_VIEWS = {
    "spread": "SELECT run, metric, step // {steps} * {steps} AS step, "
    "min(value) FILTER (isfinite(value)) AS low, max(value) FILTER (isfinite(value)) AS high, "
    "avg(value) FILTER (isfinite(value)) AS mean, "
    "arg_min(rank, value) FILTER (isfinite(value)) AS low_rank, "
    "arg_max(rank, value) FILTER (isfinite(value)) AS high_rank, "
    "count(*) FILTER (isfinite(value)) AS points, "
    "count(*) FILTER (NOT isfinite(value)) AS not_finite, max(time) AS time "
    "FROM points GROUP BY ALL",
    "config": "SELECT run, setting.key AS name, setting.value AS value, "
    "TRY_CAST(setting.value AS DOUBLE) AS number "
    "FROM (SELECT run, unnest(map_entries(settings)) AS setting FROM runs)",
    "findings": "SELECT run, verdict, {finding} "
    "FROM (SELECT run, verdict, unnest(findings) AS finding FROM verdicts)",
    "fleet": "SELECT r.run, r.project, r.id, r.name, r.status, v.verdict, "
    "list_filter(v.codes, lambda code, n: list_position(v.codes, code) = n) AS rules, "
    "v.alarms[1].code AS rule, v.alarms[1].message AS message, "
    "v.reason, v.outcome, v.start, v.best, v.now, "
    "TRY_CAST(r.settings['learning_rate'] AS DOUBLE) AS learning_rate, r.framework, r.algorithm, "
    "r.started, r.ended, r.last_step, r.points, r.tags, r.settings, r.source FROM runs AS r "
    "LEFT JOIN (SELECT *, list_filter(findings, lambda f: f.alarm AND f.part_of = '') AS alarms, "
    "list_transform(alarms, lambda f: f.code) AS codes FROM verdicts) AS v USING (run)",
}


@dataclass
class LocalTables:
    """Tables that are open for writing. `connection` is DuckDB's."""

    connection: Any

    def create(self) -> None:
        """Make what is not there yet."""
        for table in TABLES:
            columns = ", ".join(f"{column.name} {_kind(column.kind)}" for column in table.columns)
            self.connection.execute(f"CREATE TABLE IF NOT EXISTS {table.name} ({columns})")
        finding = ", ".join(f"finding.{name} AS {name}" for name, _ in FINDING)
        for name, select in _VIEWS.items():
            filled = select.format(steps=ROLLUP_STEPS, finding=finding)
            self.connection.execute(f"CREATE OR REPLACE VIEW {name} AS {filled}")

    def loaded_runs(self) -> list[tuple[Any, ...]]:
        """Source, key, id, fingerprint and status of each run that is there."""
        return self._rows("SELECT source, run, id, fingerprint, status FROM runs")

    def loaded_verdicts(self) -> list[tuple[Any, ...]]:
        """Key, judge and fingerprint of each verdict that is there."""
        return self._rows("SELECT run, judged_by, fingerprint FROM verdicts")

    def load(self, points: RunPoints, problems: list[str]) -> int:
        """Load the points of a run in place of what is there of it; the number of points."""
        problems += map(str, points.run.warnings)
        sent = 0
        with self._transaction():
            self.connection.execute("DELETE FROM points WHERE run = ?", [points.key])
            for table in batches(points.key, points.blocks()):
                self._append("points", table)
                sent += table.num_rows
        return sent

    def insert(self, table: IndexTable, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows in place of those of the same runs; documents stay in their folder."""
        if table not in TABLES or not rows:
            return
        schema = self.connection.sql(f"SELECT * FROM {table.name} LIMIT 0").to_arrow_table().schema
        fresh = pa.Table.from_pylist([_plain(row) for row in rows], schema)
        with self._transaction():
            self._drop(table.name, "IN", {row["run"] for row in rows})
            self._append(table.name, fresh)

    def keep_only(self, runs: set[str]) -> None:
        """Forget the runs that are no longer in the folder."""
        with self._transaction():
            for table in TABLES:
                self._drop(table.name, "NOT IN", runs)

    def _drop(self, table: str, how: str, runs: set[str]) -> None:
        self.connection.execute(
            f"DELETE FROM {table} WHERE run {how} (SELECT unnest(?::VARCHAR[]))", [sorted(runs)]
        )

    def _append(self, table: str, rows: pa.Table) -> None:
        self.connection.register("fresh", rows)
        self.connection.execute(f"INSERT INTO {table} SELECT * FROM fresh")
        self.connection.unregister("fresh")

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self.connection.execute(sql).fetchall()
        return found

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.connection.begin()
        try:
            yield
        except BaseException:
            self.connection.rollback()
            raise
        self.connection.commit()


def fill(top: Path, sql: str) -> tuple[Path, list[str]]:
    """Bring the tables of a folder up to date, as far as a question needs them.

    The file that they are in, and what could not be read of the folder.
    """
    digest = hashlib.sha256(str(top.resolve()).encode(errors="replace")).hexdigest()[:10]
    folder = cache_folder().absolute() / f"sql-{digest}"
    file = folder / FILE
    with turn_at(IndexAddress(folder=str(folder)), create=True), _opened(file) as tables:
        filler = Filler(
            tables,
            settings_for(),
            points=_POINTS.search(sql) is not None,
            verdicts=_VERDICTS.search(sql) is not None,
        )
        done = filler.fill(top)
        tables.keep_only(done.keys)
    return file, done.problems


@contextmanager
def _opened(file: Path) -> Iterator[LocalTables]:
    import duckdb

    try:
        connection = duckdb.connect(str(file))
    except duckdb.Error:  # damaged, or of a newer DuckDB: it only holds copies
        file.unlink()
        connection = duckdb.connect(str(file))
    with connection:
        tables = LocalTables(connection)
        tables.create()
        yield tables


def _kind(kind: str) -> str:
    """The type of DuckDB for one of ClickHouse."""
    while (wrapped := _WRAPPED.fullmatch(kind)) is not None:
        kind = wrapped[1]
    if kind.startswith("Array(Tuple("):
        return f"STRUCT({', '.join(f'{name} {_kind(of)}' for name, of in FINDING)})[]"
    return _KINDS[kind]


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as Arrow takes it: pairs for a map, a dict for each finding."""
    plain = dict(row)
    if "settings" in row:
        plain["settings"] = list(row["settings"].items())
    if "findings" in row:
        names = [name for name, _ in FINDING]
        plain["findings"] = [dict(zip(names, one, strict=True)) for one in row["findings"]]
    return plain
