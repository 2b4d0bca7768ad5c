"""A bare list of numbers, as `str(rewards)` or `",".join(...)` leaves it: named by its file alone."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from runvitals.model import ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import open_binary, uncompressed_name
from runvitals.readers.rows.evidence import is_training_file, measured_in
from runvitals.readers.rows.table import Column, Table
from runvitals.readers.tabular._blocks import is_binary, logs_of, utf8

ID = "number-list"

_ENDINGS = (".txt", ".log", ".csv", ".dat", ".out", ".list")
_NUMBER = rb"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)"
_BEGINS = re.compile(rb"\s*[\[(]?\s*" + _NUMBER + rb"(?:[,;\s]+" + _NUMBER + rb")*[,;\s]*[\])]?\s*")
_MIN_VALUES = 8  # judgement, as of tables without names
MAX_BYTES = 64 << 20  # of text: some millions of numbers


def sniff(path: Path, head: bytes) -> int:
    """Numbers and nothing else, all in one line or within brackets, in a file called after them."""
    name = uncompressed_name(path)
    stem = name.rpartition(".")[0]
    if is_binary(head) or not name.endswith(_ENDINGS) or measured_in(stem) is None:
        return 0
    if not is_training_file(stem, surely=True):
        return 0
    text = head.strip()
    bracketed = text[:1] in (b"[", b"(")
    if not bracketed and b"\n" in text:
        return 0
    whole = text[
        : max(text.rfind(b","), text.rfind(b" "), text.rfind(b"\n"))
    ]  # the head may be cut
    values = len(re.findall(rb"[,;\s]+", whole))
    return 30 if values >= _MIN_VALUES and _BEGINS.fullmatch(whole) else 0


def read(path: Path) -> list[Log]:
    """The list, counted from 0."""
    with open_binary(path) as file:
        text = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise ReadError(
            path,
            f"a list of more than {MAX_BYTES >> 20} MiB",
            hint="write one number per line, below a name",
        )
    words = re.split(r"[,;\s]+", utf8(text).decode().strip(" \t\r\n[](),;"))
    values = []
    cut = 0
    for word in words:
        try:
            values.append(float(word))
        except ValueError:
            cut += 1
    if cut > 1 or not values:
        raise ReadError(path, "this is not a list of numbers", hint="is the file whole?")
    name = measured_in(uncompressed_name(path).rpartition(".")[0]) or path.stem
    table = Table(len(values), {name: Column(np.array(values), np.arange(len(values)))})
    warnings = ["the last value is not a number and was left out"] if cut else []
    return logs_of(path, ID, table, warnings)[0]


READER = Reader(
    ID,
    "bare list of numbers",
    sniff,
    read,
)
