"""Places where runs may be kept: their addresses, and the interface of an object store."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from runvitals.model import RemoteError

CLOUD_SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """A bucket (or the folder that stands for one) and a prefix in it."""

    scheme: str  # "file" for folders
    bucket: str  # of a folder: its path
    prefix: str  # without slashes at its ends; empty for the bucket itself

    def __str__(self) -> str:
        if self.scheme == "file":
            return Path(self.bucket).as_uri()
        return f"{self.scheme}://{self.bucket}/{self.prefix}".rstrip("/")

    def above(self) -> tuple[Address, str] | None:
        """The place that this one lies in, and its name there; None for a bucket.

        >>> parse("s3://bucket/team/runs").above()
        (Address(scheme='s3', bucket='bucket', prefix='team'), 'runs')
        """
        if self.scheme == "file":
            path = Path(self.bucket)
            return (Address("file", str(path.parent), ""), path.name) if path.name else None
        if not self.prefix:
            return None
        parent, _, name = self.prefix.rpartition("/")
        return Address(self.scheme, self.bucket, parent), name


def is_url(text: str | os.PathLike[str]) -> bool:
    """Whether a text is the address of a remote place rather than a path.

    >>> is_url("s3://bucket/runs"), is_url("file:///mnt/runs"), is_url("runs/s3"), is_url("C://x")
    (True, True, False, False)
    """
    found = _SCHEME.match(os.fspath(text))
    return found is not None and found[1].lower() in (*CLOUD_SCHEMES, "file")


def parse(text: str | os.PathLike[str]) -> Address:
    """The address in a text; a plain path is a folder.

    >>> parse("s3://bucket/team/runs/")
    Address(scheme='s3', bucket='bucket', prefix='team/runs')
    """
    text = os.fspath(text)
    found = _SCHEME.match(text)
    if found is None:
        return Address("file", str(Path(text).expanduser().absolute()), "")
    parts = urlsplit(text)
    scheme = parts.scheme.lower()
    if scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise RemoteError(
                f"{text} names another host, {parts.netloc}",
                hint="file:// needs three slashes: file:///mnt/runs",
            )
        return Address("file", str(Path(unquote(parts.path)).absolute()), "")
    if scheme not in CLOUD_SCHEMES:
        raise RemoteError(
            f"cannot keep runs at {scheme}://",
            hint=f"supported: {', '.join(CLOUD_SCHEMES)}, file, or the path of a shared folder",
        )
    if "@" in parts.netloc or parts.query:
        raise RemoteError(
            f"the address of {parts.hostname} holds credentials or options",
            hint="leave them out; credentials come from the environment (AWS_*, GOOGLE_*, AZURE_*)",
        )
    if not parts.netloc:
        raise RemoteError(f"{text} names no bucket", hint=f"for example {scheme}://my-bucket/runs")
    return Address(scheme, parts.netloc, parts.path.strip("/"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One object in a listing."""

    key: str  # below the prefix of its place
    size: int
    modified: float  # by the clock of the place
    tag: str = ""  # changes with the content


class Objects(Protocol):
    """Named objects below one prefix. All methods raise `RemoteError` when the place refuses.

    `requests` counts what was asked, by kind: object stores bill each one.
    """

    address: Address
    requests: Counter[str]

    def listed(self, prefix: str = "") -> Iterator[Entry]:
        """All objects whose key begins with this prefix, which ends in a slash or is empty."""

    def folders(self, prefix: str = "") -> list[str]:
        """The names directly below a prefix that have objects below them."""

    def get(self, key: str) -> bytes | None:
        """The content, None where there is no such object."""

    def put(self, key: str, data: bytes | Path) -> None:
        """Write or replace an object, at once: nobody ever sees a half."""

    def replace(self, key: str, data: bytes, tag: str | None) -> bool:
        """The same if the object still has this tag (None: if it is not there); else False."""

    def tagged(self, key: str) -> tuple[bytes, str] | None:
        """Content and tag."""

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; missing ones are ignored."""

    def open(self, key: str) -> Any:
        """A file object that reads ranges."""


def open_objects(place: str | os.PathLike[str] | Address) -> Objects:
    """The place at an address. Nothing is asked of it yet."""
    address = place if isinstance(place, Address) else parse(place)
    if address.scheme == "file":
        from runvitals.store.objects.folder import FolderObjects

        return FolderObjects(address)
    from runvitals.store.objects.cloud import CloudObjects

    return CloudObjects(address)
