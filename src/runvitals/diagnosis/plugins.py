"""Rules from elsewhere: installed packages (entry point `runvitals.rules`) and single files."""

import sys
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from runvitals.model import ConfigError

GROUP = "runvitals.rules"


def load_installed() -> list[str]:
    """Import the rules of installed packages; returns what went wrong with any of them."""
    problems = []
    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:  # noqa: BLE001  a plugin may fail in any way; the others go on
            problems.append(f"plugin {point.name} failed: {type(error).__name__}: {error}")
    return problems


def installed_versions() -> list[str]:
    """The installed packages that bring rules, with their versions."""
    found = []
    for point in entry_points(group=GROUP):
        version = point.dist.version if point.dist is not None else ""
        found.append(f"{point.name} {point.value} {version}")
    return sorted(found)


def load_file(path: Path) -> None:
    """Import a file with rules of the user's own."""
    if not path.is_file():
        raise ConfigError(f"no file {path}", hint="--rules takes a Python file with rules in it")
    name = f"runvitals_rules_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path} is no Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ConfigError(f"{path} failed: {type(error).__name__}: {error}") from error
