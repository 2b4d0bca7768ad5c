"""What lies beside a W&B run file: `files/config.yaml` and `files/wandb-metadata.json`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from runvitals.readers.raw.numbers import parse_time
from runvitals.readers.raw.yaml_values import parse_simple_yaml, small_text


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
        text = small_text(place)
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
        text = small_text(folder / "wandb-metadata.json")
        if text is None:
            continue
        try:
            found = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        if isinstance(found, dict):
            return Metadata(parse_time(str(found.get("startedAt", ""))))
    return Metadata()
