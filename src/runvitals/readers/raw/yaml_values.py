"""YAML as plain values: mappings, lists, numbers, texts.

PyYAML splits the text into events; the values are built from those here, in a loop, so that no tag
(`!!python/...`) is ever acted upon, nesting cannot overflow, and size, depth and number are bounded.
Plain scalars are read as people mean them: `3e-4` is a number, though YAML 1.1 says it is a text.
"""

import re
from pathlib import Path
from typing import Any

from runvitals.readers.raw.numbers import parse_number

MAX_TEXT = 4 * 2**20  # characters
MAX_NODES = 200_000
DEEPEST = 40
_TOO_MUCH = "too many or too deeply nested values"

_CONSTANTS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"[-+]?[0-9][0-9_]{0,300}")
_HEXADECIMAL = re.compile(r"[-+]?0x[0-9a-fA-F]{1,64}")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*)?\.?[0-9_]*(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF|nan|NaN|NAN)")


def small_text(path: Path) -> str | None:
    """The text of a regular file of bounded size."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_TEXT:
            return None
        with open(path, "rb") as file:
            return file.read(MAX_TEXT).decode("utf-8", "replace")
    except OSError:
        return None


def parse_simple_yaml(text: str) -> dict[str, Any]:
    """The mapping that a YAML text holds; empty when it holds none.

    Raises ValueError when the text is no YAML or beyond the bounds.

    >>> parse_simple_yaml("ppo:\\n  lr: 3e-4\\n  layers: [64, 64]\\n  tags:\\n  - a\\n  - 'b: c'")
    {'ppo': {'lr': 0.0003, 'layers': [64, 64], 'tags': ['a', 'b: c']}}
    """
    found = parse_yaml(text)
    return found[0] if found and isinstance(found[0], dict) else {}


def parse_yaml(text: str) -> list[Any]:
    """The documents of a YAML text. Raises ValueError when it is no YAML or beyond the bounds.

    >>> parse_yaml("epoch: 1\\nloss: 0.5\\n---\\n- 1\\n- 2")
    [{'epoch': 1, 'loss': 0.5}, [1, 2]]
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"longer than {MAX_TEXT >> 20} MiB")
    import yaml  # slow to import, and mostly there is none

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder()
    try:
        for event in yaml.parse(text.removeprefix("\ufeff"), Loader=loader):
            builder.take(event)
    except yaml.YAMLError as error:
        raise ValueError(f"no YAML: {error}") from error
    return builder.documents


class _Builder:
    """Puts values together as the events come."""

    def __init__(self) -> None:
        self.documents: list[Any] = []
        # containers, and the keys that wait for values
        self._open: list[tuple[Any, list[Any]]] = []
        self._anchors: dict[str, Any] = {}
        self._sizes: dict[int, int] = {}
        self._nodes = 0

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "ScalarEvent":
            plain = event.style is None or event.style == ""
            self._put(parse_scalar(event.value) if plain else event.value, event.anchor)
        elif kind == "AliasEvent":
            self._put(self._anchors.get(event.anchor or ""), None)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            value: Any = {} if kind == "MappingStartEvent" else []
            self._put(value, event.anchor)
            self._open.append((value, []))
            if len(self._open) > DEEPEST:
                raise ValueError(_TOO_MUCH)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            value, _ = self._open.pop()
            inner = value.values() if isinstance(value, dict) else value
            self._sizes[id(value)] = 1 + sum(self._sizes.get(id(item), 1) for item in inner)

    def _put(self, value: Any, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = value
        self._nodes += self._sizes.get(id(value), 1) if isinstance(value, dict | list) else 1
        if self._nodes > MAX_NODES:
            raise ValueError(_TOO_MUCH)
        if not self._open:
            self.documents.append(value)
            return
        container, keys = self._open[-1]
        if isinstance(container, list):
            container.append(value)
        elif keys:
            key = keys.pop()
            if key == "<<" and isinstance(value, dict):
                for name, inherited in value.items():
                    container.setdefault(name, inherited)
            else:
                container[key] = value
        else:
            keys.append(value if isinstance(value, str | int | float | bool) else str(value))


def parse_scalar(text: str) -> Any:
    """A plain scalar: a number, a truth value, None or the text itself.

    >>> [parse_scalar(t) for t in ("1e-5", "12", "True", "null", "1.5.2", ".inf")]
    [1e-05, 12, True, None, '1.5.2', inf]
    """
    if len(text) <= 5 and text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    if text[0] in "+-.0123456789":
        if _INTEGER.fullmatch(text):
            return int(text.replace("_", ""))
        if _HEXADECIMAL.fullmatch(text):
            return int(text, 16)
        if _SPECIAL.fullmatch(text):
            return parse_number(text.replace(".", ""))
        if len(text) < 64 and _FLOAT.fullmatch(text):
            number = parse_number(text.replace("_", ""))
            return text if number is None else number
    return text
