"""Whether a run is still as it was when it was judged, told without reading a point of it."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import orjson

from runvitals.diagnosis.code_stamp import code_stamp
from runvitals.diagnosis.judge import Settings
from runvitals.diagnosis.plugins import installed_versions
from runvitals.readers.discovery.files import Found

_OWN_FOLDERS = ("points", "events", "samples")
# A log of another tool is judged with what lies beside it: settings, model cards.
_BESIDE = (".json", ".yaml", ".yml", ".md", ".toml")
_SETTINGS_FOLDERS = (".hydra", "attrs")
_ABOVE = ("README.md", "config.json", "adapter_config.json")  # of the model, above a checkpoint
_ALONG = ("aux", "files")  # folders beside a log from which trackers take settings

# The files of folders that were looked through, by folder and ending.
Folders = dict[tuple[str, tuple[str, ...]], list[tuple[str, os.stat_result]]]


def fingerprint(found: Found) -> str:
    """What changes with any file that the judgement of this place rests on, on any machine."""
    digest = hashlib.blake2b(digest_size=16)
    for name, status in sorted(_files(found), key=lambda pair: pair[0]):
        digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode(errors="replace"))
    return digest.hexdigest()


def strict_fingerprint(found: Found, folders: Folders | None = None) -> str:
    """The same for this machine: also a file that was replaced or written with its old time counts.

    So does what was found beside the run, which decides how it is called and read. A command that
    looks at many runs once shares `folders`, so that those above all of them are listed once.
    """
    digest = hashlib.blake2b(digest_size=16)
    kinds = [(f.reader.id, f.prefix, str(f.place), f.life, f.proof) for f in found.files]
    digest.update(repr((found.shared, found.crowded, found.copies, kinds)).encode(errors="replace"))
    files = (*_files(found, folders), *_read_along(found, folders))
    for name, now in sorted(files, key=lambda pair: pair[0]):
        said = f"{name}\0{now.st_size}\0{now.st_mtime_ns}\0{now.st_ctime_ns}\0{now.st_ino}\n"
        digest.update(said.encode(errors="replace"))
    return digest.hexdigest()


def _read_along(found: Found, folders: Folders | None) -> Iterator[tuple[str, os.stat_result]]:
    """Files that readers open beside a log: same stem, a folder of their own, or a whole folder."""
    for file in found.files:
        folder, stem = os.path.split(os.path.splitext(os.path.abspath(file.path))[0])
        if file.reader.owns_folder:
            for top, _, _ in os.walk(folder):
                yield from _inside(top, f"{top}/")
            continue
        start = f"{folder}/{stem}"
        yield from (one for one in _listed(folder, folders) if one[0].startswith(start))
        for name in _ALONG:
            yield from _listed(f"{folder}/{name}", folders)


def _listed(
    folder: str, folders: Folders | None, endings: tuple[str, ...] = ()
) -> list[tuple[str, os.stat_result]]:
    """Files of a folder, by their whole paths; of these endings, if some are given."""
    key = (folder, endings)
    if folders is None or key not in folders:
        found = list(_inside(folder, f"{folder}/", endings))
        if folders is None:
            return found
        folders[key] = found
    return folders[key]


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


def _files(found: Found, folders: Folders | None = None) -> Iterator[tuple[str, os.stat_result]]:
    if not found.files:
        top = os.fspath(found.path)
        yield from _inside(top, "")
        for name in _OWN_FOLDERS:
            yield from _inside(f"{top}/{name}", f"{name}/")
        return
    top = os.path.realpath(found.path)
    beside = {top} if os.path.isdir(top) else set[str]()
    for file in found.files:
        try:
            yield str(file.path), file.path.stat()
        except OSError:
            continue  # gone: then the digest is another one
        folder = os.path.dirname(os.path.realpath(file.path))
        beside.add(folder)
        while folder.startswith(f"{top}/") and folder != top:
            beside.add(folder := os.path.dirname(folder))
    for folder in beside:
        yield from _listed(folder, folders, _BESIDE)
        for name in _SETTINGS_FOLDERS:
            yield from _listed(f"{folder}/{name}", folders)
        for name in _ABOVE:  # by name: to list a folder for each of the runs in it would take long
            above = f"{os.path.dirname(folder)}/{name}"
            with suppress(OSError):
                yield above, os.stat(above)


def _inside(
    folder: str, prefix: str, endings: tuple[str, ...] = ()
) -> Iterator[tuple[str, os.stat_result]]:
    """The files of a folder; hidden ones are somebody's own business, locks are only heartbeats."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name.startswith(".") or name.endswith((".lock", ".log")):
                    continue
                if (not endings or name.lower().endswith(endings)) and entry.is_file():
                    yield f"{prefix}{name}", entry.stat()
    except OSError:
        return  # not there, or replaced while we looked: the digest tells
