"""JSON of trackers: numbers, nested mappings and media of a value, and files packed into an archive."""

import json
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import orjson

from runvitals.model import FloatArray, Histogram
from runvitals.readers.rows.table import MAX_DEPTH

MAX_JSON_LENGTH = 16 * 2**20
_TEXT_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def parse_json(raw: bytes) -> Any:
    """A JSON value; None when it is none. W&B writes bare NaN and Infinity too."""
    if not raw or len(raw) > MAX_JSON_LENGTH:
        return None
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        try:
            return float(raw)
        except ValueError:
            return None


def flatten(name: str, value: Any, row: dict[str, float], media: list[str], depth: int = 0) -> None:
    """Numbers of a JSON value under their names; texts and media are passed over."""
    if isinstance(value, bool | int | float):
        try:
            row[name] = float(value)
        except OverflowError:
            row[name] = math.inf if value > 0 else -math.inf
    elif isinstance(value, str):
        if value in _TEXT_NUMBERS:
            row[name] = _TEXT_NUMBERS[value]
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        if isinstance(value.get("_type"), str):
            media.append(name)
            return
        for key, inner in value.items():
            flatten(f"{name}/{key}", inner, row, media, depth + 1)


def histogram_of(name: str, step: int, time: float, parts: dict[str, Any]) -> Histogram | None:
    """A histogram from W&B's JSON (`values`, and `bins` or `packedBins`); None when it is none."""
    try:
        counts = np.array(parts["values"], np.float64)
        packed = parts.get("packedBins")
        edges: FloatArray
        if isinstance(packed, dict):
            width = float(packed["size"])
            edges = float(packed["min"]) + width * np.arange(len(counts) + 1, dtype=np.float64)
        else:
            edges = np.array(parts["bins"], np.float64)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if counts.ndim != 1 or edges.shape != (len(counts) + 1,) or not len(counts):
        return None
    with np.errstate(all="ignore"):
        middles = (edges[1:] + edges[:-1]) / 2
        total, squares = float(counts @ middles), float(counts @ middles**2)
    return Histogram(name, step, time, edges, counts, total, squares)


_ARCHIVE = b"PK\x03\x04"


def holds(path: Path, head: bytes, names: set[str]) -> bool:
    """True if an archive holds files of these names. Never raises."""
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
