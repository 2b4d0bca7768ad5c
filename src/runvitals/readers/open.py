"""`open_run` and `open_runs`: find out what a path holds and give it as runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from runvitals.model import ReadError, Run
from runvitals.readers.bind import bind
from runvitals.store.layout import is_run_folder
from runvitals.store.reader import open_folder

_DEEPEST = 6


def open_run(
    path: str | os.PathLike[str], *, framework: str | None = None, algorithm: str | None = None
) -> Run:
    """The run at this path: a run folder, or a folder that holds exactly one."""
    found = list(find_runs(path))
    if not found:
        raise ReadError(
            path, "no run found", hint="is this the folder that `rv.init(dir=...)` wrote to?"
        )
    if len(found) > 1:
        names = ", ".join(sorted(p.name for p in found)[:3])
        raise ReadError(
            path,
            f"{len(found)} runs lie below ({names}, ...)",
            hint="name one of them, or use open_runs",
        )
    return bind(open_folder(found[0]), framework=framework, algorithm=algorithm)


def open_runs(
    path: str | os.PathLike[str], *, framework: str | None = None, algorithm: str | None = None
) -> list[Run]:
    """All runs below a folder, oldest first."""
    runs = [
        bind(open_folder(folder), framework=framework, algorithm=algorithm)
        for folder in find_runs(path)
    ]
    return sorted(runs, key=lambda run: (run.started or 0.0, run.id))


def find_runs(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Run folders at or below a path."""
    top = Path(path)
    if not top.exists():
        raise ReadError(path, "no such file or folder")
    yield from _walk(top, 0)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    if is_run_folder(folder):
        yield folder
        return
    if depth >= _DEEPEST or not folder.is_dir():
        return
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    for child in inside:
        if child.is_dir() and not child.name.startswith(".") and not child.is_symlink():
            yield from _walk(child, depth + 1)
