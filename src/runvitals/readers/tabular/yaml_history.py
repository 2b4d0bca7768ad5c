"""A history in YAML: rows in a list or one to a document, or lists of numbers under their names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from runvitals.model import ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import DAMAGED, open_binary, uncompressed_name
from runvitals.readers.raw.yaml_values import MAX_TEXT, parse_yaml
from runvitals.readers.rows.evidence import is_training_name
from runvitals.readers.rows.step_choice import whole
from runvitals.readers.tabular._blocks import is_binary, utf8
from runvitals.readers.tabular._json_documents import Document, documents
from runvitals.readers.tabular.json_history import logs_of_document

ID = "yaml-history"

_MIN_ROWS = 5  # of what is no list of settings
# Most YAML files are settings: only lists of numbers and many rows are worth parsing.
_ROWS = re.compile(rb"^ *- +(?:[\w'\"/-]{1,60}: *)?[-+.\d]|^---", re.MULTILINE)
_LIST = re.compile(rb"\[(?: *[-+.\deE]{1,30} *,\s{0,40}){4}")


def sniff(path: Path, head: bytes) -> int:
    """A file with rows or lists that only a training writes."""
    if not uncompressed_name(path).endswith((".yaml", ".yml")) or is_binary(head):
        return 0
    if len(_ROWS.findall(head)) < _MIN_ROWS and _LIST.search(head) is None:
        return 0
    try:
        return 40 if any(map(_is_history, _documents(path))) else 0
    except DAMAGED:
        return 0


def _documents(path: Path) -> list[Document]:
    with open_binary(path) as file:
        text = file.read(MAX_TEXT + 1)
    found: Any = parse_yaml(utf8(text).decode("utf-8", "replace"))
    found = _with_names(found[0] if len(found) == 1 else found)
    return documents(found, path.stem) if isinstance(found, dict | list) else []


def _with_names(value: Any) -> Any:
    """The value with texts for keys, as JSON has them; the parser bounds how deep it is."""
    if isinstance(value, dict):
        return {str(key): _with_names(inner) for key, inner in value.items()}
    return [_with_names(inner) for inner in value] if isinstance(value, list) else value


def _is_history(document: Document) -> bool:
    """Whether something was measured at least a few times under a name that only a training has."""
    return any(
        is_training_name(name) and len(column.values) >= _MIN_ROWS and not whole(column.values)
        for piece in document.pieces
        if not piece.of_things
        for name, column in piece.table.columns.items()
        if name != piece.step
    )


def read(path: Path) -> list[Log]:
    """The runs in the documents: mostly one."""
    try:
        found = _documents(path)
    except DAMAGED as error:
        raise ReadError(path, f"this is not YAML that can be read ({error})") from error
    if not found:
        raise ReadError(path, "no history in it", hint="expected lists of numbers, or of rows")
    logs: list[Log] = []
    for document in found:
        mine = logs_of_document(path, document, ID)
        for log in mine if document.label else ():
            log.name = " ".join(filter(None, [document.label, log.name]))
        logs += mine
    return logs


READER = Reader(
    ID,
    "history in YAML",
    sniff,
    read,
)
