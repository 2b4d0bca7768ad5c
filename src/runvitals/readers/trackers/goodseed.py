"""GoodSeed runs: a SQLite file each, with its settings and series."""

from pathlib import Path

from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.numbers import parse_time
from runvitals.readers.raw.yaml_values import parse_scalar
from runvitals.readers.trackers._series import NamedPoints
from runvitals.readers.trackers._sqlite import has_tables, opened, rows, shortfall

ID = "goodseed"
_NEEDED = {
    "metric_series": {"id", "path"},
    "metric_points": {"series_id", "step", "y", "ts"},
    "run_meta": {"key", "value"},
    "configs": {"path", "type_tag", "value"},
}
_POINTS = """
    SELECT path, step, y, ts FROM metric_points JOIN metric_series ON series_id = id
    ORDER BY series_id, step
"""


def sniff(path: Path, head: bytes) -> int:
    """By its tables."""
    return 97 if has_tables(path, head, _NEEDED) else 0


def read(path: Path) -> list[Log]:
    """The run of the file."""
    log, points = Log(path, ID), NamedPoints()
    log.warnings += shortfall(path)
    with opened(path) as connection:
        for name, step, value, stamp in rows(connection, _POINTS, (), log.warnings):
            points.put(str(name), float(step), float(stamp) / 1e3, float(value))
        settings = rows(connection, "SELECT path, type_tag, value FROM configs", (), log.warnings)
        log.config = {
            str(name): value if tag in ("string", "str") else parse_scalar(str(value))
            for name, tag, value in settings
            if not str(name).startswith(("sys/", "monitoring/"))
        }
        about = dict(rows(connection, "SELECT key, value FROM run_meta", (), log.warnings))
    log.name = str(about.get("run_id") or about.get("name") or path.stem)
    ended = {"finished": "finished", "failed": "crashed"}
    log.status = ended.get(str(about.get("status")), "unknown")
    log.started = parse_time(str(about.get("created_at") or ""))
    return [points.into(log)]


READER = Reader(ID, "GoodSeed run (SQLite)", sniff, read, role="main")
