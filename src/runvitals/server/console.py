"""The end of what a run printed."""

from __future__ import annotations

import os
import re
from pathlib import Path

from runvitals.readers.source import COMPRESSED
from runvitals.server.places import Place
from runvitals.server.schemas import Console

TRAINING_LOG = "training.log"
MOST_BYTES = 8 * 2**20  # read from the end of a log
_CONSOLES = ("console", "sb3-table", "key-value")  # in the id of readers of captured output
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def console_file(place: Place) -> Path | None:
    """The file with what the run printed; None if there is none."""
    if place.is_ours:
        own = place.path / TRAINING_LOG
        return own if own.is_file() and not own.is_symlink() else None
    for file in place.found.files:
        compressed = file.path.suffix.lower() in COMPRESSED
        if not compressed and any(word in file.reader.ID for word in _CONSOLES):
            return file.path
    return None


def console_of(place: Place, tail: int) -> Console:
    """The last lines, without colours and other control characters."""
    path = console_file(place)
    if path is None:
        return Console(source=None, lines=[], truncated=False)
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        begin = max(0, size - MOST_BYTES)
        file.seek(begin)
        text = file.read(MOST_BYTES).decode("utf-8", "replace")
    lines = [_clean(line) for line in text.split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    truncated = begin > 0 or len(lines) > tail
    return Console(source=path.name, lines=lines[-tail:], truncated=truncated)


def _clean(line: str) -> str:
    """What a terminal would show of a line: after a carriage return it begins anew."""
    last = line.rstrip("\r").rpartition("\r")[2]
    return _CONTROLS.sub("", _ESCAPES.sub("", last))
