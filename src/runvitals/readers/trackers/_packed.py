"""Runs that a tracker keeps as a few files of JSON, in a folder or packed into one archive."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from runvitals.readers.trackers._json_values import MAX_JSON_LENGTH

_ARCHIVE = b"PK\x03\x04"


def holds(path: Path, head: bytes, names: set[str]) -> bool:
    """Whether an archive holds files of these names. Never raises."""
    if not head.startswith(_ARCHIVE):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return names <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile, ValueError):
        return False


@contextmanager
def _part(path: Path, name: str) -> Iterator[BinaryIO]:
    if path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open(name) as file:
            yield cast("BinaryIO", file)
    else:
        with open(path.parent / name, "rb") as file:
            yield file


def whole(path: Path, name: str) -> Any:
    """The JSON of one of the files that the run in `path` (an archive, or one of them) consists of."""
    with _part(path, name) as file:
        return orjson.loads(file.read(MAX_JSON_LENGTH))


def lines(path: Path, name: str, warnings: list[str]) -> Iterator[Any]:
    """The JSON of each line; a line that is none is passed over and told."""
    damaged = 0
    with _part(path, name) as file:
        while line := file.readline(MAX_JSON_LENGTH):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError:
                damaged += bool(line.strip())
    if damaged:
        warnings.append(f"{damaged} lines of {name} are no JSON and were passed over")
