"""Neptune runs that were made offline: operations line by line (1.x), or in SQLite (Neptune Scale).

Field numbers of the latter are those of `common.proto` of its ingestion.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.numbers import as_number
from runvitals.readers.raw.source import read_lines
from runvitals.readers.trackers import _protobuf as protobuf
from runvitals.readers.trackers._series import NamedPoints
from runvitals.readers.trackers._sqlite import has_tables, opened, rows

ID = "neptune"
_NEEDED = {"run_operations": {"operation_type", "operation"}, "metadata": {"project", "run_id"}}
_SNAPSHOT = 0  # the type of an operation that sets or appends values
_OWN = ("sys/", "monitoring/", "source_code/")


def sniff(path: Path, head: bytes) -> int:
    """By the first operation, or by its tables."""
    if path.name.startswith("data-") and head.startswith(b'{"obj": {"type": "'):
        return 98
    return 97 if has_tables(path, head, _NEEDED) else 0


def read(path: Path) -> list[Log]:
    """The run, from all files of its operations."""
    log, points = Log(path, ID), NamedPoints()
    if path.suffix == ".log":
        _read_lines(path, log, points)
    else:
        _read_sqlite(path, log, points)
    return [points.into(log)]


def _set(log: Log, name: str, value: Any) -> None:
    if name in ("sys/name", "sys/experiment/name"):
        log.name = "" if value == "Untitled" else str(value)
    elif not name.startswith(_OWN):
        log.config[name.removeprefix("params/").removeprefix("parameters/")] = value


def _read_lines(path: Path, log: Log, points: NamedPoints) -> None:
    damaged = 0
    files = path.parent.glob("data-*.log")
    for file in sorted(files, key=lambda one: (len(one.name), one.name)):
        for line in read_lines(file, log.warnings):
            try:
                told = orjson.loads(line)["obj"]
                name, kind = "/".join(map(str, told["path"])), str(told["type"])
            except (orjson.JSONDecodeError, KeyError, TypeError):
                damaged += bool(line.strip())
                continue
            if kind == "LogFloats":
                for place, one in enumerate(told.get("values") or ()):
                    value, step = as_number(one.get("value")), as_number(one.get("step"))
                    if value is not None:
                        time = as_number(one.get("ts"))
                        step = float(place) if step is None else step
                        called = name.replace("monitoring/", "system/", 1)
                        points.put(called, step, math.nan if time is None else time, value)
            elif kind in ("AssignFloat", "AssignInt", "AssignString", "AssignBool"):
                _set(log, name, told.get("value"))
    if damaged:
        log.warnings.append(f"{damaged} operations could not be read and were passed over")


def _read_sqlite(path: Path, log: Log, points: NamedPoints) -> None:
    query = "SELECT operation FROM run_operations WHERE operation_type = ? ORDER BY sequence_id"
    with opened(path) as connection:
        about = connection.execute("SELECT run_id FROM metadata").fetchone()
        log.name = str(about[0]) if about else path.stem
        for (blob,) in rows(connection, query, (_SNAPSHOT,), log.warnings):
            snapshot = list(protobuf.fields(blob))
            step, time = 0.0, math.nan
            for number, value in snapshot:
                if number == 1 and isinstance(value, bytes):
                    parts = protobuf.numbers(value)
                    step = protobuf.signed(parts.get(1, 0)) + protobuf.signed(parts.get(2, 0)) / 1e6
                elif number == 2 and isinstance(value, bytes):
                    time = protobuf.timestamp(value)
            for name, appended, value in _entries(snapshot):
                if appended and isinstance(value, float):
                    points.put(name, step, time, value)
                elif not appended and value is not None:
                    _set(log, name, value)


def _entries(snapshot: list[protobuf.Field]) -> Iterator[tuple[str, bool, Any]]:
    """What is assigned (field 4) or appended (8): a name, and a value of one of several kinds."""
    for number, entry in snapshot:
        if number not in (4, 8) or not isinstance(entry, bytes):
            continue
        name, held = "", b""
        for part, value in protobuf.fields(entry):
            if part == 1:
                name = protobuf.text(value)
            elif isinstance(value, bytes):
                held = value
        for kind, value in protobuf.fields(held):
            if kind == 1 and isinstance(value, int):
                yield name, number == 8, protobuf.double(value)
            elif kind in (3, 5) and isinstance(value, int):
                whole = protobuf.signed(value)
                yield name, number == 8, whole if kind == 3 else bool(whole)
            elif kind == 6:
                yield name, number == 8, protobuf.text(value)


READER = Reader(ID, "Neptune offline run", sniff, read, role="main", owns_folder=True)
