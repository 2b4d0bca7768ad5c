"""What a user may say about logs: which tool wrote them, and what odd names mean."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runvitals.model import ConfigError


@dataclass(frozen=True)
class ReadOptions:
    """Overrides of what would otherwise be guessed."""

    framework: str | None = None
    algorithm: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)  # logged name to metric id


def load_options(start: Path | None = None) -> ReadOptions:
    """From the nearest `runvitals.toml`, or `[tool.runvitals]` in the nearest `pyproject.toml`.

    ```toml
    framework = "verl"
    algorithm = "GRPO"
    [map]
    my_kl = "policy/approx_kl"
    ```
    """
    folder = (start or Path.cwd()).resolve()
    for parent in [folder, *folder.parents]:
        for name, section in (("runvitals.toml", ()), ("pyproject.toml", ("tool", "runvitals"))):
            path = parent / name
            if path.is_file():
                content = _section(path, section)
                if content is not None:
                    return _options(path, content)
    return ReadOptions()


def _section(path: Path, section: Sequence[str]) -> dict[str, Any] | None:
    try:
        content: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        if section:  # a broken pyproject.toml is somebody else's
            return None
        raise ConfigError(f"cannot read {path.name}: {error}", where=path) from error
    for key in section:
        content = content.get(key) if isinstance(content, dict) else None
    return content if isinstance(content, dict) else None


def _options(path: Path, content: Mapping[str, Any]) -> ReadOptions:
    names = content.get("map", {})
    if not isinstance(names, dict) or not all(isinstance(v, str) for v in names.values()):
        raise ConfigError(
            "`map` must be a table of names", where=path, hint='my_kl = "policy/approx_kl"'
        )
    for key in ("framework", "algorithm"):
        if not isinstance(content.get(key, ""), str):
            raise ConfigError(f"`{key}` must be a text", where=path)
    return ReadOptions(content.get("framework"), content.get("algorithm"), dict(names))


def parse_map(pairs: Sequence[str]) -> dict[str, str]:
    """`["my_kl=policy/approx_kl"]` as a mapping.

    >>> parse_map(["my_kl=policy/approx_kl"])
    {'my_kl': 'policy/approx_kl'}
    """
    found = {}
    for pair in pairs:
        name, equals, metric = pair.rpartition("=")
        if not equals or not name or not metric:
            raise ConfigError(
                f"--map {pair!r} makes no sense", hint='--map "my_kl=policy/approx_kl"'
            )
        found[name.strip()] = metric.strip()
    return found
