"""Comet experiments that ran offline: an archive of `experiment.json` and `messages.json`."""

from pathlib import Path

from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.numbers import as_number
from runvitals.readers.trackers._json_values import holds, lines, whole
from runvitals.readers.trackers._series import NamedPoints

ID = "comet"
_MESSAGES, _EXPERIMENT = "messages.json", "experiment.json"


def sniff(path: Path, head: bytes) -> int:
    """By the two files in it."""
    unpacked = path.name == _MESSAGES and head.startswith(b'{"payload"')
    if unpacked and (path.parent / _EXPERIMENT).is_file():
        return 97
    return 97 if holds(path, head, {_MESSAGES, _EXPERIMENT}) else 0


def read(path: Path) -> list[Log]:
    """The experiment."""
    log, points = Log(path, ID), NamedPoints()
    told = whole(path, _EXPERIMENT)
    log.name = str(told.get("offline_id") or "")
    start, stop = as_number(told.get("start_time")), as_number(told.get("stop_time"))
    log.started = start / 1e3 if start else None
    if stop:
        log.ended, log.status = stop / 1e3, "finished"
    counts: dict[str, int] = {}
    for message in lines(path, _MESSAGES, log.warnings):
        payload = message.get("payload") if isinstance(message, dict) else None
        if not isinstance(payload, dict):
            continue
        if isinstance(metric := payload.get("metric"), dict):
            name, value = str(metric.get("metricName")), as_number(metric.get("metricValue"))
            step = as_number(metric.get("step"))
            step = float(counts.get(name, 0)) if step is None else step
            counts[name] = counts.get(name, 0) + 1
            if value is not None:
                name = name.replace("sys.", "system/", 1) if name.startswith("sys.") else name
                time = (as_number(payload.get("local_timestamp")) or 0) / 1e3
                points.put(name, step, time, value)
        elif isinstance(param := payload.get("param"), dict) and param.get("source") == "manual":
            log.config[str(param.get("paramName"))] = param.get("paramValue")
        elif message.get("type") == "log_other" and payload.get("key") == "Name":
            log.name = str(payload.get("val"))
    return [points.into(log)]


READER = Reader(ID, "Comet offline experiment", sniff, read, role="main")
