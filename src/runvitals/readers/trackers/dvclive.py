"""DVCLive folders: `metrics.json`, and a table of each series below `plots/metrics`."""

import csv
import math
from pathlib import Path

from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.numbers import parse_number
from runvitals.readers.raw.yaml_values import parse_simple_yaml, small_text
from runvitals.readers.rows.table import MAX_COLUMNS
from runvitals.readers.trackers._series import NamedPoints

ID = "dvclive"
_PLOTS = Path("plots", "metrics")


def sniff(path: Path, head: bytes) -> int:  # noqa: ARG001 - one signature for all readers
    """By the tables beside it."""
    if path.name != "metrics.json" or not (path.parent / _PLOTS).is_dir():
        return 0
    return 98 if next((path.parent / _PLOTS).rglob("*.tsv"), None) is not None else 0


def read(path: Path) -> list[Log]:
    """The run of the folder; a series is called by the place of its table."""
    log, points = Log(path, ID), NamedPoints()
    folder = path.parent / _PLOTS
    for table in sorted(folder.rglob("*.tsv"))[:MAX_COLUMNS]:
        name = table.relative_to(folder).with_suffix("").as_posix()
        with open(table, newline="", encoding="utf-8", errors="replace") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                step = parse_number(row.get("step") or "")
                value = parse_number(row.get(name.rpartition("/")[2]) or "")
                time = parse_number(row.get("timestamp") or "")
                if step is not None and value is not None:
                    points.put(name, step, math.nan if time is None else time / 1e3, value)
    settings = small_text(path.parent / "params.yaml")
    if settings:
        log.config = parse_simple_yaml(settings)
    return [points.into(log)]


READER = Reader(ID, "DVCLive folder", sniff, read, role="main", owns_folder=True)
