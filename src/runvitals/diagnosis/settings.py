"""What a user has configured: `runvitals.toml`, or `[tool.runvitals]` in pyproject.toml.

select = ["KL", "ENT001"]
ignore = ["PERF005"]
preview = true
notify = ["mailto://..."]  # apprise URLs, for findings of live runs

[rules.KL001]
limit = 0.1
severity = "notice"
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from runvitals.diagnosis.engine import Choice
from runvitals.model import ConfigError, Severity
from runvitals.rules.registry import Rule

KEYS = {"select", "ignore", "preview", "rules", "framework", "algorithm", "map", "notify"}


def find_settings(start: Path) -> Path | None:
    """The nearest settings file in this folder or above it."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / "runvitals.toml").is_file():
            return folder / "runvitals.toml"
        project = folder / "pyproject.toml"
        if project.is_file() and "runvitals" in _load(project).get("tool", {}):
            return project
    return None


def read_settings(path: Path, known: Mapping[str, Rule]) -> Choice:
    """The choice that a file describes."""
    try:
        return choice_from(_table(path), known)
    except ConfigError as error:
        raise ConfigError(error.what, where=path, hint=error.hint) from error


def read_notify(path: Path) -> list[str]:
    """The apprise URLs that findings of live runs go to."""
    urls = _table(path).get("notify", [])
    if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
        raise ConfigError("notify is no list of URLs", where=path, hint='notify = ["json://host"]')
    return urls


def _table(path: Path) -> dict[str, Any]:
    table = _load(path)
    if path.name == "pyproject.toml":
        table = table.get("tool", {}).get("runvitals", {})
    return table


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}", hint="it must be TOML") from error


def choice_from(table: Mapping[str, Any], known: Mapping[str, Rule]) -> Choice:
    """A choice from plain data, checked against the rules there are."""
    if unknown := sorted(set(table) - KEYS):
        raise ConfigError(f"no setting {unknown[0]!r}", hint=f"one of: {', '.join(sorted(KEYS))}")
    preview = table.get("preview", False)
    if not isinstance(preview, bool):
        raise ConfigError(f"preview = {preview!r} is neither true nor false")
    options: dict[str, dict[str, Any]] = {}
    severities: dict[str, Severity] = {}
    rules = table.get("rules", {})
    if not isinstance(rules, Mapping):
        raise ConfigError("`rules` is no table", hint="write [rules.KL001]")
    for code, given in rules.items():
        rule = find_rule(code, known)
        if not isinstance(given, Mapping):
            raise ConfigError(f"rules.{code} is no table", hint=f"write [rules.{code}]")
        for option, value in given.items():
            if option == "severity":
                severities[rule.code] = _severity(value, code)
            else:
                options.setdefault(rule.code, {})[option] = _option(rule, option, value)
    return Choice(
        select=_codes(table.get("select", []), "select", known),
        ignore=_codes(table.get("ignore", []), "ignore", known),
        preview=preview,
        options=options,
        severities=severities,
    )


def check_codes(codes: tuple[str, ...], what: str, known: Mapping[str, Rule]) -> tuple[str, ...]:
    """The codes, if each names at least one rule."""
    return _codes(list(codes), what, known)


def _codes(codes: Any, what: str, known: Mapping[str, Rule]) -> tuple[str, ...]:
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        raise ConfigError(f"{what} is no list of codes", hint=f'write {what} = ["KL001"]')
    for code in codes:
        if not any(rule.code.startswith(code) or rule.name == code for rule in known.values()):
            find_rule(code, known)
    return tuple(codes)


def find_rule(code: str, known: Mapping[str, Rule]) -> Rule:
    """By code or by name; an error with the nearest codes if there is none."""
    if code.upper() in known:
        return known[code.upper()]
    for rule in known.values():
        if rule.name == code:
            return rule
    near = difflib.get_close_matches(code.upper(), known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`runvitals rules` lists them"
    raise ConfigError(f"no rule {code!r}", hint=hint)


def _severity(value: Any, code: str) -> Severity:
    if value not in get_args(Severity):
        raise ConfigError(
            f"rules.{code}: no severity {value!r}", hint=f"one of: {', '.join(get_args(Severity))}"
        )
    severity: Severity = value
    return severity


def _option(rule: Rule, option: str, value: Any) -> Any:
    """A value that fits the option: numbers where numbers are wanted."""
    if option not in rule.options:
        choices = ", ".join([*rule.options, "severity"])
        raise ConfigError(f"{rule.code} has no option {option!r}", hint=f"it has {choices}")
    usual = rule.options[option]
    wanted = float if usual is None or isinstance(usual, float) else type(usual)
    fits = isinstance(value, wanted) and not (wanted is not bool and isinstance(value, bool))
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not fits:
        raise ConfigError(f"{rule.code}: {option} = {value!r} is no {wanted.__name__}")
    return value
