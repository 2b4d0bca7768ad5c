"""A Parquet file that lies in a bucket: a small file in its place says where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

_FORMAT = "runvitals-elsewhere/1"
_MAX_BYTES = 4096  # of the small file


def write_pointer(path: Path, url: str, size: int) -> None:
    """Stand in for the file at this address."""
    path.write_bytes(orjson.dumps({"format": _FORMAT, "url": url, "size": size}))


def pointer(path: Path) -> str | None:
    """The address that a file stands for; None when it is the file itself."""
    with open(path, "rb") as file:
        start = file.read(_MAX_BYTES)
    if not start.startswith(b'{"format":"runvitals-elsewhere/'):
        return None
    return str(orjson.loads(start)["url"])


def parquet_source(path: Path) -> Any:
    """What pyarrow reads a table from: the path, or a reader of ranges in the bucket."""
    url = pointer(path)
    if url is None:
        return path
    from runvitals.objects.store import open_objects

    place, _, key = url.rpartition("/")
    return open_objects(place).open(key)
