"""Whether the beginning of a file is console output, and whose."""

import os
import re
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

from runvitals.readers.console._lines import LineParser, clean, read_console
from runvitals.readers.log import Reader
from runvitals.readers.raw import source

SEARCHED = 4 * 2**20  # bytes in which metrics have to begin for a file to be recognised
_JSON = re.compile(rb'\s*(?:\{\s*"|\{\s*\}|\[\s*[\[{"]|<)')


def is_text(head: bytes) -> bool:
    """True if the first bytes of a file may be console output."""
    head = head.lstrip(b"\0")  # what a log that was emptied while it was written begins with
    if not head or b"\0" in head[:4096]:
        return False
    odd = len(head[:4096].translate(None, bytes(range(32, 256)) + b"\t\n\r\x0c\x1b\x08\x07"))
    return odd <= len(head[:4096]) // 50


def is_json(head: bytes) -> bool:
    """True if a file begins as JSON, JSON lines or markup: other readers know those."""
    return _JSON.match(head) is not None


def start_of(path: Path, head: bytes) -> bytes:
    """The beginning of a text file as far as sniffing goes; the given head when it is all."""
    if len(head) < source.HEAD_BYTES:
        return head
    try:
        state = os.stat(path)
    except OSError:
        return head
    return _start_of(path, state.st_size, state.st_mtime_ns) or head


@lru_cache(maxsize=2)
def _start_of(path: Path, size: int, changed: int) -> bytes:  # noqa: ARG001 - parts of the key
    return source.head(path, SEARCHED)


def console_reader(
    make: type[LineParser],
    title: str,
    sniff: Callable[[Path, bytes], int],
    *,
    tool: str | None = None,
    at_most: int = 100,
) -> Reader:
    """The reader of console output that this parser understands."""
    read = partial(read_console, make=make)
    return Reader(make.ID, title, sniff, read, role="side", tool=tool, at_most=at_most)


def known_by_rows(
    make: type[LineParser], title: str, mark: re.Pattern[bytes], sure: int, *, enough: int = 1
) -> Reader:
    """The same, as sure as this of any text in whose beginning the parser finds rows."""

    def sniff(path: Path, head: bytes) -> int:
        return sure if rows_at_start(path, head, make, mark, enough) else 0

    return console_reader(make, title, sniff, at_most=sure)


def rows_at_start(
    path: Path,
    head: bytes,
    make: Callable[[], LineParser],
    mark: re.Pattern[bytes],
    enough: int = 3,
) -> int:
    """How many rows the beginning of a file holds, counted up to `enough`.

    `mark` is a cheap pattern that every row has somewhere; only when it is found lines are parsed.
    """
    if not is_text(head):
        return 0
    for data in (head, start_of(path, head)):
        if mark.search(data):
            parser, count = make(), 0
            for raw in data.replace(b"\r", b"\n").split(b"\n"):
                text, _ = clean(raw)
                count += sum(1 for _ in parser.feed(text))
                if count >= enough:
                    return count
            count += sum(1 for _ in parser.end())
            if count or len(data) > len(head):
                return count
        if len(head) < source.HEAD_BYTES:
            return 0
    return 0
