"""Any kind of configuration object as a flat, JSON-safe dict, without secrets."""

from __future__ import annotations

import dataclasses
import math
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np

from runvitals.model.secrets import redacted

MAX_KEYS = 10_000
MAX_DEPTH = 20
MAX_TEXT = 10_000
CUT = "..."  # stands for what is inside itself, too deep or too much


def flat_config(config: Any) -> dict[str, Any]:
    """Flatten mappings, dataclasses, argparse, pydantic and OmegaConf objects to dotted keys.

    >>> flat_config({"actor": {"lr": 1e-4, "sizes": [64, 64]}, "api_key": "sk-1"})
    {'actor.lr': 0.0001, 'actor.sizes': [64, 64], 'api_key': '***'}
    """
    flat: dict[str, Any] = {}
    _walk(as_mapping(config), "", flat, ())
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


def _walk(
    mapping: Mapping[Any, Any], prefix: str, flat: dict[str, Any], outer: tuple[int, ...]
) -> None:
    outer = (*outer, id(mapping))
    for key, value in mapping.items():
        if len(flat) >= MAX_KEYS:
            return
        name = redacted(encodable(f"{prefix}{key}"))
        inner = _inner(value)
        if id(inner) in outer:
            flat[name] = CUT
        elif inner and len(outer) <= MAX_DEPTH:
            _walk(inner, f"{name}.", flat, outer)
        else:
            flat[name] = redacted(json_safe(value), name)


def _inner(value: Any) -> Mapping[Any, Any] | None:
    if isinstance(value, Mapping | Namespace):
        return as_mapping(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return as_mapping(value)
    if hasattr(value, "model_dump") or type(value).__name__ == "DictConfig":
        return as_mapping(value)
    return None


def encodable(text: str) -> str:
    """The text with a question mark for what UTF-8 cannot hold (half a surrogate pair)."""
    return text.encode("utf-8", "replace").decode()


def json_safe(value: Any, *, longest_text: int = MAX_TEXT, most_parts: int = MAX_KEYS) -> Any:
    """The value itself when JSON can hold it, else its nearest readable form.

    >>> json_safe({1: (2, float("inf"))})
    {'1': [2, 'inf']}
    """
    return _JsonSafe(longest_text, most_parts).of(value, ())


class _JsonSafe:
    """Bounded in depth and in number of parts, so that no structure takes long."""

    def __init__(self, longest_text: int, most_parts: int) -> None:
        self._longest_text = longest_text
        self._left = most_parts

    def of(self, value: Any, outer: tuple[int, ...]) -> Any:
        if isinstance(value, Enum):
            value = value.value
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return int(value) if abs(value) < 2**63 else _big(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(value)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, PurePath):
            return encodable(str(value))
        return self._parts(value, outer)

    def _parts(self, value: Any, outer: tuple[int, ...]) -> Any:
        if isinstance(value, np.ndarray) and value.size <= self._left:
            value = value.tolist()
        is_list = isinstance(value, list | tuple | set | frozenset)
        is_list = is_list or type(value).__name__ == "ListConfig"
        if not is_list and not isinstance(value, Mapping):
            return self._other(value)
        if id(value) in outer or len(outer) >= MAX_DEPTH or self._left <= 0:
            return CUT
        outer = (*outer, id(value))
        if is_list:
            return [self.of(item, outer) for item in self._counted(value)]
        return {
            encodable(str(key)): self.of(item, outer) for key, item in self._counted(value.items())
        }

    def _counted(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            if self._left <= 0:
                return
            self._left -= 1
            yield item

    def _other(self, value: Any) -> Any:
        if isinstance(value, type) or callable(value):
            name = getattr(value, "__qualname__", None)
            if isinstance(name, str):
                return name
        try:
            return self._text(repr(value))
        except Exception:  # noqa: BLE001 - the repr of a user's object is the user's code
            return f"<{type(value).__name__}>"

    def _text(self, text: str) -> str:
        cut = len(text) > self._longest_text
        return encodable(f"{text[: self._longest_text]}{CUT}" if cut else text)


def _big(number: int) -> str:
    """Beyond JSON; beyond what Python likes to spell out, too, in hexadecimal."""
    return str(number) if number.bit_length() < 10_000 else hex(number)[:1000]
