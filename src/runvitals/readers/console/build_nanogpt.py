"""Log of build-nanoGPT and its copies: `250 val 5.9821`, `250 hella 0.2501`, `250 train 5.950201`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from runvitals.readers.console._lines import Found, LineParser, read_console
from runvitals.readers.console._sniff import rows_at_start
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.numbers import parse_number

ID = "build-nanogpt"

_LINE = re.compile(r"\s{0,4}(\d{1,12}) (train|val|hella) ([-+\w.]{1,40})\s*")
_MARK = re.compile(rb"(?m)^\s{0,4}\d{1,12} (?:train|val|hella) [-\w.]{1,40}\s*$")
MIN_ROWS = 3  # of these; prose has no three lines of this shape


class NanoGptParser(LineParser):
    """One number a line."""

    ID = ID
    framework = "build-nanogpt"
    step_names = ("step",)

    def feed(self, line: str) -> Iterator[Found]:
        """The number on this line."""
        found = _LINE.fullmatch(line)
        value = parse_number(found[3]) if found else None
        if found is not None and value is not None:
            yield "", {"step": int(found[1]), found[2]: value}


def sniff(path: Path, head: bytes) -> int:
    """Lines of a step, a part of the data and a number."""
    return 80 if rows_at_start(path, head, NanoGptParser, _MARK, enough=MIN_ROWS) else 0


def read(path: Path) -> list[Log]:
    """Everything the log says."""
    return read_console(path, NanoGptParser)


READER = Reader(ID, "build-nanoGPT `log.txt`", sniff, read, role="side", at_most=80)
