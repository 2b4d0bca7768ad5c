"""What a user may say about logs: which tool wrote them, and what odd names mean."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runvitals import catalog
from runvitals.model import ConfigError
from runvitals.readers.settings_file import SettingsFile, problem, settings_file


@dataclass(frozen=True)
class ReadOptions:
    """Overrides of what would otherwise be guessed."""

    framework: str | None = None
    algorithm: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)  # logged name to metric id


def load_options(start: Path | None = None) -> ReadOptions:
    """From the settings file of the working folder, or of another."""
    return options_from(settings_file(folder=start))


def read_options(
    framework: str | None = None,
    algorithm: str | None = None,
    names: Mapping[str, str] | None = None,
) -> ReadOptions:
    """Options given by the user, completed from the settings file of the working folder."""
    return given_over(load_options(), framework, algorithm, names)


def given_over(
    kept: ReadOptions, framework: str | None, algorithm: str | None, names: Mapping[str, str] | None
) -> ReadOptions:
    """New options over `kept` ones; raises `ConfigError` if they are invalid."""
    said = ReadOptions(framework, algorithm, dict(names or {}))
    check_options(said)
    return ReadOptions(
        framework or kept.framework, algorithm or kept.algorithm, {**kept.names, **said.names}
    )


def options_from(file: SettingsFile | None) -> ReadOptions:
    """What a settings file says about logs; raises `ConfigError` if that is wrong."""
    if file is None:
        return ReadOptions()
    table = file.table
    names = table.get("map", {})
    if not isinstance(names, dict) or not all(isinstance(v, str) for v in names.values()):
        raise problem(
            "`map` must be a table of names", file.path, '[map], then my_kl = "policy/approx_kl"'
        )
    for key in ("framework", "algorithm"):
        if not isinstance(table.get(key, ""), str):
            raise problem(f"`{key}` must be text, got {table[key]!r}", file.path)
    options = ReadOptions(table.get("framework"), table.get("algorithm"), dict(names))
    try:
        check_options(options)
    except ConfigError as error:
        raise ConfigError(error.what, where=file.path, hint=error.hint) from error
    return options


def check_options(options: ReadOptions) -> None:
    """Raises `ConfigError` if the catalog does not know a tool or a metric."""
    if options.framework is not None and catalog.find_framework(options.framework) is None:
        near = difflib.get_close_matches(options.framework.lower(), catalog.FRAMEWORKS, n=2)
        known = ", ".join(sorted(catalog.FRAMEWORKS))
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {known}"
        raise ConfigError(f"no framework called {options.framework!r} is known", hint=hint)
    for name, metric in options.names.items():
        if catalog.metric(metric) is None:
            nearest = ", ".join(catalog.suggest(metric, 3))
            raise ConfigError(
                f"there is no metric {metric!r} to map {name!r} to", hint=f"near: {nearest}"
            )


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
                f"--map expects NAME=METRIC, got {pair!r}", hint='--map "my_kl=policy/approx_kl"'
            )
        found[name.strip()] = metric.strip()
    return found
