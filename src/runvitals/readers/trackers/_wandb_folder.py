"""What lies beside a W&B run file: its config, its metadata, and tables of what a model wrote."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import Sample
from runvitals.readers.raw.numbers import parse_time
from runvitals.readers.raw.yaml_values import parse_simple_yaml, small_text
from runvitals.rollouts.record import is_written


def unwrapped(value: Any) -> Any:
    """A config value without W&B's `{"value": ..., "desc": ...}` around it."""
    if isinstance(value, dict) and "value" in value and set(value) <= {"value", "desc"}:
        return value["value"]
    return value


def config_beside(path: Path) -> dict[str, Any]:
    """The config in `config.yaml` of the run that a file belongs to; empty when there is none."""
    for place in (path.parent / "files" / "config.yaml", path.parent / "config.yaml"):
        text = small_text(place)
        if text is None or ("wandb_version" not in text and "_wandb:" not in text):
            continue
        try:
            found = parse_simple_yaml(text)
        except ValueError:
            continue
        return {k: unwrapped(v) for k, v in found.items() if k not in ("_wandb", "wandb_version")}
    return {}


def started_beside(path: Path) -> float | None:
    """When the run that a file belongs to was started, as its `wandb-metadata.json` says."""
    for folder in (path.parent / "files", path.parent):
        text = small_text(folder / "wandb-metadata.json")
        if text is None:
            continue
        try:
            found = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        if isinstance(found, dict):
            return parse_time(str(found.get("startedAt", "")))
    return None


_HELD_OUT = ("val", "eval")  # folders: what stands before the slash in the table's name
_NAME = re.compile(r"_(\d{1,9})_[0-9a-f]{8,}\.table\.json$")  # the step, then a checksum
_STEPS = ("step", "global_step", "_step")
MAX_BYTES = 64 * 2**20


def tables_beside(path: Path) -> list[Path]:
    """The tables of a run file, in the order in which they were logged."""
    found = path.parent.glob("files/media/table/**/*.table.json")
    return sorted(found, key=lambda file: (_step_of(file), file.name))


def samples_in(tables: list[Path]) -> Iterator[Sample]:
    """The rows of tables that a model wrote; of one that repeats the one before it, its new rows."""
    before: list[Any] = []
    for file in tables:
        names, rows = _table(file)
        texts = _texts_of(names)
        more = {"split": "validation"} if file.parent.name in _HELD_OUT else {}
        known = len(before) if rows[: len(before)] == before else 0
        before = rows
        for row in rows[known:]:
            fields = dict(zip(names, row, strict=False))
            step = next(
                (fields[name] for name in _STEPS if isinstance(fields.get(name), int)), None
            )
            for text in texts:
                found = {plain: fields[name] for name, plain in text.items() if name in fields}
                yield Sample(_step_of(file) if step is None else step, math.nan, {**found, **more})


def _texts_of(names: list[str]) -> list[dict[str, str]]:
    """The columns of each text of a row with their plain names: veRL puts all of a step into one.

    >>> _texts_of(["step", "input_1", "output_1", "score_1"])
    [{'input_1': 'input', 'output_1': 'output', 'score_1': 'score'}]
    """
    if is_written(names):
        return [{name: name for name in names}]
    found: dict[str, dict[str, str]] = {}
    for name in names:
        plain, _, number = name.rpartition("_")
        if number.isdecimal():
            found.setdefault(number, {})[name] = plain
    return [text for text in found.values() if is_written(text.values())]


def _table(file: Path) -> tuple[list[str], list[Any]]:
    """The columns and rows of a table; nothing if it is torn or too large."""
    try:
        data = orjson.loads(file.read_bytes()) if file.stat().st_size <= MAX_BYTES else None
    except (OSError, orjson.JSONDecodeError):
        data = None
    if not isinstance(data, dict):
        return [], []
    names, rows = data.get("columns"), data.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return [], []
    return [str(name) for name in names], [row for row in rows if isinstance(row, list)]


def _step_of(file: Path) -> int:
    found = _NAME.search(file.name)
    return int(found[1]) if found else 0
