"""A whole history in one JSON document: a dict of lists, or lists of rows somewhere inside.

keras-rl's FileLogger and Keras' `History.history` write dicts of lists; people write all kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import ReadError
from runvitals.readers._tabular import (
    confidence,
    is_binary,
    is_config_name,
    is_metric_name,
    logs_of,
    settings,
    utf8,
)
from runvitals.readers._tabular_json import parse
from runvitals.readers.collector import RowCollector
from runvitals.readers.log import Log
from runvitals.readers.numbers import as_number
from runvitals.readers.source import head as first_bytes
from runvitals.readers.source import open_binary
from runvitals.readers.step_names import is_step_name
from runvitals.readers.table import Table, choose_step

ID = "json-history"
TITLE = "history in one JSON document"

MOST_BYTES = 512 * 2**20
_DEEPEST = 6
_SHORTEST = 2
_NUMBER = rb"(?:-?\d[\d.eE+-]*|NaN|-?Infinity|null)"
_LIST = re.compile(rb'"([^"\\]{1,200})"\s*:\s*\[\s*' + _NUMBER + rb"\s*,\s*" + _NUMBER + rb"\s*,")
_PAIR = re.compile(rb'"([^"\\]{1,200})"\s*:\s*' + _NUMBER + rb"\s*[,}]")
_ROWS = re.compile(rb"\[\s*\{")


def sniff(path: Path, head: bytes) -> int:  # noqa: ARG001 - the keys tell, not the name
    """By lists of numbers under names of metrics, or rows that count."""
    text = utf8(head).lstrip()
    if is_binary(head) or text[:1] not in (b"{", b"[") or b'"log_history"' in text:
        return 0
    if len(head) < 60_000:
        try:
            document = parse(text)
        except ValueError:
            return 0
        table, _, plain = _table(document)
        if table is None:
            return 0
        step = choose_step(table)
        if plain:
            return 48 if _believable(table, step) else 0
        return min(confidence(table, step), 50) if table.rows > 1 else 0
    if _is_object(text.partition(b"\n")[0]):
        return 0  # JSON lines
    lists = [name.decode("utf-8", "replace") for name in _LIST.findall(text)]
    if text.startswith(b"{") and any(is_metric_name(name) for name in lists):
        return 45
    if _ROWS.search(text):
        names = {name.decode("utf-8", "replace") for name in _PAIR.findall(text)}
        if any(map(is_step_name, names)) and any(map(is_metric_name, names)):
            return 42
    return 0


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(parse(line), dict)
    except ValueError:
        return False


def read(path: Path) -> list[Log]:
    """The run in the document."""
    start = first_bytes(path)
    if not start.strip():
        raise ReadError(path, "the file is empty", hint="has the run saved its history yet?")
    try:
        with open_binary(path) as file:
            text = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, ValueError) as error:
        raise ReadError(path, str(error)) from error
    if len(text) > MOST_BYTES:
        raise ReadError(
            path,
            f"a JSON document of more than {MOST_BYTES >> 20} MiB",
            hint="write one JSON object per line instead (.jsonl)",
        )
    try:
        document = parse(utf8(text))
    except ValueError as error:
        raise ReadError(
            path, f"this is no valid JSON ({error})", hint="was the run killed mid-save?"
        ) from error
    table, config, _ = _table(document)
    if table is None or not table.rows:
        raise ReadError(path, "no history in it", hint="expected lists of numbers, or of rows")
    logs, _ = logs_of(path, ID, table, [], config=config)
    return logs


def _believable(table: Table, step: str | None) -> bool:
    """Lists alone are a history only under names of metrics."""
    measured = [name for name in table.columns if name != step and is_metric_name(name)]
    return bool(measured) and (table.rows >= 3 or step is not None)


def _table(document: Any) -> tuple[Table | None, dict[str, Any], bool]:
    """The history, the settings beside it, and whether it is a dict of plain lists."""
    config: dict[str, Any] = {}
    found = list(_find(document, "", 0, config))
    rows = [(name, list_) for kind, name, list_ in found if kind == "rows"]
    if rows:
        return _of_rows(rows), config, False
    lists = {name: list_ for kind, name, list_ in found if kind == "numbers"}
    return (_of_lists(lists) if lists else None), config, True


def _find(
    value: Any, name: str, depth: int, config: dict[str, Any]
) -> Iterator[tuple[str, str, list[Any]]]:
    """Lists of rows and lists of numbers, wherever they lie."""
    if isinstance(value, dict):
        if depth >= _DEEPEST:
            return
        for key, inner in value.items():
            if is_config_name(key) or key.lower() == "metadata":
                if isinstance(inner, dict):
                    config.update(settings(inner))
                continue
            if isinstance(inner, str | int | float | bool):
                config.update(settings({key: inner}, f"{name.replace('/', '.')}." if name else ""))
                continue
            yield from _find(inner, f"{name}/{key}" if name else str(key), depth + 1, config)
    elif isinstance(value, list) and len(value) >= 1:
        first = value[0]
        if isinstance(first, dict):
            if sum(isinstance(row, dict) for row in value[:100]) * 2 > len(value[:100]):
                yield "rows", name, value
        elif len(value) >= _SHORTEST and name and _may_begin(first):
            yield "numbers", name, value


def _may_begin(value: Any) -> bool:
    """Whether a list that begins so may be a series."""
    return value is None or (not isinstance(value, str | list) and as_number(value) is not None)


def _of_rows(found: list[tuple[str, list[Any]]]) -> Table | None:
    """The richest list of rows; from the others, names that it lacks, put to its steps."""
    tables: list[tuple[Table, str]] = []
    for _, list_ in found:
        rows = RowCollector()
        rows.add_all([row for row in list_ if isinstance(row, dict)])
        table = rows.table()
        step = choose_step(table)
        if step is not None and len(table.columns) > 1:
            tables.append((table, step))
    if not tables:
        return None
    tables.sort(key=lambda pair: -sum(len(c.values) for c in pair[0].columns.values()))
    best, step = tables[0]
    extra = [
        (name, table, other)
        for table, other in tables[1:]
        for name in table.columns
        if name != other and name not in best.columns and other == step
    ]
    if not extra:
        return best
    merged = RowCollector()
    merged.add_columns(best.rows, {n: (c.values, c.places) for n, c in best.columns.items()})
    seen: set[str] = set()
    for name, table, other in extra:
        if name in seen:
            continue
        seen.add(name)
        column, axis = table.columns[name], table.columns[other]
        at = np.searchsorted(axis.places, column.places)
        at = np.minimum(at, len(axis.values) - 1)
        merged.add_columns(
            len(column.values), {step: (axis.values[at], None), name: (column.values, None)}
        )
    table = merged.table()
    order = np.argsort(_dense(table, step), kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    for name, column in table.columns.items():
        places = rank[column.places]
        by_row = np.argsort(places)
        table.columns[name] = type(column)(column.values[by_row], places[by_row])
    return table


def _dense(table: Table, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    values = np.full(table.rows, np.inf)
    column = table.columns[name]
    values[column.places] = column.values
    return values


def _of_lists(lists: dict[str, list[Any]]) -> Table:
    """Equally long lists belong together; a shorter one counts for itself, from the beginning."""
    rows = RowCollector()
    columns = {}
    longest = max(map(len, lists.values()))
    for name, list_ in lists.items():
        numbers = [as_number(value) for value in list_]
        kept = [i for i, number in enumerate(numbers) if number is not None]
        values = np.array([numbers[i] for i in kept], np.float64)
        columns[name] = (values, np.array(kept, np.int64))
    rows.add_columns(longest, columns)
    return rows.table()
