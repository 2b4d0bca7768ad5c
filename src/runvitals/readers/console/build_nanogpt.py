"""Log of build-nanoGPT and its copies: `250 val 5.9821`, `250 hella 0.2501`, `250 train 5.950201`."""

import re
from collections.abc import Iterator

from runvitals.readers.console._lines import Found, LineParser
from runvitals.readers.console._sniff import known_by_rows
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


READER = known_by_rows(NanoGptParser, "build-nanoGPT `log.txt`", _MARK, 80, enough=MIN_ROWS)
