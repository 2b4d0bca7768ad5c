"""Log files that appear in the working folder while the command runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from runvitals.model import ReadError, Run
from runvitals.readers.discovery.discover import discover, may_be_log
from runvitals.readers.discovery.files import Found
from runvitals.readers.follow import opened
from runvitals.readers.options import ReadOptions

MAX_ENTRIES = 20_000  # looked at per round
MAX_DEPTH = 6
_NEVER = frozenset(
    {"node_modules", "__pycache__", "site-packages", "venv", "env", "build", "dist", "guests"}
)
_LOGS = (".csv", ".tsv", ".jsonl", ".json", ".log", ".txt", ".out", ".yaml")


class LogFiles:
    """Waits for a run's files to appear below a folder, then follows them."""

    def __init__(self, top: Path, options: ReadOptions, own: Path) -> None:
        self.run: Run | None = None
        self._top, self._options = top, options
        self._own = own.resolve()  # where our own runs lie
        self._before = set(self._candidates())
        self._sizes: dict[Path, int] = {}

    def look(self) -> None:
        """Find the files, or read what was added to them."""
        if self.run is not None:
            self.run.refresh()
            return
        sizes = {path: size for path in self._candidates() if (size := _size(path))}
        fresh = {path: size for path, size in sizes.items() if path not in self._before}
        if not fresh or fresh == self._sizes:
            return
        self._sizes = fresh
        found = self._found(set(fresh))
        if found is None:
            return
        try:
            runs = opened(found, self._options)
        except ReadError:
            return  # not enough of it is there yet
        if runs and runs[-1].points.count:
            self.run = runs[-1]

    def _found(self, fresh: set[Path]) -> Found | None:
        """Of the runs that the new files make up, the one that was written last."""
        tops = {self._top / path.relative_to(self._top).parts[0] for path in fresh}
        best: tuple[float, Found] | None = None
        for top in sorted(tops):
            for found in discover(top):
                mine = [file.path for file in found.files if file.path in fresh]
                if not mine or self._is_ours(found.path):
                    continue
                newest = max(map(_changed, mine))
                if best is None or newest > best[0]:
                    best = newest, found
        return None if best is None else best[1]

    def _is_ours(self, path: Path) -> bool:
        resolved = path.resolve()
        return resolved == self._own or self._own in resolved.parents

    def _candidates(self) -> Iterator[Path]:
        folders = [(self._top, 0)]
        seen = 0
        for folder, depth in folders:
            try:
                entries = list(os.scandir(folder))
            except OSError:
                continue
            for entry in entries:
                seen += 1
                if seen > MAX_ENTRIES:
                    return
                name = entry.name
                if name.startswith(".") or name in _NEVER:
                    continue
                try:
                    if entry.is_dir(follow_symlinks=False):
                        if depth < MAX_DEPTH and not self._is_ours(Path(entry.path)):
                            folders.append((Path(entry.path), depth + 1))
                        continue
                except OSError:
                    continue
                if _is_log_name(name) and may_be_log(Path(entry.path)):
                    yield Path(entry.path)


def _is_log_name(name: str) -> bool:
    return "tfevents" in name or name.lower().endswith(_LOGS)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
