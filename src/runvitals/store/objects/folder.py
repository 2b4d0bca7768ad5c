"""A folder as a place for objects: a shared file system, or a test without a network."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from runvitals.model import RemoteError
from runvitals.model.atomic import take_name, take_new_name
from runvitals.store.objects.store import Address, Entry

_TEMPORARY = ".object-"
# that replacing one object takes; older locks were left by a killed process
MAX_LOCK_SECONDS = 60.0


class FolderObjects:
    """Objects are files below the folder; each appears whole."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.requests: Counter[str] = Counter()
        self._root = Path(address.bucket)

    def listed(self, prefix: str = "") -> Iterator[Entry]:
        """Files below, in the order of their keys."""
        self.requests["list"] += 1
        with _explained(self._root):
            if not self._root.is_dir():
                raise FileNotFoundError(2, "no such folder")
            found = sorted(self._walk(self._root / prefix if prefix else self._root))
        yield from (entry for _, entry in found)

    def _walk(self, folder: Path) -> Iterator[tuple[str, Entry]]:
        for top, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if not name.startswith(_TEMPORARY)]
            for name in files:
                if name.startswith(_TEMPORARY):
                    continue
                path = Path(top, name)
                try:
                    state = path.stat()
                except OSError:
                    continue  # removed while we looked
                key = path.relative_to(self._root).as_posix()
                tag = f"{state.st_mtime_ns:x}-{state.st_size:x}"
                yield key, Entry(key, state.st_size, state.st_mtime, tag)

    def folders(self, prefix: str = "") -> list[str]:
        """Folders directly below."""
        self.requests["list"] += 1
        with _explained(self._root):
            try:
                inside = list((self._root / prefix).iterdir())
            except FileNotFoundError:
                return []
            return sorted(path.name for path in inside if path.is_dir())

    def get(self, key: str) -> bytes | None:
        """The content of a file."""
        self.requests["get"] += 1
        with _explained(self._root / key):
            try:
                return (self._root / key).read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None

    def put(self, key: str, data: bytes | Path) -> None:
        """Write beside, then rename."""
        self.requests["put"] += 1
        path = self._root / key
        with _explained(path), self._beside(path) as temporary:
            if isinstance(data, Path):
                shutil.copyfile(data, temporary)
            else:
                temporary.write_bytes(data)
            take_name(temporary, path)

    def replace(self, key: str, data: bytes, tag: str | None) -> bool:
        """A new name is taken at once; to replace one, a lock file lies beside it meanwhile."""
        path = self._root / key
        with _explained(path), self._beside(path) as temporary:
            if tag is None:
                self.requests["put"] += 1
                temporary.write_bytes(data)
                return take_new_name(temporary, path)
            lock = path.with_name(f"{_TEMPORARY}{path.name}.lock")
            try:
                os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                _drop_if_left(lock)
                return False
            try:
                now = self.tagged(key)
                if now is None or now[1] != tag:
                    return False
                self.put(key, data)
                return True
            finally:
                lock.unlink(missing_ok=True)

    def tagged(self, key: str) -> tuple[bytes, str] | None:
        """The tag is the digest of the content."""
        data = self.get(key)
        return None if data is None else (data, hashlib.sha256(data).hexdigest())

    def delete(self, keys: Iterable[str]) -> None:
        """Remove files, and folders that are left empty."""
        for key in keys:
            self.requests["delete"] += 1
            path = self._root / key
            with _explained(path):
                path.unlink(missing_ok=True)
                try:
                    path.parent.rmdir()
                except OSError:
                    continue  # not empty

    def open(self, key: str) -> Any:
        """The file itself."""
        self.requests["get"] += 1
        with _explained(self._root / key):
            return open(self._root / key, "rb")

    @contextmanager
    def _beside(self, path: Path) -> Iterator[Path]:
        # never make it: it would hide the file system mounted there later
        if not self._root.is_dir():
            raise FileNotFoundError(2, "no such folder")
        # a random name, not one of the process: several hosts may write below a shared folder
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{_TEMPORARY}{secrets.token_hex(6)}")
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)


def _drop_if_left(lock: Path) -> None:
    """Remove the lock of a process that was killed while it had it."""
    try:
        if time.time() - lock.stat().st_mtime > MAX_LOCK_SECONDS:
            lock.unlink()
    except FileNotFoundError:
        return  # its owner was faster


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "is the shared folder mounted?" if isinstance(error, FileNotFoundError) else None
        raise RemoteError(
            f"the shared folder refused: {error.strerror or error}", where=path, hint=hint
        ) from error
