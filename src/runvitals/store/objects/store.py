"""The interface of an object store; `open_objects` picks the implementation."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from runvitals.store.objects.url import Address, parse


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
