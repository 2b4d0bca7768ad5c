"""Checksums of finished files: a bit that flips at rest is found, never taken for a number.

Parquet has one for each page; what lies between the pages (their headers, and the footer with the
names) has none. So `rank0.sums.json` holds one of the whole file and one of its footer.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import google_crc32c

from runvitals.model import ReadError
from runvitals.store.files import read_json, write_json

WHOLE_BYTES = 64 * 2**20  # larger files are not read whole for that; their pages are checked
_CHUNK = 2**20


def write_sums(target: Path, files: Iterable[tuple[str, Path]]) -> None:
    """Write down the sums of complete files, under the names they are going to have."""
    write_json(target, {name: _sums(path) for name, path in files})


def wrong_sum(sums: Path, file: Path) -> str | None:
    """What is wrong with a file; None if nothing is, or if nobody wrote its sums down."""
    try:
        known = read_json(sums).get(file.name) if sums.exists() else None
        if not isinstance(known, dict):
            return None
        size = file.stat().st_size
        if size != known.get("size"):
            return f"it has {size:,} bytes and had {known.get('size'):,} when it was written"
        part = "footer" if size > WHOLE_BYTES else "whole"
        if _sum(file, *_range(file, part)) != known.get(part):
            return "its checksum is wrong"
    except (ReadError, OSError, TypeError, ValueError) as error:
        return f"its checksum could not be compared ({error})"
    return None


def _sums(path: Path) -> dict[str, Any]:
    return {
        "size": path.stat().st_size,
        "whole": _sum(path, *_range(path, "whole")),
        "footer": _sum(path, *_range(path, "footer")),
    }


def _range(path: Path, part: str) -> tuple[int, int]:
    size = path.stat().st_size
    if part == "whole":
        return 0, size
    with open(path, "rb") as file:
        file.seek(size - 8)
        length = int.from_bytes(file.read(4), "little") + 8
    return max(0, size - length), size


def _sum(path: Path, start: int, stop: int) -> int:
    total = 0
    with open(path, "rb") as file:
        file.seek(start)
        left = stop - start
        while left > 0 and (piece := file.read(min(_CHUNK, left))):
            total = google_crc32c.extend(total, piece)
            left -= len(piece)
    return int(total)
