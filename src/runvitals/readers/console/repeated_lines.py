"""Lines that differ in their numbers only, again and again: a log, whatever its grammar is.

What repeats needs no grammar to be believed. Each number is named by the words right before it; of all
sentences that repeat, those count that name something which is learned.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from runvitals.readers.console._gaps import is_learning
from runvitals.readers.console._lines import Axis, Found, LineParser, clean
from runvitals.readers.console._sniff import console_reader, is_json, is_text, start_of
from runvitals.readers.console.key_value_text import OWN
from runvitals.readers.raw.numbers import parse_number
from runvitals.readers.raw.source import uncompressed_name
from runvitals.readers.rows.table import Table, choose_step

ID = "repeated-lines"
MIN_ALIKE = 10
_MAX_LENGTH = 1000
_SEARCHED = 2**20
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*[A-Za-z_])|\bnan\b"
)
_WORDS = re.compile(r"[^\W\d_][\w /()@-]*")


class RepeatedLinesParser(LineParser):
    """Rows from lines of equal words; each such sentence is an axis of its own."""

    ID = ID
    fewest_rows = MIN_ALIKE

    def feed(self, line: str) -> Iterator[Found]:
        """The numbers of this line under the words before them."""
        sentence = _NUMBER.sub("#", line)
        row: dict[str, float] = {}
        if "#" not in sentence or len(line) > _MAX_LENGTH or OWN.match(line):
            return
        place = 0
        for found in _NUMBER.finditer(line):
            words = _WORDS.findall(line[place : found.start()])
            value = parse_number(found[0].replace(",", ""))
            place = found.end()
            if words and value is not None:
                row.setdefault(
                    words[-1].strip(), value / 100 if line[place : place + 1] == "%" else value
                )
        if row and any(map(is_learning, row)):
            yield sentence, row

    def settle(self, axis: Axis, table: Table) -> str | None:  # noqa: ARG002
        """The name that counts, else what climbs from line to line."""
        climbs = (
            name
            for name, column in table.columns.items()
            if len(column.values) == table.rows > 1 and bool((np.diff(column.values) > 0).all())
        )
        return choose_step(table) or next(climbs, None)


def sniff(path: Path, head: bytes) -> int:
    """A sentence about learning that comes again and again."""
    if (
        uncompressed_name(path).endswith((".py", ".md", ".json"))
        or not is_text(head)
        or is_json(head)
    ):
        return 0
    parser, seen = RepeatedLinesParser(), Counter[str]()
    for raw in start_of(path, head)[:_SEARCHED].replace(b"\r", b"\n").split(b"\n"):
        seen.update(axis for axis, _ in parser.feed(clean(raw)[0]))
    return 3 if max(seen.values(), default=0) >= MIN_ALIKE else 0


READER = console_reader(
    RepeatedLinesParser, "text in which one sentence repeats with other numbers", sniff, at_most=3
)
