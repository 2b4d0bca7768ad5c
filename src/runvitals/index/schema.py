"""The tables of an index, described once: for one server, and for a cluster of them.

`points` holds every point, sorted so that a series lies in one place. `rollup` is filled from it as it
is filled: least, greatest and mean of all ranks for each stretch of steps. Small tables say what the
runs are and how they were judged; views ask the usual questions of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ROLLUP_STEPS = 8  # steps that one row of the rollup stands for; a power of two
DEDUPLICATED_BLOCKS = 100_000  # inserts that the engine remembers, so that a replay adds nothing
VERSION = "version"  # of a row that replaces an older one
_WHEN = "DateTime64(6, 'UTC')"
_WORD = "LowCardinality(String)"


@dataclass(frozen=True)
class IndexColumn:
    """One column."""

    name: str
    kind: str
    codec: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.kind}{f' CODEC({self.codec})' if self.codec else ''}"


@dataclass(frozen=True)
class IndexTable:
    """A table of the MergeTree family."""

    name: str
    columns: Sequence[IndexColumn]
    order: Sequence[str]
    engine: str = "MergeTree"
    argument: str = ""  # of the engine
    partition: str = ""
    ages_by: str = ""  # when a row is as old as it is kept, it goes
    deduplicates: bool = False


@dataclass(frozen=True)
class IndexRollup:
    """A materialised view: what is written into one table is written into another, summed up."""

    name: str
    source: str
    target: str
    select: str


@dataclass(frozen=True)
class IndexView:
    """A question that is asked often."""

    name: str
    select: str


POINTS = IndexTable(
    "points",
    [
        IndexColumn("run", _WORD),
        IndexColumn("metric", _WORD),  # the name as logged; the table `metrics` says what it means
        IndexColumn("rank", "UInt32", "Delta, LZ4"),
        IndexColumn(
            "life", "UInt16", "Delta, LZ4"
        ),  # of the process, from 1: a restart begins another
        IndexColumn("step", "Int64", "Delta, LZ4"),
        IndexColumn("time", _WHEN, "Delta, LZ4"),  # zero where it is not known
        IndexColumn("value", "Float64", "LZ4"),  # Gorilla took longer and, on noise, more room
    ],
    order=("run", "metric", "rank", "step"),
    partition="toYYYYMM(time)",
    ages_by="time",
    deduplicates=True,
)
ROLLUP = IndexTable(
    "rollup",
    [
        IndexColumn("run", _WORD),
        IndexColumn("metric", _WORD),
        IndexColumn("step", "Int64", "Delta, LZ4"),
        IndexColumn("points", "SimpleAggregateFunction(sum, UInt64)"),
        IndexColumn("not_finite", "SimpleAggregateFunction(sum, UInt64)"),
        IndexColumn("low", "SimpleAggregateFunction(min, Float64)"),
        IndexColumn("high", "SimpleAggregateFunction(max, Float64)"),
        IndexColumn("total", "SimpleAggregateFunction(sum, Float64)"),
        IndexColumn("low_rank", "AggregateFunction(argMin, UInt32, Float64)"),
        IndexColumn("high_rank", "AggregateFunction(argMax, UInt32, Float64)"),
        IndexColumn("first_time", f"SimpleAggregateFunction(min, {_WHEN})"),
        IndexColumn("last_time", f"SimpleAggregateFunction(max, {_WHEN})"),
    ],
    order=("run", "metric", "step"),
    engine="AggregatingMergeTree",
    deduplicates=True,
)
RUNS = IndexTable(
    "runs",
    [
        IndexColumn("run", "String"),
        IndexColumn("id", "String"),
        IndexColumn("name", "String"),
        IndexColumn("project", _WORD),
        IndexColumn("status", _WORD),
        IndexColumn("framework", _WORD),
        IndexColumn("algorithm", _WORD),
        IndexColumn("started", f"Nullable({_WHEN})"),
        IndexColumn("ended", f"Nullable({_WHEN})"),
        IndexColumn("last_step", "Nullable(Int64)"),
        IndexColumn("points", "UInt64"),
        IndexColumn("tags", "Array(String)"),
        IndexColumn("settings", "Map(String, String)"),
        IndexColumn("source", "String"),  # where it was indexed from
        IndexColumn("fingerprint", "String"),  # of its files then
        IndexColumn(VERSION, "UInt64"),
    ],
    order=("run",),
    engine="ReplacingMergeTree",
    argument=VERSION,
)
METRICS = IndexTable(
    "metrics",
    [
        IndexColumn("run", "String"),
        IndexColumn("name", "String"),
        IndexColumn("metric", _WORD),  # of the catalog; empty where nobody knows
        IndexColumn("points", "UInt64"),
        IndexColumn("last_step", "Int64"),
        IndexColumn("last", "Float64"),
        IndexColumn(VERSION, "UInt64"),
    ],
    order=("run", "name"),
    engine="ReplacingMergeTree",
    argument=VERSION,
)
FINDING = (
    ("code", "String"),
    ("name", "String"),
    ("severity", "String"),
    ("series", "String"),
    ("first_step", "Int64"),
    ("last_step", "Int64"),
    ("first_seen", "Nullable(Int64)"),
    ("message", "String"),
    ("advice", "String"),
    ("part_of", "String"),
    ("area", "String"),
    ("alarm", "Bool"),
)
VERDICTS = IndexTable(
    "verdicts",
    [
        IndexColumn("run", "String"),
        IndexColumn("verdict", _WORD),
        IndexColumn("reason", "String"),
        IndexColumn("outcome", "String"),
        IndexColumn("start", "Nullable(Float64)"),
        IndexColumn("best", "Nullable(Float64)"),
        IndexColumn("now", "Nullable(Float64)"),
        IndexColumn("findings", f"Array(Tuple({', '.join(f'{n} {k}' for n, k in FINDING)}))"),
        IndexColumn("judged_by", "String"),  # a digest of rules and settings
        IndexColumn("fingerprint", "String"),
        IndexColumn("judged", _WHEN),
        IndexColumn(VERSION, "UInt64"),
    ],
    order=("run",),
    engine="ReplacingMergeTree",
    argument=VERSION,
)
DOCUMENTS = IndexTable(
    "documents",  # small files of run folders, so that a run can be read back as a whole
    [
        IndexColumn("run", "String"),
        IndexColumn("name", "String"),
        IndexColumn("content", "String", "ZSTD(3)"),
        IndexColumn(VERSION, "UInt64"),
    ],
    order=("run", "name"),
    engine="ReplacingMergeTree",
    argument=VERSION,
)
LOADED = IndexTable(
    "loaded",  # how far each segment of points was taken in
    [
        IndexColumn("run", "String"),
        IndexColumn("segment", "String"),
        IndexColumn("generation", "UInt64"),
        IndexColumn("first", "UInt64"),
        IndexColumn("stop", "UInt64"),
        IndexColumn("sealed", "Bool"),
        IndexColumn("done", "Bool"),
        IndexColumn("horizon", "Float64"),
        IndexColumn("counts", "Map(String, UInt64)"),
        IndexColumn(VERSION, "UInt64"),
    ],
    order=("run", "segment"),
    engine="ReplacingMergeTree",
    argument=VERSION,
)
TABLES = (POINTS, ROLLUP, RUNS, METRICS, VERDICTS, DOCUMENTS, LOADED)

_FINITE = "isFinite(value)"
FILLED = IndexRollup(
    "rollup_filled",
    "points",
    "rollup",
    "SELECT run, metric, "
    f"bitAnd(step, -{ROLLUP_STEPS}) AS step, "
    f"countIf({_FINITE}) AS points, countIf(NOT {_FINITE}) AS not_finite, "
    f"min(if({_FINITE}, value, inf)) AS low, max(if({_FINITE}, value, -inf)) AS high, "
    f"sumIf(value, {_FINITE}) AS total, "
    f"argMinState(rank, if({_FINITE}, value, inf)) AS low_rank, "
    f"argMaxState(rank, if({_FINITE}, value, -inf)) AS high_rank, "
    "min(time) AS first_time, max(time) AS last_time "
    "FROM {source} GROUP BY run, metric, step",
)

VIEWS = (
    IndexView(
        "spread",  # over ranks and time, from the rollup
        "SELECT run, metric, step, min(r.low) AS low, max(r.high) AS high, "
        "sum(r.total) / sum(r.points) AS mean, argMinMerge(r.low_rank) AS low_rank, "
        "argMaxMerge(r.high_rank) AS high_rank, sum(r.points) AS points, "
        "sum(r.not_finite) AS not_finite, max(r.last_time) AS time "
        "FROM {db}.rollup AS r GROUP BY run, metric, step",
    ),
    IndexView(
        "config",
        "SELECT run, setting.1 AS name, setting.2 AS value, toFloat64OrNull(setting.2) AS number "
        "FROM {db}.runs FINAL ARRAY JOIN CAST(settings, 'Array(Tuple(String, String))') AS setting",
    ),
    IndexView(
        "findings",
        "SELECT run, verdict, "
        + ", ".join(f"finding.{name} AS {name}" for name, _ in FINDING)
        + " FROM {db}.verdicts FINAL ARRAY JOIN findings AS finding",
    ),
    IndexView(
        "fleet",
        "SELECT r.run AS run, r.project AS project, r.id AS id, r.name AS name, "
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
    ),
)


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
    source = f"{database}.{FILLED.source}{part}"
    made.append(
        f"CREATE MATERIALIZED VIEW IF NOT EXISTS {database}.{FILLED.name}{on} "
        f"TO {database}.{FILLED.target}{part}\nAS {FILLED.select.format(source=source)}"
    )
    for view in VIEWS:
        select = view.select.format(db=database, global_="GLOBAL " if cluster else "")
        made.append(f"CREATE OR REPLACE VIEW {database}.{view.name}{on}\nAS {select}")
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
    arguments = [table.argument] if table.argument else []
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
