"""Records of a W&B run file: rows as they are gathered, and the parts of a protobuf record."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from runvitals.model import Histogram
from runvitals.readers.rows.table import MAX_COLUMNS, MAX_DEPTH, MAX_STEP
from runvitals.readers.trackers import _protobuf as protobuf
from runvitals.readers.trackers._json_values import histogram_of, parse_json
from runvitals.readers.trackers._wandb_folder import unwrapped


class Rows:
    """The history and system rows of one reading, sparse: a place and a value per point."""

    def __init__(self) -> None:
        self.steps = array("d")  # `_step` of each row
        self.times = array("d")
        self.columns: dict[str, tuple[array[int], array[float]]] = {}
        self.stat_times = array("d")
        self.stats: dict[str, tuple[array[int], array[float]]] = {}


def put(
    columns: dict[str, tuple[array[int], array[float]]], name: str, place: int, number: float
) -> None:
    column = columns.get(name)
    if column is None:
        if len(columns) >= MAX_COLUMNS:
            return
        column = columns[name] = (array("q"), array("d"))
    column[0].append(place)
    column[1].append(number)


def counts(rows: Rows, name: str, at_least: float) -> bool:
    """True if a column can be a step: whole numbers that never fall."""
    column = rows.columns.get(name)
    if column is None or len(column[1]) < max(1.0, at_least):
        return False
    values = np.array(column[1])
    if not np.isfinite(values).all() or np.abs(values).max() > MAX_STEP:
        return False
    return bool((values == np.floor(values)).all() and (np.diff(values) >= 0).all())


def goes_with(axis: array[int], places: array[int]) -> bool:
    """True if the axis stands in nearly every row of a metric."""
    return len(np.intersect1d(np.array(axis), np.array(places))) >= 0.9 * len(places)


def any_item(item: bytes) -> tuple[str, bytes]:
    """Name and JSON of an item in any layout, with typed values too."""
    names: list[str] = []
    raw = b""
    for number, value in protobuf.fields(item):
        if number in (1, 2):
            names.append(protobuf.text(value))
        elif number in (8, 16) and isinstance(value, bytes):
            raw = value
        elif isinstance(value, int):
            if number == 4:
                raw = b"true" if value else b"false"
            elif number == 5:
                raw = str(protobuf.zigzag(value)).encode()
            elif number == 6:
                raw = repr(protobuf.double(value)).encode()
    return "/".join(names), raw


def take_config(data: bytes, config: dict[str, Any]) -> None:
    """Updates and removals of a config record."""
    for number, value in protobuf.fields(data):
        if number not in (1, 2) or not isinstance(value, bytes):
            continue
        keys: list[str] = []
        raw = b""
        for field, inner in protobuf.fields(value):
            if field in (1, 2):
                keys.append(protobuf.text(inner))
            elif field == 16 and isinstance(inner, bytes):
                raw = inner
        if not keys or keys[0] == "_wandb" or len(keys) > MAX_DEPTH or len(config) > MAX_COLUMNS:
            continue
        place = config
        for key in keys[:-1]:
            inside = place.setdefault(key, {})
            if not isinstance(inside, dict):
                inside = place[key] = {}
            place = inside
        if number == 1:
            place[keys[-1]] = unwrapped(parse_json(raw))
        else:
            place.pop(keys[-1], None)


def row_histograms(data: bytes, step: int, time: float) -> Iterator[Histogram]:
    """The histograms of a history row, be they one JSON value or a few nested ones."""
    found: dict[str, dict[str, Any]] = {}
    for number, item in protobuf.fields(data):
        if number != 1 or not isinstance(item, bytes):
            continue
        name, raw = any_item(item)
        outer, _, key = name.rpartition("/")
        if key in ("_type", "values", "bins") and outer:
            found.setdefault(outer, {})[key] = parse_json(raw)
        elif "/packedBins/" in name:
            outer, _, key = name.partition("/packedBins/")
            found.setdefault(outer, {}).setdefault("packedBins", {})[key] = parse_json(raw)
        elif b'"histogram"' in raw:
            value = parse_json(raw)
            if isinstance(value, dict):
                found[name] = value
    for name, parts in found.items():
        if parts.get("_type") == "histogram":
            histogram = histogram_of(name, step, time, parts)
            if histogram is not None:
                yield histogram
