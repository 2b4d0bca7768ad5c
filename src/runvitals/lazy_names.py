"""Public names of a package that are imported when they are first used.

`import runvitals` and `runvitals --help` stay instant because a package names its parts without loading
them:

    _HOMES = homes("csv: CsvSink export_csv")
    __getattr__ = lazy_names(__name__, _HOMES)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], made: Mapping[str, Callable[[], Any]] | None = None
) -> Callable[[str], Any]:
    """The `__getattr__` of a package: `homes` says which of its modules has a name.

    `made` holds what is worked out instead of imported. Either happens once; from then on the name is
    an ordinary one of the package.
    """
    made = made or {}

    def find(name: str) -> Any:
        if name in homes:
            value = getattr(import_module(f"{package}.{homes[name]}"), name)
        elif name in made:
            value = made[name]()
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return find


def homes(table: str) -> dict[str, str]:
    """The module of each name. A line is `module: name name`; an indented one continues it.

    >>> homes("csv: CsvSink export_csv")
    {'CsvSink': 'csv', 'export_csv': 'csv'}
    """
    lines = table.strip().replace("\n  ", " ").splitlines()
    pairs = (line.split(": ", 1) for line in lines)
    return {name: module for module, names in pairs for name in names.split()}
