"""The first step of a log by its first bytes: whether it may go on where another stopped."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.log import Reader
from runvitals.readers.raw.memory import recalled
from runvitals.readers.raw.source import head
from runvitals.readers.registry import guarded
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.table import choose_step
from runvitals.readers.tabular import json_lines
from runvitals.readers.tabular._delimited import sample
from runvitals.tfevents.decode import MalformedError, layout
from runvitals.tfevents.framing import HEAD, head_length

_TRAILER = 4  # bytes of the checksum behind a record
_MAX_RECORDS = 500
_MAX_ROWS = 40  # enough to tell which column counts the steps


def first_step(path: Path, reader: Reader) -> int | None:
    """The step of the first row; None if only reading the whole file can tell."""
    if reader.id not in _PEEKS:
        return None
    return recalled(path, f"first step by {reader.id}", lambda: _peeked(path, reader))


def _peeked(path: Path, reader: Reader) -> int | None:
    peek = _PEEKS[reader.id]
    try:
        return guarded(path, reader.title, lambda: peek(head(path)))
    except ReadError:
        return None  # reading it will say what is wrong with it


def _of_events(start: bytes) -> int | None:
    at = 0
    for _ in range(_MAX_RECORDS):
        length = head_length(start, at) if len(start) >= at + HEAD else None
        if length is None or at + HEAD + length > len(start):
            return None
        data = start[at + HEAD : at + HEAD + length]
        try:
            found = layout(data)
        except MalformedError:
            return None
        if found.scalars:
            return found.step(data)
        at += HEAD + length + _TRAILER
    return None


def _of_delimited(start: bytes) -> int | None:
    found = sample(start)
    if found is None or not found.header:
        return None
    rows = RowCollector()
    for cells in found.rows[:_MAX_ROWS]:
        rows.add(dict(zip(found.names, cells, strict=False)))
    return _first(rows)


def _of_json_lines(start: bytes) -> int | None:
    rows = RowCollector()
    for row in islice(json_lines.objects(start), _MAX_ROWS):
        rows.add(row)
    return _first(rows)


def _first(rows: RowCollector) -> int | None:
    table = rows.table()
    step = choose_step(table)
    return None if step is None else int(table.columns[step].values[0])


_PEEKS = {"tensorboard": _of_events, "csv": _of_delimited, "jsonl": _of_json_lines}
