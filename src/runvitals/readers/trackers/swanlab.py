"""SwanLab run files (`run-<id>.swanlab`, `backup.swanlab`): a block log of records, as W&B writes it.

Records are protobuf with the field numbers of `record.proto` in SwanLab 0.10, and JSON before that.
"""

import math
import struct
from pathlib import Path
from typing import Any

from runvitals.model import Gap, ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.numbers import as_number, parse_time
from runvitals.readers.raw.source import open_binary
from runvitals.readers.raw.yaml_values import parse_simple_yaml, small_text
from runvitals.readers.trackers import _protobuf as protobuf
from runvitals.readers.trackers._json_values import parse_json
from runvitals.readers.trackers._leveldb_log import RecordScan
from runvitals.readers.trackers._series import NamedPoints

ID = "swanlab"
MAGIC = b":SWL"
_HEADER_SIZE = 7
_START, _FINISH, _SCALAR = 10, 11, 13
_FINISHED = 1  # of the states of a finish record; the others are crashed and aborted


def sniff(path: Path, head: bytes) -> int:
    """By the magic bytes, or the ending of an empty file."""
    return 100 if head.startswith(MAGIC) else 80 if path.suffix == ".swanlab" else 0


def read(path: Path) -> list[Log]:
    """The run in the file, with the config that lies beside it."""
    log, points, scan = Log(path, ID), NamedPoints(), RecordScan(_HEADER_SIZE)
    damaged = 0
    with open_binary(path) as file:
        if not file.read(_HEADER_SIZE).startswith(MAGIC):
            raise ReadError(path, "not a SwanLab run file: its first bytes are not `:SWL`")
        file.seek(0)
        for record in scan.records(file):
            try:
                _take(record, log, points)
            except (ValueError, struct.error):
                damaged += 1
    log.config = _config_beside(path)
    log.name = log.name or path.stem.removeprefix("run-")
    if damaged + scan.damaged:
        log.warnings.append(Gap(f"{damaged + scan.damaged} damaged records were passed over"))
    if log.status == "unknown":
        log.warnings.append("the file has no end: the run was killed or is still running")
    return [points.into(log)]


def _take(record: bytes, log: Log, points: NamedPoints) -> None:
    if record.startswith(b"{"):
        _take_json(parse_json(record), log, points)
        return
    for number, value in protobuf.fields(record):
        if not isinstance(value, bytes):
            continue
        inside = dict(protobuf.fields(value))
        if number == _SCALAR:
            name, step = _shown(_text(inside, 1)), inside.get(2, 0)
            held = protobuf.numbers(_bytes(inside, 5)).get(1, 0)  # a double, as its bits
            time = protobuf.timestamp(_bytes(inside, 4))
            if isinstance(step, int):
                points.put(name, protobuf.signed(step), time, protobuf.double(held))
        elif number == _START:
            log.name = _text(inside, 4) or _text(inside, 10)
            log.started = protobuf.timestamp(_bytes(inside, 12))
        elif number == _FINISH:
            log.status = "finished" if inside.get(1) == _FINISHED else "crashed"
            log.ended = protobuf.timestamp(_bytes(inside, 3))
            if error := _text(inside, 2):
                log.fail(error.strip().splitlines()[-1])


def _take_json(record: Any, log: Log, points: NamedPoints) -> None:
    if not isinstance(record, dict) or not isinstance(data := record.get("data"), dict):
        raise ValueError("not a record of SwanLab")
    kind = record.get("model_type")
    when = parse_time(str(data.get("create_time") or ""))
    if kind == "Scalar" and isinstance(metric := data.get("metric"), dict):
        value = as_number(metric.get("data"))
        if value is not None and isinstance(data.get("step"), int):
            stamp = parse_time(str(metric.get("create_time") or ""))
            points.put(_shown(str(data.get("key"))), data["step"], stamp or math.nan, value)
    elif kind == "Header":
        log.started = when
    elif kind == "Experiment":
        log.name = str(data.get("name") or "")
    elif kind == "Footer":
        log.status = "finished" if data.get("success") else "crashed"
        log.ended = when


def _shown(name: str) -> str:
    """A name without the mark of what SwanLab measures of the machine."""
    return name.replace("__swanlab__.", "system/", 1)


def _bytes(inside: dict[int, Any], number: int) -> bytes:
    value = inside.get(number, b"")
    return value if isinstance(value, bytes) else b""


def _text(inside: dict[int, Any], number: int) -> str:
    return protobuf.text(_bytes(inside, number))


def _config_beside(path: Path) -> dict[str, Any]:
    """`files/config.yaml`: each setting as `{value, desc, sort}`."""
    text = small_text(path.parent / "files" / "config.yaml")
    try:
        found = parse_simple_yaml(text) if text else {}
    except ValueError:
        return {}
    return {
        key: value["value"] if isinstance(value, dict) and "value" in value else value
        for key, value in found.items()
    }


READER = Reader(ID, "SwanLab run file", sniff, read, role="main", tool=None, owns_folder=True)
