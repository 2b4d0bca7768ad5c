"""Whether a run is still as it was when it was judged, told without reading a point of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import orjson

from runvitals.diagnosis.code_stamp import code_stamp
from runvitals.diagnosis.judge import Settings
from runvitals.diagnosis.plugins import installed_versions
from runvitals.readers.discovery.files import Found

_OWN_FOLDERS = ("points", "events", "samples")
# A log of another tool is judged with what lies beside it and above it: settings, model cards.
_BESIDE = frozenset({".json", ".yaml", ".yml", ".md", ".toml"})
_HYDRA = ".hydra"
_ABOVE = 2  # folders above a log whose settings may be its own


def fingerprint(found: Found) -> str:
    """What changes with any file that the judgement of this place rests on."""
    digest = hashlib.blake2b(digest_size=16)
    for name, status in sorted(_files(found), key=lambda pair: pair[0]):
        digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode(errors="replace"))
    return digest.hexdigest()


def newest_change(found: Found) -> float:
    """When one of these files was last written, in Unix seconds."""
    return max((status.st_mtime for _, status in _files(found)), default=0.0)


def settings_stamp(settings: Settings) -> str:
    """What changes with the code that judges, the user's settings and the user's own rules."""
    choice, reading = settings.choice, settings.reading
    said = {
        "code": code_stamp(),
        "select": choice.select,
        "ignore": choice.ignore,
        "preview": choice.preview,
        "texts": choice.texts,
        "options": choice.options,
        "severities": choice.severities,
        "seconds": choice.seconds_per_rule,
        "framework": reading.framework,
        "algorithm": reading.algorithm,
        "names": reading.names,
        "file": settings.file,
        "rules": [_content(file) for file in settings.rule_files],
        "plugins": installed_versions() if settings.plugins else [],
    }
    text = orjson.dumps(said, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=repr)
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _content(file: Path) -> str:
    return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()


def _files(found: Found) -> Iterator[tuple[str, os.stat_result]]:
    if not found.files:
        top = os.fspath(found.path)
        yield from _inside(top, "")
        for name in _OWN_FOLDERS:
            yield from _inside(f"{top}/{name}", f"{name}/")
        return
    folders: set[Path] = set()
    for file in found.files:
        try:
            yield str(file.path), file.path.stat()
        except OSError:
            continue  # gone: then the digest is another one
        resolved = file.path.resolve()
        folders.update(list(resolved.parents)[: 1 + _ABOVE])
    for folder in folders:
        yield from _inside(folder, f"{folder}/", _BESIDE)
        yield from _inside(folder / _HYDRA, f"{folder}/{_HYDRA}/")


def _inside(
    folder: str | Path, prefix: str, endings: frozenset[str] | None = None
) -> Iterator[tuple[str, os.stat_result]]:
    """The files of a folder; hidden ones are somebody's own business, locks are only heartbeats."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name.startswith(".") or name.endswith((".lock", ".log")):
                    continue
                if endings is not None and os.path.splitext(name)[1].lower() not in endings:
                    continue
                if entry.is_file():
                    yield f"{prefix}{name}", entry.stat()
    except OSError:
        return  # not there, or replaced while we looked: the digest tells
