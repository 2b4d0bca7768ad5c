"""How the columns of a table lie in its row groups, checked against what the file can hold.

The layout is JSON in the table's metadata, and a flipped bit leaves it readable more often than not.
Nothing of it is used before it fits the rest of the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from runvitals.model import DamagedError, IntArray
from runvitals.store.layout import Segment, segment_of

LAYOUT_KEY = b"runvitals.layout"
_OF_COLUMN = {"step": "INT64"}  # all others are numbers of 8 bytes too
_OF_METRIC = "DOUBLE"


class Keyset(NamedTuple):
    """Names that were logged together, and the row groups that hold their rows."""

    names: tuple[str, ...]
    groups: tuple[int, ...]
    owners: tuple[tuple[Segment, int], ...]  # whose rows follow one another, in a merged table

    def ends(self, metadata: Any) -> IntArray:
        """How many rows there are up to the end of each row group."""
        return np.cumsum([metadata.row_group(group).num_rows for group in self.groups])


class TableLayout(NamedTuple):
    """The keysets that have rows, and whether a table of rare names lies beside this one."""

    keysets: tuple[Keyset, ...]
    has_rest: bool


def column_name(name: str) -> str:
    """Our own columns keep their names; a metric called `step` or `time` gets a prefix."""
    return f"metric:{name}" if name in ("step", "time") or name.startswith("metric:") else name


def layout_of(path: Path, metadata: Any) -> TableLayout:
    """The layout in the metadata of a table; `DamagedError` if it does not fit the table."""
    try:
        said = orjson.loads((metadata.metadata or {})[LAYOUT_KEY])
        keysets = tuple(_keyset(one) for one in said["keysets"])
        has_rest = said["rest"]
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(path, f"its metadata cannot be read ({error})") from error
    problem = (
        _wrong_schema(metadata.schema, keysets)
        or _wrong_groups(metadata, keysets)
        or _wrong_owners(metadata, keysets)
    )
    if problem is None and not isinstance(has_rest, bool):
        problem = "they do not say whether there are rare names"
    if problem is not None:
        raise DamagedError(path, f"its metadata do not fit its rows: {problem}")
    return TableLayout(tuple(keyset for keyset in keysets if keyset.groups), has_rest)


def _keyset(said: Any) -> Keyset:
    names, groups, owners = said["names"], said["groups"], said.get("owners", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError("names that are not texts")
    if not isinstance(groups, list) or not _are_counts(groups):
        raise TypeError("row groups that are not whole numbers")
    if not _are_counts(count for _, count in owners):
        raise TypeError("numbers of rows that are not whole numbers")
    shares = tuple((segment_of(stem), count) for stem, count in owners)
    return Keyset(tuple(names), tuple(groups), shares)


def _are_counts(values: Iterable[Any]) -> bool:
    return all(type(value) is int and value >= 0 for value in values)


def _wrong_schema(schema: Any, keysets: Iterable[Keyset]) -> str | None:
    kinds: dict[str, str] = {}
    for place in range(len(schema)):
        column = schema.column(place)
        kinds[column.path] = column.physical_type
    wanted = {column_name(name) for keyset in keysets for name in keyset.names}
    if kinds.keys() != wanted | {"step", "time"} or len(kinds) != len(schema):
        return "there are other columns"
    if any(kind != _OF_COLUMN.get(name, _OF_METRIC) for name, kind in kinds.items()):
        return "a column is not made of numbers"
    return None


def _wrong_groups(metadata: Any, keysets: Iterable[Keyset]) -> str | None:
    named = [group for keyset in keysets for group in keyset.groups]
    if sorted(named) != list(range(metadata.num_row_groups)):
        return f"{len(named)} row groups are named, {metadata.num_row_groups} are there"
    counts = [metadata.row_group(group).num_rows for group in named]
    if sum(counts) != metadata.num_rows or any(count < 1 for count in counts):
        return f"row groups of {sum(counts):,} rows in a table of {metadata.num_rows:,}"
    if any(len(set(keyset.names)) != len(keyset.names) for keyset in keysets):
        return "a name stands twice among those that were logged together"
    return None


def _wrong_owners(metadata: Any, keysets: Iterable[Keyset]) -> str | None:
    for keyset in keysets:
        shared = sum(count for _, count in keyset.owners)
        if keyset.owners and keyset.groups and shared != keyset.ends(metadata)[-1]:
            return f"{shared:,} rows of some segments among {keyset.ends(metadata)[-1]:,}"
    return None
