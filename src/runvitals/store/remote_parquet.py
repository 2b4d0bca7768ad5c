"""A Parquet file that lies in a bucket: a small file in its place says where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from runvitals.model.references import read_reference, write_reference

_FORMAT = "runvitals-elsewhere/2"
_BEGINNING = b'{"format":"runvitals-elsewhere/'  # a Parquet file begins otherwise


def write_pointer(path: Path, url: str, size: int) -> None:
    """Stand in for the file at this address."""
    write_reference(path, {"format": _FORMAT, "url": url, "size": size})


def pointer(path: Path) -> str | None:
    """The address that a file stands for; None when it is the file itself.

    Raises `ReadError` where somebody else wrote that address.
    """
    with open(path, "rb") as file:
        if file.read(len(_BEGINNING)) != _BEGINNING:
            return None
    return str(read_reference(path).get("url"))


def parquet_source(path: Path) -> Any:
    """What pyarrow reads a table from: the path, or a reader of ranges in the bucket."""
    url = pointer(path)
    if url is None:
        return path
    from runvitals.store.objects.store import open_objects

    place, _, key = url.rpartition("/")
    return open_objects(place).open(key)
