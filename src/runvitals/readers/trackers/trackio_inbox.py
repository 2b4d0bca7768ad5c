"""Trackio fragments (`inbox/<writer>/<number>.jsonl`): what it writes where SQLite is not safe.

That is on network disks, until a dashboard gathers them into the project's database.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import read_lines
from runvitals.readers.trackers.trackio import Clocks, Runs

ID = "trackio-inbox"


def sniff(path: Path, head: bytes) -> int:  # noqa: ARG001 - one signature for all readers
    """By the first fields of a record."""
    return 97 if head.startswith(b'{"v":1,"kind":"') and b'"run_id":' in head else 0


def read(path: Path) -> list[Log]:
    """The runs of one fragment."""
    return read_together([path])


def read_together(paths: Sequence[Path]) -> list[Log]:
    """The runs of one writer's fragments, in the order in which they were written."""
    runs, warnings = Runs(paths[0]), list[str]()
    system: list[dict[str, Any]] = []
    damaged = 0
    for path in sorted(paths):
        for line in read_lines(path, warnings):
            try:
                record = orjson.loads(line)
            except orjson.JSONDecodeError:
                damaged += bool(line.strip())
                continue
            if record.get("kind") == "system_metric":
                system.append(record)
            elif record.get("kind") == "metric":
                run = runs.of(record.get("run_id"), record.get("run"))
                run.take_config(record.get("config"))
                runs.count(
                    run.take(record.get("step"), record.get("timestamp"), record.get("metrics"))
                )
    clocks = Clocks(runs)
    for record in system:
        key = str(record.get("run_id") or record.get("run"))
        clocks.take(key, record.get("timestamp"), record.get("metrics"))
    logs = [run.log for run in runs.values() if run.points.columns]
    for run in runs.values():
        run.damaged += damaged
        run.log.warnings += warnings
        run.finish()
    if not logs:
        raise ReadError(paths[0], "no metrics: the fragments hold no rows with numbers")
    return logs


READER = Reader(ID, "Trackio fragments", sniff, read, role="main", read_together=read_together)
