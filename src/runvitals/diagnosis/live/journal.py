"""`findings.jsonl`: what the live judge said, and when; one JSON object a line.

time, step   when it was said, in Unix seconds, and the last step that was logged by then
event        `opened`, `worsened` or `closed`
code, name, severity, series, message, advice, causes, also
             the finding
first, last, points
             the steps it is about, and how many points lie there
limit        its threshold: `value`, and `source` (where that comes from); null if it has none
part_of      the code of the finding that explains this one, or null
accepted     why the script expects it; empty if it does not
area         the line of the report card that it belongs to; `telemetry` is about the log
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from runvitals.diagnosis.open_findings import key_of
from runvitals.model import Finding, FindingChange, Limit, Span
from runvitals.model.atomic import hides_something, keep_private
from runvitals.model.secrets import redacted
from runvitals.store.files import dumps, with_checksum, without_checksum
from runvitals.store.layout import FINDINGS_FILE


class Journal:
    """Appends whole lines, so that what was written survives the death of the process."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FINDINGS_FILE

    def add(self, changes: Iterable[FindingChange]) -> None:
        """Write changes down."""
        lines = (dumps(_record(change), orjson.OPT_APPEND_NEWLINE) for change in changes)
        data = b"".join(map(with_checksum, lines))
        if not data:
            return
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            if hides_something(data):
                keep_private(file)
            size = os.fstat(file).st_size
            if size:
                os.lseek(file, -1, os.SEEK_END)
                if os.read(file, 1) != b"\n":
                    data = b"\n" + data  # the last line of an earlier process is torn
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(file, left) :]
            except OSError:
                os.ftruncate(file, size)
                raise
        finally:
            os.close(file)


def read_changes(folder: Path) -> list[FindingChange]:
    """Everything that was written down in a run folder; torn or damaged lines are passed over."""
    path = folder / FINDINGS_FILE
    lines = path.read_bytes().splitlines() if path.is_file() else []
    return [change for line in lines if (change := _parse(line)) is not None]


def still_open(changes: Iterable[FindingChange]) -> list[FindingChange]:
    """The latest change of each finding that was not closed."""
    latest = {key_of(change.finding): change for change in changes}
    return [change for change in latest.values() if change.event != "closed"]


def _record(change: FindingChange) -> dict[str, Any]:
    finding, limit = change.finding, change.finding.limit
    return {
        "time": change.time,
        "step": change.step,
        "event": change.event,
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "series": finding.series,
        "message": redacted(finding.message),
        "advice": redacted(finding.advice),
        "causes": redacted(finding.causes),
        "also": finding.also,
        "first": finding.span.first,
        "last": finding.span.last,
        "points": finding.span.count,
        "limit": None if limit is None else {"value": limit.value, "source": limit.source},
        "part_of": change.part_of,
        "accepted": redacted(finding.accepted),
        "area": finding.area,
        "rank": finding.rank,
    }


def _parse(line: bytes) -> FindingChange | None:
    try:
        record, intact = without_checksum(line)
        if not intact:
            return None
        limit = record["limit"]
        finding = Finding(
            code=record["code"],
            name=record["name"],
            severity=record["severity"],
            series=record["series"],
            span=Span(record["first"], record["last"], record["points"]),
            message=record["message"],
            advice=record["advice"],
            causes=tuple(record["causes"]),
            limit=None if limit is None else Limit(limit["value"], limit["source"]),
            also=tuple(record["also"]),
            accepted=record["accepted"],
            area=record.get("area", ""),
            rank=record.get("rank"),
        )
        return FindingChange(
            record["event"], finding, record["step"], record["time"], record["part_of"]
        )
    except (KeyError, TypeError, ValueError):
        return None
