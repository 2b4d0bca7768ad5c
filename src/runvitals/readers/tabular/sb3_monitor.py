"""Stable-Baselines3 and OpenAI Baselines `monitor.csv`: one row per episode, one file per worker."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import ReadError
from runvitals.model.run import in_place
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import head as first_bytes
from runvitals.readers.rows.table import Column, Table, TableRun
from runvitals.readers.tabular._blocks import Follower, is_binary, logs_of, parse_file, utf8
from runvitals.readers.tabular._delimited import CsvParser
from runvitals.readers.tabular._json import parse
from runvitals.readers.tabular._table_head import FileHead, sample

ID = "sb3-monitor"

_STEP = "_step"  # our own column: the episode lengths, summed up
_TIME = "timestamp"


def sniff(path: Path, head: bytes) -> int:  # noqa: ARG001 - the first line tells
    """By the `#{...}` line, and the columns r, l, t below it."""
    if is_binary(head) or not head.startswith(b"#"):
        return 0
    lines = head.split(b"\n", 2)
    if len(lines) < 2 or b'"t_start"' not in lines[0]:
        return 0
    names = lines[1].strip().split(b",")
    return 97 if {b"r", b"l", b"t"} <= set(names) else 0


def read(path: Path) -> list[Log]:
    """The episodes, over the environment steps of this worker."""
    table, info, warnings, parser, follower = _table(path)
    table = _with_steps(table, info, 0.0)
    log, part = _log(path, table, info, warnings)
    if follower is not None and parser is not None:
        done = [float(table.columns[_STEP].values[-1])]

        def shape(new: Table) -> Table:
            new = _with_steps(new, info, done[0])
            if new.rows:
                done[0] = float(new.columns[_STEP].values[-1])
            return new

        def again() -> CsvParser:  # a file that starts over counts from zero
            found, anew = _header(path)
            done[0] = 0.0
            info.clear()
            info.update(anew)
            return CsvParser(found, [])

        log.read_new = follower.follow(
            parser, again, part, rows=table.rows, time=_TIME, shape=shape
        )
    return [log]


def read_together(paths: Sequence[Path]) -> list[Log]:
    """The workers of one run, which lie in one folder."""
    return [read_workers(paths)]


def read_workers(paths: Sequence[Path]) -> Log:
    """The monitor files of one run's workers as one log: episodes in the order they ended, over the
    environment steps of all workers together."""
    tables: list[Table] = []
    warnings: list[str] = []
    infos: list[dict[str, Any]] = []
    for path in paths:
        try:
            table, info, notes, _, _ = _table(path)
        except ReadError as error:
            warnings.append(str(error))
            continue
        infos.append(info)
        warnings.extend(in_place(note, path.name) for note in notes)
        tables.append(table)
    if not tables:
        raise ReadError(paths[0] if paths else "", "none of the monitor files can be read")
    starts = [start for info in infos if (start := _start(info)) is not None]
    joined = _join(tables, infos, min(starts, default=None))
    log, _ = _log(paths[0].parent, joined, {**infos[0], "t_start": min(starts, default=None)}, [])
    log.warnings = warnings + log.warnings
    log.name = paths[0].parent.name
    return log


def _header(path: Path) -> tuple[FileHead, dict[str, Any]]:
    text = utf8(first_bytes(path))
    first, _, rest = text.partition(b"\n")
    if not first.startswith(b"#"):
        raise ReadError(path, "no `#{...}` line at its top", hint="is this a monitor.csv?")
    info: dict[str, Any] = {}
    try:
        found = parse(first.lstrip(b"# \t").strip())
        info = found if isinstance(found, dict) else {}
    except ValueError:
        pass  # the times are then unknown, the episodes are not
    table = sample(rest, ",")
    if table is None or not table.header or not {"r", "l"} <= set(table.names):
        raise ReadError(path, "no columns r and l below its first line")
    return table, info


def _table(path: Path) -> tuple[Table, dict[str, Any], list[str], CsvParser, Follower | None]:
    found, info = _header(path)
    warnings: list[str] = []
    parser = CsvParser(found, warnings)
    follower = parse_file(path, parser, warnings)
    parser.report()
    table = parser.rows.table()
    if not table.rows or "r" not in table.columns or "l" not in table.columns:
        raise ReadError(path, "no episode in it", hint="no episode has ended yet")
    return table, info, warnings, parser, follower


def _start(info: dict[str, Any]) -> float | None:
    start = info.get("t_start")
    return float(start) if isinstance(start, int | float) and 0 < start < 1e11 else None


def _with_steps(table: Table, info: dict[str, Any], done: float) -> Table:
    """The table with the environment steps, and wall-clock times where the start is known."""
    if not table.rows or "l" not in table.columns:
        return Table(0)
    lengths = np.zeros(table.rows)
    column = table.columns["l"]
    lengths[column.places] = np.where(np.isfinite(column.values), np.maximum(column.values, 0.0), 0)
    everywhere = np.arange(table.rows)
    table.columns[_STEP] = Column(done + np.cumsum(lengths), everywhere)
    start = _start(info)
    elapsed = table.columns.get("t")
    if start is not None and elapsed is not None:
        table.columns[_TIME] = Column(start + elapsed.values, elapsed.places)
    return table


def _join(tables: list[Table], infos: list[dict[str, Any]], first: float | None) -> Table:
    """All episodes in the order of their ends. A worker's `t` counts from its own start."""
    ends = []
    for table, info in zip(tables, infos, strict=True):
        end = np.full(table.rows, np.nan)
        column = table.columns.get("t")
        if column is not None:
            shift = (_start(info) or 0.0) - (first or 0.0) if first is not None else 0.0
            end[column.places] = column.values + shift
        ends.append(end)
    order = np.argsort(np.concatenate(ends), kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    joined = Table(len(order))
    names = dict.fromkeys(name for table in tables for name in table.columns)
    offsets = np.cumsum([0, *(table.rows for table in tables)])
    for name in names:
        values, places = [], []
        for table, offset, end in zip(tables, offsets, ends, strict=False):
            column = table.columns.get(name)
            if column is not None:
                values.append(end[column.places] if name == "t" else column.values)
                places.append(rank[column.places + offset])
        where = np.concatenate(places)
        by_row = np.argsort(where)
        joined.columns[name] = Column(np.concatenate(values)[by_row], where[by_row])
    info = {"t_start": first}
    return _with_steps(joined, info, 0.0)


def _log(
    path: Path, table: Table, info: dict[str, Any], warnings: list[str]
) -> tuple[Log, TableRun]:
    elapsed = table.columns.get("t")
    if elapsed is not None and bool((np.diff(elapsed.values) < 0).any()):
        warnings = [*warnings, "the time runs backwards: two monitors may have written this file"]
    logs, parts = logs_of(path, ID, table, warnings, step=_STEP, time=_TIME)
    log, part = logs[0], parts[0]
    env = info.get("env_id")
    if isinstance(env, str):
        log.config["env_id"] = env
    return log, part


READER = Reader(
    ID, "Stable-Baselines3 monitor.csv", sniff, read, role="side", read_together=read_together
)
