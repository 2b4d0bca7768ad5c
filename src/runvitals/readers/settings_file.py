"""The user's settings: `runvitals.toml`, or `[tool.runvitals]` in `pyproject.toml`.

    framework = "verl"                       # who wrote the logs, and what odd names mean
    algorithm = "GRPO"
    map = { my_kl = "policy/approx_kl" }
    select = ["KL", "ENT001"]                # which rules are run, and how
    ignore = ["PERF005"]
    preview = true
    rules = { KL001 = { limit = 0.1, severity = "notice" } }
    notify = ["mailto://..."]                # who is told about findings of live runs

It is looked for in the working folder and above it, never beside the logs: those may come from anybody.
This is the one place that finds and parses it; `readers/options.py` and `diagnosis/settings.py` say
what its values mean. Nothing here needs NumPy, for which a dashboard would have to wait.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runvitals.model import ConfigError

NAME, PROJECT, TOOL = "runvitals.toml", "pyproject.toml", "runvitals"
KEYS = tuple("framework algorithm map select ignore preview texts rules notify".split())


@dataclass(frozen=True)
class SettingsFile:
    """A settings file as it was when it was read."""

    path: Path | None  # None: no file, only the command line
    text: str = field(repr=False)  # it may hold addresses with passwords
    framework: str | None = None  # what was said over the file
    algorithm: str | None = None
    names: tuple[tuple[str, str], ...] = ()
    texts: bool = True  # False: findings quote nothing, whatever the file says

    @cached_property
    def table(self) -> Mapping[str, Any]:
        """Its settings; raises `ConfigError` if they cannot be understood."""
        table = self._ours()
        for key in table:
            if key not in KEYS:
                raise problem(f"there is no setting {key!r}", self.path, _nearest(key))
        said = {"framework": self.framework, "algorithm": self.algorithm}
        table |= {key: value for key, value in said.items() if value}
        if self.names and isinstance(kept := table.get("map", {}), dict):
            table["map"] = {**kept, **dict(self.names)}
        if not self.texts:
            table["texts"] = False
        return table

    def _ours(self) -> dict[str, Any]:
        try:
            table: Any = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise problem(f"the settings are not valid TOML: {error}", self.path) from error
        if self.path is not None and self.path.name == PROJECT:
            tools = table.get("tool")
            table = tools.get(TOOL, {}) if isinstance(tools, dict) else {}
            if not isinstance(table, dict):
                raise problem("tool.runvitals must be a table", self.path, "write [tool.runvitals]")
        return dict(table)

    @property
    def shown(self) -> str | None:
        """Its path, relative to the working folder if possible."""
        if self.path is None:
            return None
        try:
            return str(self.path.relative_to(Path.cwd()))
        except (OSError, ValueError):
            return str(self.path)  # it lies elsewhere


def settings_file(
    given: Path | str | None = None, folder: Path | None = None
) -> SettingsFile | None:
    """The file that the user names, or the nearest one in the working folder (or `folder`) or above."""
    if given is not None:
        return _read(Path(given).absolute())
    try:
        here = (folder or Path.cwd()).resolve()
    except OSError:
        return None  # the working folder was removed
    for above in (here, *here.parents):
        if (above / NAME).is_file():
            return _read(above / NAME)
        if (above / PROJECT).is_file() and (found := _of_project(above / PROJECT)) is not None:
            return found
    return None


def _read(path: Path) -> SettingsFile:
    try:
        return SettingsFile(path, path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        why = f"cannot read the settings: {error.strerror or error}"
        raise problem(why, path, "--settings takes a runvitals.toml or a pyproject.toml") from error
    except UnicodeDecodeError as error:
        raise problem("the settings are not text in UTF-8", path) from error


def _of_project(path: Path) -> SettingsFile | None:
    """A `pyproject.toml` with a section for runvitals; others are ignored, even if invalid."""
    try:
        found = SettingsFile(path, path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError):
        return None
    return found if TOOL in found.text and _speaks_of_us(found.text) else None


@lru_cache(maxsize=8)  # a notebook or a sweep judges hundreds of runs beside one project
def _speaks_of_us(text: str) -> bool:
    try:
        tools = tomllib.loads(text).get("tool")
    except tomllib.TOMLDecodeError:
        return f"[tool.{TOOL}" in text
    return isinstance(tools, dict) and TOOL in tools


def with_options(
    file: SettingsFile | None,
    framework: str | None = None,
    algorithm: str | None = None,
    names: Mapping[str, str] | None = None,
    *,
    texts: bool = True,
) -> SettingsFile | None:
    """The file with options given now on top, to pass to other processes."""
    if texts and not (framework or algorithm or names):
        return file
    told, named = file or SettingsFile(None, ""), tuple((names or {}).items())
    return replace(told, texts=texts, framework=framework, algorithm=algorithm, names=named)


def problem(what: str, path: Path | None, hint: str | None = None) -> ConfigError:
    """What is wrong with the settings, where, and what to do."""
    # with NumPy, for which a page would wait
    from runvitals.model import ConfigError

    return ConfigError(what, where=path, hint=hint)


def _nearest(key: str) -> str:
    near = difflib.get_close_matches(key, KEYS, n=1)
    return f"did you mean {near[0]}?" if near else f"the settings are {', '.join(KEYS)}"
