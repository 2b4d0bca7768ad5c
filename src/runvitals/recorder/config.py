"""Any kind of configuration object as a flat, JSON-safe dict, without secrets."""

from __future__ import annotations

import dataclasses
import math
import re
from argparse import Namespace
from collections.abc import Mapping
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np

_SECRET = re.compile(
    r"(api[_-]?key|secret|passw(or)?d|credential|private[_-]?key|access[_-]?key"
    r"|(^|[._-])(auth|access|hf|hub|wandb|bearer|refresh)[_-]?token$|(^|[._-])token$)",
    re.IGNORECASE,
)
HIDDEN = "***"
MOST_KEYS = 10_000
MOST_DEPTH = 20
LONGEST_TEXT = 10_000


def is_secret(name: str) -> bool:
    """Whether a setting of this name should never be written down.

    >>> is_secret("OPENAI_API_KEY"), is_secret("hub_token"), is_secret("max_tokens")
    (True, True, False)
    """
    return _SECRET.search(name) is not None


def flat_config(config: Any) -> dict[str, Any]:
    """Flatten mappings, dataclasses, argparse, pydantic and OmegaConf objects to dotted keys.

    >>> flat_config({"actor": {"lr": 1e-4, "sizes": [64, 64]}, "api_key": "sk-1"})
    {'actor.lr': 0.0001, 'actor.sizes': [64, 64], 'api_key': '***'}
    """
    flat: dict[str, Any] = {}
    _walk(as_mapping(config), "", flat, 0)
    return flat


def as_mapping(config: Any) -> Mapping[Any, Any]:
    """The settings of any configuration object, one level deep."""
    if config is None:
        return {}
    if isinstance(config, Mapping):
        return config
    if isinstance(config, Namespace):
        return vars(config)
    if dataclasses.is_dataclass(config) and not isinstance(config, type):
        return {f.name: getattr(config, f.name, None) for f in dataclasses.fields(config)}
    for method in ("model_dump", "to_dict", "to_container", "dict"):  # pydantic, HF, ...
        dump = getattr(config, method, None)
        if callable(dump):
            found = dump()
            if isinstance(found, Mapping):
                return found
    if hasattr(config, "items") and callable(config.items):
        return dict(config.items())
    if hasattr(config, "__dict__"):
        return {k: v for k, v in vars(config).items() if not k.startswith("_")}
    raise TypeError(f"a {type(config).__name__} has no settings that can be read")


def _walk(mapping: Mapping[Any, Any], prefix: str, flat: dict[str, Any], depth: int) -> None:
    for key, value in mapping.items():
        if len(flat) >= MOST_KEYS:
            return
        name = f"{prefix}{key}"
        if is_secret(name) and isinstance(value, str):
            flat[name] = HIDDEN
            continue
        inner = _inner(value)
        if inner and depth < MOST_DEPTH:
            _walk(inner, f"{name}.", flat, depth + 1)
        else:
            flat[name] = json_safe(value)


def _inner(value: Any) -> Mapping[Any, Any] | None:
    if isinstance(value, Mapping | Namespace):
        return as_mapping(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return as_mapping(value)
    if hasattr(value, "model_dump") or type(value).__name__ == "DictConfig":
        return as_mapping(value)
    return None


def json_safe(value: Any, depth: int = 0) -> Any:
    """The value itself when JSON can hold it, else its nearest readable form.

    >>> json_safe({1: (2, float("inf"))})
    {'1': [2, 'inf']}
    """
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int):
        return int(value) if abs(value) < 2**63 else str(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()[:LONGEST_TEXT]
    if isinstance(value, PurePath):
        return str(value)
    if depth < MOST_DEPTH:
        if isinstance(value, Mapping):
            return {str(k): json_safe(v, depth + 1) for k, v in value.items()}
        if (
            isinstance(value, list | tuple | set | frozenset)
            or type(value).__name__ == "ListConfig"
        ):
            return [json_safe(item, depth + 1) for item in list(value)[:MOST_KEYS]]
    if isinstance(value, type) or callable(value):
        return getattr(value, "__qualname__", repr(value))
    return repr(value)[:LONGEST_TEXT]
