"""Copies of runs from a bucket: what a copy lacks, and tables that stayed in the bucket.

`points/copied.json` tells of the first. A small file in the place of such a table says where it is.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runvitals.model import Gap, ReadError
from runvitals.model.references import read_reference, write_reference
from runvitals.store.files import read_json

COPIED_FILE = "points/copied.json"


def copied_warnings(folder: Path) -> list[str]:
    """Warnings about a copied run; none for a run that was recorded here."""
    path = folder / COPIED_FILE
    if not path.exists():
        return []
    try:
        said = read_json(path)
    except ReadError as error:
        return [str(error)]
    told: list[str] = [_silent(one, time.time()) for one in said.get("silent") or ()]
    if twins := said.get("twins"):
        told.append(
            f"{len(twins)} different runs have this project and id in the bucket; "
            f"each is shown as a run of its own: {', '.join(twins)}"
        )
    if mixed := said.get("mixed"):
        began = " and ".join(map(_when, mixed))
        told.append(
            f"{len(mixed)} runs with this id were shipped into one, which began {began}: "
            "where their steps overlap, only the later one is drawn"
        )
    return told


def _silent(one: Mapping[str, Any], now: float) -> Gap:
    """A shipper that no longer shows signs of life although its run had not ended."""
    last, there, promised = float(one["heartbeat"]), int(one["there"]), int(one["promised"])
    rows = f"{there:,} of the {promised:,} rows recorded by then are here"
    return Gap(
        f"the last heartbeat of rank {one['rank']} on {one['host']} was {age(now - last)} ago "
        f"({_when(last)}): {rows}, and none of those recorded since; "
        f"`runvitals push` on {one['host']} sends what is missing"
    )


def age(seconds: float) -> str:
    """How long ago something was, in its largest unit.

    >>> age(150), age(7300)
    ('2 min', '2 h')
    """
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0.0):.0f} s"


def _when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at))


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
