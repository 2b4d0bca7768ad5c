"""Copies of remote runs in the cache: the names of their folders, their notes, their contents."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from runvitals.remote.keys import is_origin, without_origin
from runvitals.store.files import read_json_if_any
from runvitals.store.layout import RUN_FILE, segments
from runvitals.store.objects.store import Address

STATE_FILE = ".mirror.2.json"  # copies of version 1 hold references without a signature


def folder_names(roots: Iterable[str]) -> dict[str, tuple[str, list[str]]]:
    """The folder of each run in the copy, and all runs of its id if it is not the only one.

    >>> folder_names(["p/a/L000000000001-aaaaaa", "p/b"])
    {'p/a/L000000000001-aaaaaa': ('p/a', []), 'p/b': ('p/b', [])}
    """
    by_id: dict[str, list[str]] = {}
    for root in sorted(roots):
        by_id.setdefault(without_origin(root) if root else "", []).append(root)
    names: dict[str, tuple[str, list[str]]] = {}
    for name, same in by_id.items():
        for number, root in enumerate(same):
            origin = root.rpartition("/")[2]
            # runs never lie in the folder of another run
            later = f"{name}~{origin}" if name else origin or "earlier"
            alone = len(same) == 1 or (number == 0 and name)
            names[root] = (name if alone else later, same if len(same) > 1 else [])
    return names


def matches(key: str, pattern: str) -> bool:
    """True if a pattern names a run or a folder above it; an empty pattern names all.

    >>> matches("p/seed-1", "p/seed-*"), matches("p/seed-1", "p*"), matches("p/a", "p/b*")
    (True, True, False)
    """
    names, wanted = key.split("/"), pattern.split("/") if pattern else []
    return len(names) >= len(wanted) and all(
        fnmatchcase(name, one) for name, one in zip(names, wanted, strict=False)
    )


def cache_name(address: Address) -> str:
    """The folder of an address in the cache: its last part, and a digest of the whole."""
    digest = hashlib.sha256(str(address).encode()).hexdigest()[:10]
    last = (address.prefix or address.bucket).rstrip("/").rsplit("/", 1)[-1]
    return f"{last}-{digest}"


def read_state(target: Path) -> dict[str, Any]:
    """What was noted about a copy; empty if there is none."""
    return read_json_if_any(target / STATE_FILE)


def beginnings(target: Path) -> list[float]:
    """When processes of rank 0 began this run; more than one time if two runs were mixed.

    Empty for jobs of several ranks, which may move to a node with an empty disk and begin again.
    """
    if int(read_json_if_any(target / RUN_FILE).get("world_size") or 1) > 1:
        return []
    first = {s.life for s in segments(target) if (s.rank, s.number, s.fork) == (0, 1, None)}
    return sorted(int(life[1:].partition("-")[0], 16) / 1000 for life in first if is_origin(life))


def keep_within(cache: Path, limit: int) -> None:
    """Remove the runs that were fetched longest ago until the cache is within its limit."""
    runs = []
    for state in cache.rglob(STATE_FILE):
        folder = state.parent
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        runs.append((state.stat().st_mtime, size, folder))
    total = sum(size for _, size, _ in runs)
    # never the newest, however large: somebody has just asked for it
    for _, size, folder in sorted(runs)[:-1]:
        if total <= limit:
            return
        shutil.rmtree(folder, ignore_errors=True)
        total -= size
