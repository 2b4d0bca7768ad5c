"""One run told twice: a log copied to another folder, or a writer that was recorded as it wrote."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.discovery.files import Found
from runvitals.readers.raw.source import stamp_of
from runvitals.readers.registry import MAX_SNIFFED
from runvitals.store.files import read_json
from runvitals.store.layout import RUN_FILE

_MIN_COMPARED = 1024  # bytes: shorter logs may be alike by chance
_MAX_COMPARED = 256 * 2**20  # bytes: of larger files it is not known whether they are the same
_BLOCK = 2**20


def once(runs: Iterable[Found]) -> list[Found]:
    """Runs without those that another one of them tells too; it says where those lie.

    These are files with the names and bytes of another's, of which the first are kept, and what a
    `SummaryWriter` wrote while a run folder of ours recorded it.
    """
    return _without_recorded(_without_copies(list(runs)))


def _without_recorded(found: list[Found]) -> list[Found]:
    others = {run.path.resolve(): run for run in found if run.files}
    ours = [run for run in found if not run.files] if others else []
    recorded = {
        path: place
        for place, run in enumerate(ours)
        for path in _recorded(run.path)
        if path in others
    }
    if not recorded:
        return found
    told: dict[Path, tuple[Path, ...]] = {}
    for path, place in recorded.items():
        mine = ours[place].path
        told[mine] = (*told.get(mine, ()), others[path].path)
    return [
        replace(run, copies=(*run.copies, *told[run.path])) if run.path in told else run
        for run in found
        if not run.files or run.path.resolve() not in recorded
    ]


def _recorded(folder: Path) -> tuple[Path, ...]:
    """The folders of writers that a run of ours has recorded."""
    try:
        return _recorded_in(folder / RUN_FILE, stamp_of(folder / RUN_FILE))
    except OSError:
        return ()  # it has no identity yet


@lru_cache(maxsize=MAX_SNIFFED)
def _recorded_in(path: Path, _: tuple[int, int, int]) -> tuple[Path, ...]:
    try:
        provenance = read_json(path).get("provenance")
    except ReadError:
        return ()  # opening the run says what is wrong with it
    folders = provenance.get("recorded_from") if isinstance(provenance, dict) else None
    return tuple(Path(one) for one in folders if isinstance(one, str)) if folders else ()


def _without_copies(found: list[Found]) -> list[Found]:
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
    try:
        return _digest_of(path, stamp_of(path))
    except OSError:
        return bytes(path)


@lru_cache(maxsize=MAX_SNIFFED)
def _digest_of(path: Path, _: tuple[int, int, int]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.digest()
