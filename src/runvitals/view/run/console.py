"""The end of what a run printed."""

import os
import re
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.raw.source import COMPRESSED
from runvitals.view.json_safe import readable
from runvitals.view.places import Place
from runvitals.view.schemas.run import Console

TRAINING_LOG = "training.log"
FIRST_BYTES, MAX_BYTES = 2**16, 8 * 2**20  # read from the end of a log
MAX_LINE = 20_000  # characters
_CONSOLES = ("console", "sb3-table", "key-value")  # in the id of readers of captured output
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def console_file(place: Place) -> Path | None:
    """The file with what the run printed; None if there is none."""
    if place.is_ours:
        own = place.path / TRAINING_LOG
        others = sorted(place.path.glob("*.log"))  # written by the trainer itself
        files = (path for path in (own, *others) if path.is_file() and not path.is_symlink())
        return next(files, None)  # not a link, which may lead anywhere
    for file in place.found.files:
        compressed = file.path.suffix.lower() in COMPRESSED
        if not compressed and any(word in file.reader.id for word in _CONSOLES):
            return file.path
    return None


def console_of(place: Place, tail: int) -> Console:
    """The last lines, without colours and other control characters."""
    path = console_file(place)
    if path is None:
        return Console(source=None, lines=[], truncated=False)
    try:
        lines, more = _last_lines(path, tail)
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error
    return Console(
        source=path.name, lines=[readable(_clean(line), MAX_LINE) for line in lines], truncated=more
    )


def _last_lines(path: Path, count: int) -> tuple[list[str], bool]:
    """The last lines of a file, and whether there are more. Only the end of it is read."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        taken = 0
        data = b""
        while taken < min(size, MAX_BYTES) and data.count(b"\n") <= count:
            taken = min(size, MAX_BYTES, max(FIRST_BYTES, 4 * taken))
            file.seek(size - taken)
            data = file.read(taken)
    lines = data.decode("utf-8", "replace").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if taken < size and len(lines) > 1:
        lines = lines[1:]  # it begins before what was read
    return lines[-count:], taken < size or len(lines) > count


def _clean(line: str) -> str:
    """What a terminal would show of a line: after a carriage return it begins anew."""
    last = line.rstrip("\r").rpartition("\r")[2]
    return _CONTROLS.sub("", _ESCAPES.sub("", last))
