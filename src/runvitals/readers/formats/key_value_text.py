"""Plain text logs: lines that hold a step and `key=value` or `key: value` pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from runvitals.readers._console import (
    Found,
    LineParser,
    clean,
    is_json,
    is_text,
    read_console,
    start_of,
)
from runvitals.readers.log import Log
from runvitals.readers.numbers import parse_number
from runvitals.readers.source import plain_name
from runvitals.readers.step_names import is_step_name

ID = "key-value-text"
ROLE = "side"
TITLE = "text log with key=value pairs"

_LONGEST = 4_096
_SEARCHED = 2**20  # bytes of a file in which lines have to agree
_NUMBER = (
    r"[-+]?(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,30})?(?![\d.])"
    r"|(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][-+]?\d{1,4})?|nan|NaN|inf|Infinity)"
)
_PAIR = re.compile(
    r"(?<![\w./%@#-])"
    r"([A-Za-z_%][\w./%@#()-]{0,60}(?: (?![-+]?\d)[A-Za-z(%0-9][\w./%@#()-]{0,60}){0,4})"
    rf"\s{{0,12}}(?:[:=]|->)\s{{0,12}}({_NUMBER}|\[\s?{_NUMBER}\s?\]|(?:np\.\w{{1,20}}|tensor|array)\([^()]{{1,40}}\))"
    r"(?=$|[\s,;|)\]%/±sx~(]|\.\s|\.$)"
)
# A count without a separator: "Epoch 3/10", "[Iteration 12]", "Step #100".
_COUNT = re.compile(
    r"(?<![\w/])((?:global|train|training|env|environment|total)?[ _]?"
    r"(?:step|epoch|iter|iteration|itr|episode|update|timestep|round))s?[ \t#]{1,4}"
    r"(\d{1,15})(?!\w|[.:-]\d)(?:\s?/\s?\d{1,15})?",
    re.IGNORECASE,
)
# Keras: "Epoch 3/10" on a line of its own, then "32/32 - 1s - 7ms/step - loss: 0.5 - val_loss: 0.4".
_HEADING = re.compile(r"(epoch) (\d{1,15})/\d{1,15}", re.IGNORECASE)
_WHOLE = re.compile(r"(\d{1,15})/\1 ")
_LEVEL = re.compile(r"(?:DEBUG|INFO|WARNING|WARN|ERROR|root|train|main)\b[:\s\]-]*", re.IGNORECASE)
_NOT_LOGS = (
    ".py", ".md", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".sh", ".html", ".htm",
    ".js", ".ts", ".css", ".csv", ".tsv", ".ipynb", ".xml", ".tex", ".rst", ".c", ".cc", ".cpp", ".h",
    ".rs", ".go", ".java", ".sql", ".svg", ".diff", ".patch", ".lock", ".bib",
)  # fmt: skip


class Parser(LineParser):
    """A line with a count (`step=12`, `Episode: 3`) and at least one other number is a row.

    Lines that count in another unit (episodes between iterations) stand on another axis: their
    steps are never mixed.
    """

    ID = ID
    fewest_rows = 2

    def __init__(self) -> None:
        super().__init__()
        self._heading: tuple[str, float] | None = None

    def feed(self, line: str) -> Iterator[Found]:
        """The row on this line."""
        if len(line) > _LONGEST:
            return
        text = line.lstrip()
        if heading := _HEADING.fullmatch(text.rstrip()):
            self._heading = heading[1], float(heading[2])
        if not (":" in line or "=" in line or "->" in line):
            return
        if text[:1] in ("{", '"', "<", "|", "#", "+"):
            return
        row: dict[str, float] = {}
        for pair in _PAIR.finditer(text):
            value = _value(pair[2])
            if value is not None:
                row[_name(pair[1])] = value
        if not row:
            return
        counts = {name for name in row if is_step_name(name)}
        for count in _COUNT.finditer(text):
            name = count[1].strip()
            if name not in row and is_step_name(name):
                counts.add(name)
                row[name] = float(count[2])
        if not counts and self._heading is not None and _WHOLE.match(text):
            counts.add(self._heading[0])
            row[self._heading[0]] = self._heading[1]
        if not counts or len(row) < 2:
            return
        yield ",".join(sorted(counts)), row


def _value(text: str) -> float | None:
    if text[0] == "[":
        text = text[1:-1]
    elif "(" in text:
        return parse_number(text)
    return parse_number(text.replace(",", "").rstrip("."))


def _name(text: str) -> str:
    """The name without a log level before it; of many words the last ones."""
    level = _LEVEL.match(text)
    if level and level.end() < len(text):
        text = text[level.end() :]
    return text.strip(" -")


def sniff(path: Path, head: bytes) -> int:
    """At least three lines of one shape whose count moves."""
    if plain_name(path).endswith(_NOT_LOGS) or not is_text(head):
        return 0
    if is_json(head):
        return 0
    for data in (head, start_of(path, head)[:_SEARCHED]):
        if _lines_agree(data):
            return 35 if plain_name(path).endswith((".log", ".txt", ".out", ".err")) else 25
    return 0


def _lines_agree(data: bytes) -> bool:
    parser = Parser()
    shapes: dict[tuple[str, ...], set[tuple[float, ...]]] = {}
    for raw in data.replace(b"\r", b"\n").split(b"\n")[:200_000]:
        if not (b":" in raw or b"=" in raw or b"->" in raw or b"poch " in raw):
            continue
        text, _ = clean(raw)
        for axis, row in parser.feed(text):
            shape = shapes.setdefault((axis, *sorted(row)), set())
            shape.add(tuple(row[name] for name in axis.split(",")))
            if len(shape) >= 3:
                return True
        if len(shapes) > 1000:
            return False
    return False


def read(path: Path) -> list[Log]:
    """Everything the log says."""
    return read_console(path, Parser)
