"""What was read and judged, kept for the next command: one cache for all of them.

`check`, `fleet`, `runs`, the dashboard and agents look here first. An entry holds as long as the files
of its run (size, times and inode of each), the code and the user's settings are the same. Entries lie
in the user's cache folder and are signed with the user's key: nothing in a run's folder is trusted.
"""

import hashlib
import hmac
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from runvitals.diagnosis.code_stamp import code_stamp
from runvitals.model.atomic import replacing
from runvitals.model.references import cache_folder, user_key
from runvitals.model.run import ENDED
from runvitals.readers.discovery.files import Found
from runvitals.readers.raw import memory

MAY_BE_LIVE = 3600.0  # seconds since a file changed: later nobody writes to it any more
MAX_FILES = 50_000
MAX_BYTES = 2**30  # of all entries
MAX_ENTRY = 2**24  # bytes; a longer one is made again each time
MIN_REMEMBERED = 20  # files below a folder whose kinds are worth remembering
_SIGNATURE = 32  # bytes
_MEMORY = "files"


class RunCache:
    """Entries in a folder; without a folder nothing is kept. Safe with many processes.

    What is damaged, forged or out of date counts as not there. An entry that cannot be written is
    left out.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._key = b""

    def load(self, use: str, found: Found, settings: str, files: str) -> tuple[str, bytes] | None:
        """What was kept of a place for this use, and by which path it was called then."""
        where = _absolute(found.path)
        body = self._read([use, where, settings], files)
        if body is None:
            return None
        given, _, content = body.partition(b"\n")
        return os.fsdecode(given), content

    def save(self, use: str, found: Found, settings: str, files: str, content: bytes) -> None:
        """Keep something of a place. `files` is its fingerprint from before it was read."""
        where, given = _absolute(found.path), os.fsencode(found.path)
        if b"\n" not in given:
            self._write([use, where, settings], files, given + b"\n" + content)

    @contextmanager
    def remembering(self, top: Path) -> Iterator[None]:
        """Look through a folder without opening files whose kind is known from an earlier time."""
        if self._folder is None or not os.path.isdir(top):
            yield
            return
        where = [_MEMORY, _absolute(top), ""]
        before = self._read(where, code_stamp())
        if before is not None:
            memory.remember(orjson.loads(before))
        yield
        now = memory.below(top)
        if len(now) >= MIN_REMEMBERED and (content := orjson.dumps(now)) != before:
            self._write(where, code_stamp(), content)

    def prune(self, most: int = MAX_FILES, most_bytes: int = MAX_BYTES) -> None:
        """Drop the oldest entries when there are too many, or when they take too much room."""
        if self._folder is None:
            return
        found = sorted(_entries(self._folder), reverse=True)
        room = most_bytes
        for number, (_, size, path) in enumerate(found):
            room -= size
            if number >= most or room < 0:
                Path(path).unlink(missing_ok=True)

    def _read(self, about: list[str], state: str) -> bytes | None:
        if self._folder is None:
            return None
        try:
            content = self._file(about).read_bytes()
        except OSError:
            return None  # not kept yet
        signature, signed = content[:_SIGNATURE], content[_SIGNATURE:]
        head, _, body = signed.partition(b"\n")
        if head != _head(about, state) or not (key := self._signing_key(create=False)):
            return None
        return body if hmac.compare_digest(signature, _signature(key, signed)) else None

    def _write(self, about: list[str], state: str, body: bytes) -> None:
        if self._folder is None or len(body) > MAX_ENTRY:
            return
        signed = _head(about, state) + b"\n" + body
        file = self._file(about)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(file) as new:
                new.write(_signature(self._signing_key(create=True), signed) + signed)
        except OSError:
            self._folder = None  # not writable: do not try for each run

    def _signing_key(self, *, create: bool) -> bytes:
        self._key = self._key or user_key(create=create)
        return self._key

    def _file(self, about: list[str]) -> Path:
        assert self._folder is not None
        name = hashlib.blake2b(orjson.dumps(about), digest_size=12).hexdigest()
        return self._folder / name[:2] / name


def user_cache() -> RunCache:
    """The cache of this user."""
    return RunCache(cache_folder() / "kept")


def is_over(found: Found, statuses: Iterable[str], newest: Callable[[Found], float]) -> bool:
    """Whether time alone cannot change a judgement: some rules ask how long ago a row came."""
    statuses = list(statuses)
    if not found.files and all(status in ENDED for status in statuses):
        return True
    return "running" not in statuses and time.time() - newest(found) > MAY_BE_LIVE


def _entries(folder: Path) -> Iterator[tuple[float, int, str]]:
    """When each entry was written, its size and its path."""
    for part in folder.glob("??"):
        try:
            with os.scandir(part) as entries:
                for entry in entries:
                    status = entry.stat()
                    yield status.st_mtime, status.st_size, entry.path
        except OSError:
            continue  # another process has just dropped it


def _head(about: list[str], state: str) -> bytes:
    return orjson.dumps([*about, state])


def _signature(key: bytes, signed: bytes) -> bytes:
    return hmac.digest(key, signed, "sha256")


def _absolute(path: Path) -> str:
    return os.fsencode(os.path.abspath(path)).hex()


def moved(said: Any, before: str, now: str) -> Any:
    """A path below one folder as it is called below another."""
    return f"{now}{said[len(before) :]}" if str(said).startswith(before) else said
