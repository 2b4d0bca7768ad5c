"""Whether the last line of a console log, without its line break, is whole: by the lines before it."""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

from runvitals.readers.raw.damaged_numbers import BEFORE, wholeness

INCOMPLETE = "the last line is not complete; it was kept out"
_MAX_LENGTH = 2**16  # bytes of a line that is kept to compare with
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d.]*|\.\d+)(?:[eE][-+]?\d*)?")
_BLANKS = re.compile(r"\s+")


class Torn(NamedTuple):
    """What became of a last line: whether its numbers can be believed, and what to say about it."""

    read: bool
    warning: str = ""


class LastLines:
    """The lines that came last, with which one that has no end is compared.

    >>> lines = LastLines()
    >>> for i in range(9):
    ...     lines.add(f"step: {i} loss: {1 / (i + 1):.4f} kl: 0.0125".encode())
    >>> lines.judge(b"step: 9 loss: 0.1000 kl: 0.0125").read
    True
    >>> lines.judge(b"step: 9 loss: 0.1")
    Torn(read=False, warning='the last line is not complete; it was kept out')
    """

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque(maxlen=BEFORE)

    def add(self, line: bytes) -> None:
        """Take in a line that has its end."""
        if len(line) <= _MAX_LENGTH:
            self._lines.append(line)

    def judge(self, last: bytes) -> Torn:
        """Whether a line without its end is whole. One that no line before it resembles may be."""
        shape, number = _shape(last)
        if not number and not shape.strip():
            return Torn(True)
        shapes = list(map(_shape, self._lines))
        alike = [ending for other, ending in shapes if other == shape]
        if not alike:
            cut = any(other.startswith(shape) for other, _ in shapes) and "#" in shape
            return Torn(False, INCOMPLETE) if cut else Torn(True)
        found = wholeness(number, alike) if number else "whole"
        if found == "cut":
            return Torn(False, INCOMPLETE)
        doubt = f"the last line has no line break; its last number ({number}) may be cut off"
        return Torn(True, doubt if found == "unknown" else "")


def _shape(line: bytes) -> tuple[str, str]:
    """A line with a mark for each number, and the number at its very end.

    >>> _shape(b"step 7,  loss=0.25")
    ('step #, loss=#', '0.25')
    """
    text = _BLANKS.sub(" ", line.decode("utf-8", "replace").strip("\r\n"))
    *_, last = (None, *_NUMBER.finditer(text))
    at_end = last is not None and last.end() == len(text)
    return _NUMBER.sub("#", text), last[0] if last is not None and at_end else ""
