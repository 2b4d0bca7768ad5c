"""JSON lines: one object per log call.

LLaMA-Factory's trainer_log.jsonl, veRL's file logger, Stable-Baselines3's progress.json, ms-swift's
logging.jsonl, wandb-history.jsonl, torchtune and prime-rl files, and what people write by hand.
"""

from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import EmptyLogError, ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import head as first_bytes
from runvitals.readers.rows.arrangement import arrange, exported
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.column_names import is_time_name
from runvitals.readers.rows.evidence import confidence, confidence_of
from runvitals.readers.rows.table import Table
from runvitals.readers.tabular._blocks import (
    constant_texts,
    is_binary,
    is_config_name,
    logs_of,
    parse_file,
    settings,
    utf8,
)
from runvitals.readers.tabular._json import Change, JsonLinesParser, parse

ID = "jsonl"

_LLAMA = {"current_steps", "total_steps"}
_SWIFT = ("global_step/max_steps", "iteration")
_STEPS = {
    "verl": "step",
    "llamafactory": "current_steps",
    "stable-baselines3": "time/total_timesteps",
    "ms-swift": "global_step",
}
_SAMPLE_LINES = 100
_OWN = ["step", "time", "rank"]  # what `runvitals export` begins with
_NO_METRICS = frozenset(
    {"current_steps", "total_steps", "percentage", "epoch", "elapsed_time", "remaining_time"}
)


def sniff(path: Path, head: bytes) -> int:
    """Known keys first, then any objects that count something."""
    rows = objects(head)
    if not rows:
        return 0
    keys = {key for row in rows for key in row}
    if "training_iteration" in keys and keys & {"time_this_iter_s", "trial_id", "experiment_id"}:
        return 0  # RLlib has a reader of its own
    if _framework(rows) is not None:
        return 94
    if {"_step", "_timestamp"} <= keys or {"_step", "_runtime"} <= keys:
        return 85 if len(rows) > 1 or "history" in path.name else 0  # else a summary
    numbers = RowCollector(left_out=is_config_name)
    for row in rows:
        numbers.add(row)
    table = numbers.table()
    sure = confidence_of(numbers, path.stem) or _by_time(table)
    if table.rows == 1:  # a log that has just begun, but a `.json` is a document
        return 0 if path.suffix.lower() == ".json" else min(sure, 30)
    return sure


def objects(head: bytes) -> list[dict[str, Any]]:
    """The objects on the first lines; none when these are not JSON lines."""
    if is_binary(head):
        return []
    text = utf8(head).lstrip()
    if not text.startswith(b"{"):
        return []
    lines = text.split(b"\n")
    if len(head) >= 60_000 and len(lines) > 1:
        lines.pop()  # cut
    rows: list[dict[str, Any]] = []
    bad = 0
    for line in lines[:_SAMPLE_LINES]:
        if not line.strip():
            continue
        try:
            row = parse(line.rstrip(b", \t\r"))
        except ValueError:
            row = None
        if isinstance(row, dict):
            rows.append(row)
        else:
            bad += 1
            if not rows or bad > 3 + len(rows):
                return []
    return rows


def _by_time(table: Table) -> int:
    """Rows with nothing but a time: taken when the time goes on and a metric is beside it."""
    if table.rows < 3:
        return 0
    for name, column in table.columns.items():
        if is_time_name(name) and len(column.values) == table.rows:
            moves = np.diff(column.values)
            if bool((moves >= 0).all() and (moves > 0).any()):
                return 30 if confidence(table, name) >= 55 else 0
    return 0


def _framework(rows: list[dict[str, Any]]) -> str | None:
    """The framework whose keys these certainly are."""
    first = rows[0]
    if set(first) >= _LLAMA and first.keys() & {"percentage", "elapsed_time"}:
        return "llamafactory"
    if set(first) == {"step", "data"} and isinstance(first["data"], dict):
        return "verl"
    if any("time/total_timesteps" in row for row in rows) and any(
        row.keys() & {"time/fps", "time/time_elapsed", "rollout/ep_rew_mean"} for row in rows
    ):
        return "stable-baselines3"
    if "global_step/max_steps" in first or "train_speed(s/it)" in first:
        return "ms-swift"
    return None


def read(path: Path) -> list[Log]:
    """The runs of the file."""
    start = first_bytes(path)
    if not start.strip():
        raise EmptyLogError(path, "the file is empty", hint="has the run logged anything yet?")
    rows = objects(start)
    framework = _framework(rows) if rows else None
    change = {"verl": _verl, "ms-swift": _swift}.get(framework or "")
    step = _STEPS.get(framework or "")
    return read_with(path, change=change, format=ID, framework=framework, step=step)


def read_with(
    path: Path,
    *,
    change: Change | None,
    format: str,
    framework: str | None,
    step: str | None = None,
    config: dict[str, Any] | None = None,
) -> list[Log]:
    """Read JSON lines whose objects `change` brings into shape."""
    warnings: list[str] = []
    parser = JsonLinesParser(warnings, change)
    follower = parse_file(path, parser, warnings)
    parser.report()
    if parser.first is None:
        raise ReadError(path, "no line is a JSON object", hint="expected one {...} per line")
    rows = parser.rows
    table = rows.table()
    found = dict(config or {})
    found.update(constant_texts(rows))
    for key, value in parser.first.items():
        if is_config_name(key) and isinstance(value, dict):
            found.update(settings(value))
    total = table.rows
    own = exported(table) if [*parser.first][:3] == _OWN else None
    shape = own or arrange(table, step)
    counter = shape.nested.inner if shape.nested else shape.step
    if counter in table.columns and table.rows > 2:
        places = table.columns[counter].places
        if len(places) and places[0] == 1:  # the first row is not a log call
            found.update(settings({k: v for k, v in parser.first.items() if not is_config_name(k)}))
            table = table.without_first(1)
    logs, parts = logs_of(
        path, format, table, warnings, config=found, framework=framework, shape=shape
    )
    if framework == "llamafactory":
        _check_llama(path, table, logs)
    if follower is not None:
        logs[-1].read_new = follower.follow(
            parser, lambda: JsonLinesParser([], change), parts[-1], rows=total
        )
    return logs


def _verl(row: dict[str, Any]) -> dict[str, Any]:
    """The metrics lie one level down."""
    data = row.get("data")
    return {**data, "step": row.get("step")} if isinstance(data, dict) else row


def _swift(row: dict[str, Any]) -> dict[str, Any]:
    """`12/300` counts steps."""
    row = dict(row)
    for key in _SWIFT:
        value = row.pop(key, None)
        if isinstance(value, str):
            value = value.partition("/")[0]
        if value is not None:
            row["global_step" if "/" in key else key] = value
    return row


def _check_llama(path: Path, table: Table, logs: list[Log]) -> None:
    """Say what a reader of this log should know."""
    if not set(table.columns) - _NO_METRICS:
        logs[-1].warnings.append(
            f"{path.name}: it tells the progress only; there is no metric in it"
        )
    total = table.columns.get("total_steps")
    if total is not None and len(logs) == 1:
        jumps = np.flatnonzero(np.diff(total.values))
        if len(jumps):
            before, after = total.values[jumps[0]], total.values[jumps[0] + 1]
            logs[0].warnings.append(
                f"{path.name}: total_steps goes from {before:.0f} to {after:.0f}: "
                "two runs follow each other in this file"
            )


READER = Reader(ID, "JSON lines", sniff, read)
