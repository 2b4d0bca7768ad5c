"""Finds the readers in `readers/formats`, and the one that knows a file."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

from runvitals.readers import formats
from runvitals.readers.log import Reader
from runvitals.readers.source import head


@cache
def readers() -> tuple[Reader, ...]:
    """All readers, by id."""
    names = sorted(
        module.name for module in pkgutil.iter_modules(formats.__path__) if module.name[0] != "_"
    )
    return tuple(cast(Reader, import_module(f"{formats.__name__}.{name}")) for name in names)


def reader_for(path: Path) -> Reader | None:
    """The reader that is surest about a file; None when none knows it."""
    start = head(path)
    sure = [(reader.sniff(path, start), reader.ID, reader) for reader in readers()]
    best = max(sure, key=lambda found: found[:2], default=None)
    return best[2] if best is not None and best[0] > 0 else None
