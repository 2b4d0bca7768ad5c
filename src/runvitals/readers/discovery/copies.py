"""The same log in two folders, as backups and checkpoints leave it, is one run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from runvitals.readers.discovery.files import Found

_MIN_COMPARED = 4096  # bytes: shorter logs may be alike by chance
_MAX_COMPARED = 256 * 2**20  # bytes: of larger files it is not known whether they are the same
_BLOCK = 2**20


def once(runs: Iterable[Found]) -> list[Found]:
    """Runs without those whose files have the names and bytes of another's; the first one is kept."""
    found = list(runs)
    alike: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for index, run in enumerate(found):
        if run.files and (files := _named(run)) is not None:
            alike.setdefault(files, []).append(index)
    copies: dict[int, list[Path]] = {}
    dropped: set[int] = set()
    for indices in alike.values():
        if len(indices) > 1:
            first: dict[tuple[bytes, ...], int] = {}
            for index in indices:
                kept = first.setdefault(_contents(found[index]), index)
                if kept != index:
                    dropped.add(index)
                    copies.setdefault(kept, []).append(found[index].path)
    return [
        replace(run, copies=tuple(copies[index])) if index in copies else run
        for index, run in enumerate(found)
        if index not in dropped
    ]


def _named(run: Found) -> tuple[tuple[str, int], ...] | None:
    """Names and sizes of its files; None if they are too short or too large, or went away."""
    try:
        files = sorted((file.path.name, file.path.stat().st_size) for file in run.files)
    except OSError:
        return None
    size = sum(size for _, size in files)
    return tuple(files) if _MIN_COMPARED <= size <= _MAX_COMPARED else None


def _contents(run: Found) -> tuple[bytes, ...]:
    """Equal for equal files; of what cannot be read, its own path."""
    return tuple(sorted(_digest(file.path) for file in run.files))


def _digest(path: Path) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError:
        return bytes(path)
    return digest.digest()
