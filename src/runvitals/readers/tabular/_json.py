"""JSON of doubtful origin: bare NaN, deep nesting, long lines, and rows line by line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import Gap, ReadError
from runvitals.readers.raw.source import DAMAGED, MAX_LINE, open_binary
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.tabular._blocks import is_config_name, settings, utf8

MAX_CONFIG = 16 * 2**20
MAX_PARSED = 800 * 2**20  # bytes of a text and of what is parsed out of it
# bytes of a number in a list and in an array; of a container
_SIZES = {b",": 48, b"{": 232, b"[": 80}
_BATCH = 2048
Change = Callable[[dict[str, Any]], dict[str, Any]]


def parse(text: bytes) -> Any:
    """The value of a JSON text; bare NaN and Infinity are allowed. ValueError for anything else."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if b"NaN" not in text and b"Infinity" not in text and b"\xff" not in text:
            raise ValueError(str(error)) from error
    try:
        return json.loads(text.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def document_text(path: Path, most: int, *, empty: str, instead: str | None = None) -> bytes:
    """The text of a JSON document, as UTF-8; `ReadError` if it is empty, or too large to be parsed.

    `empty` and `instead` are hints for these cases.
    """
    try:
        with open_binary(path) as file:
            text = file.read(most + 1)
    except DAMAGED as error:
        raise ReadError(path, str(error)) from error
    if not text.strip():
        raise ReadError(path, "the file is empty", hint=empty)
    if len(text) > most:
        raise ReadError(path, f"a JSON document of more than {most >> 20} MiB", hint=instead)
    # bytes as objects
    if len(text) + sum(text.count(mark) * size for mark, size in _SIZES.items()) > MAX_PARSED:
        told = f"a JSON document with too many values to be held in memory ({len(text) >> 20} MiB)"
        raise ReadError(path, told, hint=instead)
    return utf8(text)


def config_beside(path: Path, name: str) -> dict[str, Any]:
    """The settings in a JSON file next to a log; empty when there is none that can be read."""
    beside = path.with_name(name)
    try:
        if not beside.is_file():
            return {}
        with open_binary(beside) as file:
            text = file.read(MAX_CONFIG + 1)
        found = parse(text) if len(text) <= MAX_CONFIG else None
    except (OSError, EOFError, ValueError):
        return {}
    return settings(found) if isinstance(found, dict) else {}


class JsonLinesParser:
    """Lines of JSON objects to rows. `change` may rearrange each object before it is taken in."""

    def __init__(self, warnings: list[str], change: Change | None = None) -> None:
        self.rows = RowCollector(left_out=is_config_name)
        self.first: dict[str, Any] | None = None
        self._warnings = warnings
        self._change = change
        self._line = 0
        self._bad = 0
        self._bad_line = 0
        self._torn = 0  # that were objects once

    def feed(self, block: bytes) -> None:
        batch: list[dict[str, Any]] = []
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        loads, change = orjson.loads, self._change
        for number, line in enumerate(lines, self._line + 1):
            try:
                row = loads(line)
            except orjson.JSONDecodeError:
                row = self._second_try(line, number)
            if type(row) is not dict:
                if row is not None:
                    self._note(number)
                continue
            if self.first is None:
                self.first = row
            batch.append(row if change is None else change(row))
            if len(batch) >= _BATCH:
                self.rows.add_all(batch)
                batch = []
        if batch:
            self.rows.add_all(batch)
        self._line += len(lines)

    def feed_last(self, line: bytes) -> bool:
        try:
            row = parse(line)
        except ValueError:
            return False
        if type(row) is dict:
            if self.first is None:
                self.first = row
            self.rows.add_all([row if self._change is None else self._change(row)])
        return type(row) is dict

    def _second_try(self, line: bytes, number: int) -> Any:
        text = line.strip()
        if not text or text in (b"[", b"]"):
            return None
        if len(text) <= MAX_LINE:
            try:
                return parse(text.rstrip(b","))
            except ValueError:
                pass
        self._note(number)
        self._torn += text.startswith(b"{")
        return None

    def _note(self, number: int) -> None:
        self._bad += 1
        self._bad_line = self._bad_line or number

    def report(self) -> None:
        """Say which lines were left out."""
        if self._bad:
            more = f", and {self._bad - 1} more such lines" if self._bad > 1 else ""
            told = f"line {self._bad_line} is no JSON object{more}; left out"
            self._warnings.append(Gap(told) if self._torn else told)
