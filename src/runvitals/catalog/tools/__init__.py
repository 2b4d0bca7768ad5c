"""One module per tool: the names it logs. A new tool is a new module here; nothing else changes."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from runvitals.model import Framework

__all__ = ["frameworks"]


@cache
def frameworks() -> dict[str, Framework]:
    """All known tools by id, in alphabetical order."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_"):  # helps the others
            continue
        framework: Framework = import_module(f"{__name__}.{module.name}").FRAMEWORK
        found[framework.id] = framework
    return dict(sorted(found.items()))
