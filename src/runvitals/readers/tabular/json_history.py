"""A whole history in one JSON document: lists of numbers or of rows, wherever they lie in it.

keras-rl's FileLogger and Keras' `History.history` write dicts of lists; people write all kinds.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.literals import parse_literal
from runvitals.readers.raw.source import open_binary
from runvitals.readers.rows.arrangement import Arrangement
from runvitals.readers.rows.column_names import is_step_name
from runvitals.readers.rows.columns import Column, Table
from runvitals.readers.rows.evidence import (
    confidence,
    counted_by_rows,
    is_metric_name,
    is_training_file,
    is_training_name,
)
from runvitals.readers.rows.step_choice import AXIS, CLOCK, is_row_number, whole
from runvitals.readers.rows.table import runs_in
from runvitals.readers.tabular._blocks import is_binary, logs_of, utf8
from runvitals.readers.tabular._json import document_text, parse
from runvitals.readers.tabular._json_documents import Document, documents
from runvitals.readers.tabular._json_rows import Piece

ID = "json-history"

MAX_BYTES = 512 * 2**20
_LINES_INSTEAD = "write one JSON object per line instead (.jsonl)"
_CURVE = 10  # values of a list whose name says nothing
_MAX_SNIFFED = 8 * 2**20
_MIN_IN_A_ROW = 3  # objects one after the other
_BETWEEN = " \t\r\n,"
_NUMBER = rb'(?:"?-?\d[\d.eE+-]*"?|NaN|-?Infinity|null)'
_NAME = rb'"([^"\\]{1,200})"\s*:\s*'
_LIST = re.compile(_NAME + rb"\[\s*(?:\[\s*)?" + _NUMBER + rb"\s*,\s*" + _NUMBER + rb"\s*[,\]]")
_KEYED = re.compile(_NAME + rb'\{\s*"-?\d{1,15}"\s*:\s*' + _NUMBER)
_PAIR = re.compile(_NAME + _NUMBER + rb"\s*[,}]")
_ROWS = re.compile(rb"\[\s*\{")
_BARE = re.compile(rb"\[\s*(?:\[\s*)?" + _NUMBER + rb"\s*,")


def sniff(path: Path, head: bytes) -> int:
    """By lists of numbers under names of metrics, or rows that count."""
    text = utf8(head).lstrip()
    if is_binary(head) or text[:1] not in (b"{", b"[") or b'"log_history"' in text:
        return 0
    if len(head) < 60_000:
        try:
            value = value_of(text)
        except ValueError:
            return 0
        if isinstance(value, list) and _is_object(text.partition(b"\n")[0].rstrip(b", \t\r")):
            return 0  # JSON lines
        return max((_sure(one, path.stem) for one in documents(value, _tag(path))), default=0)
    if _is_object(text.partition(b"\n")[0]):
        return 0  # JSON lines
    lists = [
        name.decode("utf-8", "replace")
        for pattern in (_LIST, _KEYED)
        for name in pattern.findall(text)
    ]
    sure = 0
    if text.startswith(b"{") and any(
        is_step_name(name) or _is_history(name, path.stem) for name in lists
    ):
        sure = 45  # a list of steps may fill all of the first bytes
    elif _ROWS.search(text):
        names = {name.decode("utf-8", "replace") for name in _PAIR.findall(text)}
        counted = any(map(is_step_name, names)) and any(map(is_metric_name, names))
        sure = 42 if counted or any(map(is_training_name, names)) else 0
    elif _BARE.match(text) and is_training_file(path.stem, surely=True):
        sure = 40
    return min(sure, _sure_of_all(path)) if sure else 0


def value_of(text: bytes) -> Any:
    """The value of a document: JSON, one object behind the other, or what Python prints of it."""
    try:
        return parse(text)
    except ValueError:
        if len(text) > _MAX_SNIFFED:
            raise
        if value := _in_a_row(text):
            return value
        plain = text.decode("utf-8", "replace").strip()  # a dict or a list as `str` writes it
        found = parse_literal(plain)
        if found is None or found[1] != len(plain) or found[0] is None:
            raise
        return found[0]


def _in_a_row(text: bytes) -> list[Any] | None:
    """Objects that were dumped to one file one after the other, each over several lines."""
    decoder, plain = json.JSONDecoder(), text.decode("utf-8", "replace")
    found: list[Any] = []
    place = 0
    try:
        while place < len(plain):
            one, end = decoder.raw_decode(plain, place)
            if not isinstance(one, dict):
                return None
            found.append(one)
            while end < len(plain) and plain[end] in _BETWEEN:
                end += 1
            place = end
    except (ValueError, RecursionError):
        if len(found) < _MIN_IN_A_ROW:  # the last one may be cut
            return None
    return found if len(found) >= _MIN_IN_A_ROW else None


def _sure_of_all(path: Path) -> int:
    """Of a document that the first bytes do not hold: read whole, if it is not too large for that."""
    try:
        with open_binary(path) as file:
            text = file.read(_MAX_SNIFFED + 1)
        if len(text) > _MAX_SNIFFED:
            return 100
        found = documents(value_of(utf8(text)), _tag(path))
    except (OSError, EOFError, ValueError):
        return 100  # let it be read, and say what is wrong
    return max((_sure(one, path.stem) for one in found), default=0)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(parse(line), dict)
    except ValueError:
        return False


def _tag(path: Path) -> str:
    """What a list without a name is of: TensorBoard's page exports `run-<run>-tag-<tag>.json`."""
    return path.stem.rpartition("tag-")[2] or path.stem


def _is_history(name: str, stem: str) -> bool:
    """Lists alone are a history only under names of metrics."""
    return is_training_name(name) or (is_metric_name(name) and is_training_file(stem))


def _sure(document: Document, stem: str) -> int:
    if document.rows < 2:
        return 0
    sure = 0
    for piece in document.pieces:
        named = any(_is_history(name, stem) for name in piece.table.columns if name != piece.step)
        sure = max(sure, _sure_of(piece, stem, named=named))
        several = len(document.pieces) > 1 or piece.table.rows > 2
        # a column of it counts the steps, and not the rows of a list of things
        counted = piece.shape is None and piece.step not in (None, AXIS)
        counted = counted and not (piece.of_things and is_row_number(str(piece.step)))
        if sure == 0 and named and several and counted:
            sure = 45
    return sure


def _sure_of(piece: Piece, stem: str, *, named: bool) -> int:
    """How surely one part of a document is a history; `named`: whether its names say so."""
    table, step = piece.table, piece.step
    if piece.shape is not None:  # rows that are of several runs, or hold one number each
        first = piece.shape.apply(table)[0].tables[0][1]
        return 48 if any(map(is_metric_name, first.columns)) and first.rows > 1 else 0
    if piece.of_things and (step is None or is_row_number(step)):
        return 0
    if step is not None and step != AXIS:
        return min(confidence(table, step.rpartition("/")[2]), 50)
    if step == AXIS:
        return 48 if (named or CLOCK in table.columns) and table.rows > 2 else 0
    if named and table.rows > 2:
        return 48 if piece.lists or counted_by_rows(table, stem) else 0
    if piece.lists and is_training_file(stem, surely=True):
        # without a telling name: numbers that may have been measured again and again
        columns = [column.values for column in table.columns.values()]
        return 35 if any(len(v) >= _CURVE and not whole(v) for v in columns) else 0
    return 0


def read(path: Path) -> list[Log]:
    """The runs in the document: mostly one."""
    text = document_text(
        path, MAX_BYTES, empty="has the run saved its history yet?", instead=_LINES_INSTEAD
    )
    try:
        value: Any = value_of(text)
    except ValueError as error:
        raise ReadError(
            path, f"this is not valid JSON ({error})", hint="was the run killed mid-save?"
        ) from error
    del text
    found = documents(value, _tag(path))
    del value
    if not found:
        raise ReadError(path, "no history in it", hint="expected lists of numbers, or of rows")
    logs: list[Log] = []
    for document in found:
        mine = logs_of_document(path, document)
        if document.label:
            for log in mine:
                log.name = " ".join(filter(None, [document.label, log.name]))
        logs += mine
    return logs


def logs_of_document(path: Path, document: Document, format: str = ID) -> list[Log]:
    """One log, unless the richest piece turns out to hold several runs."""
    first, *others = document.pieces
    config, shape = document.config, first.shape or Arrangement(first.step)
    logs, _ = logs_of(
        path, format, first.table, document.warnings, config=config, step=first.step, shape=shape
    )
    if others and len(logs) > 1:  # one run, as the rest tells, in which a counter starts over
        table = first.table
        everywhere = np.arange(table.rows)
        axis = {AXIS: Column(everywhere.astype(np.float64), everywhere)}
        counted = Table(table.rows, {**axis, **table.columns})
        told = [*document.warnings, f"`{first.step}` starts over; rows are counted from 0"]
        logs, _ = logs_of(path, format, counted, told, config=config, shape=Arrangement(AXIS))
    for piece in others:
        for part in runs_in(piece.table, step=piece.step, split=False):
            logs[-1].add(part.blocks)
            logs[-1].counted_by |= part.counted_apart(first.step)
    return logs


READER = Reader(ID, "history in one JSON document", sniff, read)
