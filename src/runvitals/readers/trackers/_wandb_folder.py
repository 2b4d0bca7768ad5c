"""What lies beside a W&B run file: `files/config.yaml` and `files/wandb-metadata.json`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from runvitals.readers.raw.numbers import parse_time
from runvitals.readers.raw.yaml_values import MAX_TEXT, parse_simple_yaml


@dataclass(frozen=True)
class Metadata:
    """The run as `wandb-metadata.json` tells it."""

    started: float | None = None


def unwrapped(value: Any) -> Any:
    """A config value without W&B's `{"value": ..., "desc": ...}` around it."""
    if isinstance(value, dict) and "value" in value and set(value) <= {"value", "desc"}:
        return value["value"]
    return value


def config_beside(path: Path) -> dict[str, Any]:
    """The config in `config.yaml` of the run that a file belongs to; empty when there is none."""
    for place in (path.parent / "files" / "config.yaml", path.parent / "config.yaml"):
        text = _small_file(place)
        if text is None or ("wandb_version" not in text and "_wandb:" not in text):
            continue
        try:
            found = parse_simple_yaml(text)
        except ValueError:
            continue
        return {k: unwrapped(v) for k, v in found.items() if k not in ("_wandb", "wandb_version")}
    return {}


def metadata_beside(path: Path) -> Metadata:
    """The metadata of the run that a file belongs to."""
    for folder in (path.parent / "files", path.parent):
        text = _small_file(folder / "wandb-metadata.json")
        if text is None:
            continue
        try:
            found = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        if isinstance(found, dict):
            return Metadata(parse_time(str(found.get("startedAt", ""))))
    return Metadata()


def _small_file(path: Path) -> str | None:
    """The text of a regular file of bounded size."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_TEXT:
            return None
        with open(path, "rb") as file:
            return file.read(MAX_TEXT).decode("utf-8", "replace")
    except OSError:
        return None
