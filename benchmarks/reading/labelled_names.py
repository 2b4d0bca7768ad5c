"""Names of public logs with what each one is, judged by a person who looked at the values.

`tests/catalog/labelled_names.json` holds them: vocabularies that logs of one tool share, and groups of
logs. A meaning is a metric's id, a list of ids that are all defensible, null where the catalog has no
metric for it, or "?" where nobody can tell. `{n}` in a name stands for digits, `{x}` for one part of a
path; the names that one such line covers count as one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "tests" / "catalog" / "labelled_names.json"
UNCLEAR = "?"
FOLDERS = ("public", "public2")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name may be called without being wrong."""

    key: str  # the name, or the line that covers it
    metrics: frozenset[str]
    may_stay_open: bool  # the catalog has no metric for it, or its absence is as good an answer
    unclear: bool = False


@dataclass
class Labels:
    """What a person says of one log."""

    log: str
    tools: frozenset[str]
    algorithms: frozenset[str]
    algorithm_may_stay_open: bool
    holds_run: bool
    outcomes: frozenset[str]
    names: Mapping[str, Any]
    _lines: list[tuple[re.Pattern[str], str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines = [(_pattern(key), key) for key in self.names if "{" in key]

    def meaning(self, name: str) -> Meaning | None:
        """None where the name has no label."""
        key = name if name in self.names else self._line(name)
        if key is None:
            return None
        told = self.names[key]
        if told == UNCLEAR:
            return Meaning(key, frozenset(), may_stay_open=True, unclear=True)
        ids = told if isinstance(told, list) else [told]
        return Meaning(key, frozenset(i for i in ids if i is not None), None in ids)

    def _line(self, name: str) -> str | None:
        return next((key for pattern, key in self._lines if pattern.fullmatch(name)), None)


def _pattern(key: str) -> re.Pattern[str]:
    escaped = re.escape(key).replace(re.escape("{n}"), r"\d+").replace(re.escape("{x}"), "[^/]+")
    return re.compile(escaped)


def read_labels(path: Path = FILE) -> dict[str, Labels]:
    """The labels of each log, by `folder/name`."""
    told = json.loads(path.read_text(encoding="utf-8"))
    found = {}
    for group in told["groups"]:
        names: dict[str, Any] = {}
        for vocabulary in group.get("also", ()):
            names |= told["vocabularies"][vocabulary]
        names |= group["names"]
        algorithms = _listed(group["algorithm"])
        for log in group["logs"]:
            found[log] = Labels(
                log,
                frozenset(tool for tool in _listed(group["tool"]) if tool is not None),
                frozenset(one for one in algorithms if one is not None),
                None in algorithms,
                group.get("holds_run", True),
                frozenset(group["outcomes"]),
                names,
            )
    return found


def _listed(told: Any) -> list[Any]:
    return told if isinstance(told, list) else [told]
