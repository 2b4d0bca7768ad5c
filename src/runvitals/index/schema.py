"""The tables of an index, described once: for one server, and for a cluster of them.

`points` holds every point, sorted so that a series lies in one place. `rollup` is filled from it as it
is filled: least, greatest and mean of all ranks for each stretch of steps. Small tables say what the
runs are and how they were judged; views ask the usual questions of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

ROLLUP_STEPS = 8  # steps that one row of the rollup stands for; a power of two
DEDUPLICATED_BLOCKS = 100_000  # inserts that the engine remembers, so that a replay adds nothing
VERSION = "version"  # of a row that replaces an older one
_KINDS = {
    "When": "DateTime64(6, 'UTC')",
    "Word": "LowCardinality(String)",
}  # shorter names for them


@dataclass(frozen=True)
class IndexColumn:
    """One column."""

    name: str
    kind: str
    codec: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.kind}{f' {self.codec}' if self.codec else ''}"


@dataclass(frozen=True)
class IndexTable:
    """A table of the MergeTree family."""

    name: str
    columns: Sequence[IndexColumn]
    order: Sequence[str]
    engine: str
    partition: str = ""
    ages_by: str = ""  # when a row is as old as it is kept, it goes
    deduplicates: bool = False


def _table(name: str, order: str, page: str, **more: Any) -> IndexTable:
    """A table from the columns of a page, written as in SQL and divided by `;`.

    With a version, the newest row of a key takes the place of the others.
    """
    columns = list(_columns(page))
    engine = "ReplacingMergeTree" if columns[-1].name == VERSION else "MergeTree"
    return IndexTable(name, columns, order.split(), **{"engine": engine, **more})


def _columns(page: str) -> Iterator[IndexColumn]:
    for line in page.strip().splitlines():
        for column in line.partition("  # ")[0].split("; "):
            name, _, rest = column.partition(" ")
            kind, found, codec = rest.partition(" CODEC")
            spelled = re.sub("|".join(_KINDS), lambda short: _KINDS[short[0]], kind)
            yield IndexColumn(name, spelled, found.lstrip() + codec)


POINTS = _table(
    "points",
    "run metric rank step",
    """
run Word
metric Word  # the name as logged; the table `metrics` says what it means
rank UInt32 CODEC(Delta, LZ4)
life UInt16 CODEC(Delta, LZ4)  # of the process, from 1: a restart begins another
step Int64 CODEC(Delta, LZ4)
time When CODEC(Delta, LZ4)  # zero where it is not known
value Float64 CODEC(LZ4)  # Gorilla took longer and, on noise, more room
""",
    partition="toYYYYMM(time)",
    ages_by="time",
    deduplicates=True,
)
ROLLUP = _table(
    "rollup",
    "run metric step",
    """
run Word; metric Word; step Int64 CODEC(Delta, LZ4)
points SimpleAggregateFunction(sum, UInt64); not_finite SimpleAggregateFunction(sum, UInt64)
low SimpleAggregateFunction(min, Float64); high SimpleAggregateFunction(max, Float64)
total SimpleAggregateFunction(sum, Float64)
low_rank AggregateFunction(argMin, UInt32, Float64)
high_rank AggregateFunction(argMax, UInt32, Float64)
first_time SimpleAggregateFunction(min, When); last_time SimpleAggregateFunction(max, When)
""",
    engine="AggregatingMergeTree",
    deduplicates=True,
)
RUNS = _table(
    "runs",
    "run",
    """
run String; id String; name String; project Word; status Word; framework Word; algorithm Word
started Nullable(When); ended Nullable(When); last_step Nullable(Int64); points UInt64
tags Array(String); settings Map(String, String)
source String  # where it was indexed from
fingerprint String  # of its files then
version UInt64
""",
)
METRICS = _table(
    "metrics",
    "run name",
    """
run String; name String
metric Word  # of the catalog; empty where nobody knows
points UInt64; last_step Int64; last Float64; version UInt64
""",
)
FINDING = [
    (column.name, column.kind)
    for column in _columns("""
code String; name String; severity String; series String; first_step Int64; last_step Int64
first_seen Nullable(Int64); message String; advice String; part_of String; area String; alarm Bool
""")
]
VERDICTS = _table(
    "verdicts",
    "run",
    f"""
run String; verdict Word; reason String; outcome String
start Nullable(Float64); best Nullable(Float64); now Nullable(Float64)
findings Array(Tuple({", ".join(f"{name} {kind}" for name, kind in FINDING)}))
judged_by String  # a digest of rules and settings
fingerprint String; judged When; version UInt64
""",
)
# small files of run folders, so that a run can be read back as a whole
DOCUMENTS = _table(
    "documents",
    "run name",
    "run String; name String; content String CODEC(ZSTD(3)); version UInt64",
)
# how far each segment of points was taken in
LOADED = _table(
    "loaded",
    "run segment",
    """
run String; segment String; generation UInt64; first UInt64; stop UInt64; sealed Bool; done Bool
horizon Float64; counts Map(String, UInt64); version UInt64
""",
)
TABLES = (POINTS, ROLLUP, RUNS, METRICS, VERDICTS, DOCUMENTS, LOADED)

_FINITE = "isFinite(value)"
# what is written into the points is written into the rollup too, summed up
_ROLLED_UP = (
    "SELECT run, metric, "
    f"bitAnd(step, -{ROLLUP_STEPS}) AS step, "
    f"countIf({_FINITE}) AS points, countIf(NOT {_FINITE}) AS not_finite, "
    f"min(if({_FINITE}, value, inf)) AS low, max(if({_FINITE}, value, -inf)) AS high, "
    f"sumIf(value, {_FINITE}) AS total, "
    f"argMinState(rank, if({_FINITE}, value, inf)) AS low_rank, "
    f"argMaxState(rank, if({_FINITE}, value, -inf)) AS high_rank, "
    "min(time) AS first_time, max(time) AS last_time "
    "FROM {source} GROUP BY run, metric, step"
)

_VIEWS = {  # questions that are asked often
    # over ranks and time, from the rollup
    "spread": "SELECT run, metric, step, min(r.low) AS low, max(r.high) AS high, "
    "sum(r.total) / sum(r.points) AS mean, argMinMerge(r.low_rank) AS low_rank, "
    "argMaxMerge(r.high_rank) AS high_rank, sum(r.points) AS points, "
    "sum(r.not_finite) AS not_finite, max(r.last_time) AS time "
    "FROM {db}.rollup AS r GROUP BY run, metric, step",
    "config": "SELECT run, setting.1 AS name, setting.2 AS value, "
    "toFloat64OrNull(setting.2) AS number "
    "FROM {db}.runs FINAL ARRAY JOIN CAST(settings, 'Array(Tuple(String, String))') AS setting",
    "findings": "SELECT run, verdict, "
    + ", ".join(f"finding.{name} AS {name}" for name, _ in FINDING)
    + " FROM {db}.verdicts FINAL ARRAY JOIN findings AS finding",
    "fleet": "SELECT r.run AS run, r.project AS project, r.id AS id, r.name AS name, "
    "r.status AS status, v.verdict AS verdict, "
    "arrayDistinct(arrayMap(f -> f.code, arrayFilter(f -> f.alarm AND f.part_of = '', "
    "v.findings))) AS rules, "
    "rules[1] AS rule, "
    "arrayFirst(f -> f.alarm AND f.part_of = '', v.findings).message AS message, "
    "v.reason AS reason, v.outcome AS outcome, v.start AS start, v.best AS best, v.now AS now, "
    "toFloat64OrNull(r.settings['learning_rate']) AS learning_rate, "
    "r.framework AS framework, r.algorithm AS algorithm, r.started AS started, "
    "r.ended AS ended, r.last_step AS last_step, r.points AS points, r.tags AS tags, "
    "r.settings AS settings, r.source AS source "
    "FROM (SELECT * FROM {db}.runs FINAL) AS r {global_}LEFT JOIN "
    "(SELECT * FROM {db}.verdicts FINAL) AS v ON r.run = v.run",
}


def statements(
    database: str, *, cluster: str | None = None, keep_days: int | None = None
) -> list[str]:
    """What creates the index; with a cluster, on all of its servers.

    Of a cluster each table has a part on every shard (`points_local`, replicated) and a face for all
    of them (`points`). A run lies on one shard.
    """
    on = f" ON CLUSTER '{cluster}'" if cluster else ""
    made = [f"CREATE DATABASE IF NOT EXISTS {database}{on}"]
    for table in TABLES:
        name = f"{database}.{table.name}{'_local' if cluster else ''}"
        made.append(_create(table, name, on, replicated=bool(cluster), keep_days=keep_days))
        if cluster:
            made.append(
                f"CREATE TABLE IF NOT EXISTS {database}.{table.name}{on} AS {name}\n"
                f"ENGINE = Distributed('{cluster}', '{database}', '{table.name}_local', "
                "cityHash64(run))"
            )
    part = "_local" if cluster else ""
    made.append(
        f"CREATE MATERIALIZED VIEW IF NOT EXISTS {database}.rollup_filled{on} "
        f"TO {database}.rollup{part}\nAS {_ROLLED_UP.format(source=f'{database}.points{part}')}"
    )
    for name, question in _VIEWS.items():
        select = question.format(db=database, global_="GLOBAL " if cluster else "")
        made.append(f"CREATE OR REPLACE VIEW {database}.{name}{on}\nAS {select}")
    return made


def ages(database: str, keep_days: int) -> list[str]:
    """What sets another age at which points are dropped, in an index that is there already."""
    return [
        f"ALTER TABLE {database}.{table.name} MODIFY TTL {_ttl(table, keep_days)}"
        for table in TABLES
        if table.ages_by
    ]


def _create(
    table: IndexTable, name: str, on: str, *, replicated: bool, keep_days: int | None
) -> str:
    columns = ",\n  ".join(map(str, table.columns))
    arguments = [VERSION] if table.engine == "ReplacingMergeTree" else []
    if replicated:
        arguments = ["'/clickhouse/tables/{uuid}/{shard}'", "'{replica}'", *arguments]
    engine = f"{'Replicated' if replicated else ''}{table.engine}({', '.join(arguments)})"
    lines = [f"CREATE TABLE IF NOT EXISTS {name}{on} (\n  {columns}\n)", f"ENGINE = {engine}"]
    if table.partition:
        lines.append(f"PARTITION BY {table.partition}")
    lines.append(f"ORDER BY ({', '.join(table.order)})")
    if table.ages_by and keep_days:
        lines.append(f"TTL {_ttl(table, keep_days)}")
    if table.deduplicates:
        window = "replicated" if replicated else "non_replicated"
        lines.append(f"SETTINGS {window}_deduplication_window = {DEDUPLICATED_BLOCKS}")
    return "\n".join(lines)


def _ttl(table: IndexTable, keep_days: int) -> str:
    """Points whose time nobody knows have no age."""
    when = f"toDateTime({table.ages_by})"
    known = f"toUnixTimestamp64Micro({table.ages_by}) > 0"
    return f"{when} + INTERVAL {keep_days} DAY DELETE WHERE {known}"
