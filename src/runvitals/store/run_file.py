"""`run.json` as it is read back: a field has the type it was written with, or is left out and told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from runvitals.model import ReadError
from runvitals.store.files import Stored, read_stored
from runvitals.store.layout import RUN_FILE, RUN_FORMAT

CHANGED = (
    f"{RUN_FILE} was changed outside runvitals or is damaged: its checksum is wrong; it is shown as it "
    'is. If you changed it yourself, remove its "runvitals_crc32" line'
)
_LATEST_TIME = 253_402_300_799  # Unix seconds: the last that a calendar shows, in the year 9999


class RunFile(NamedTuple):
    """What `run.json` says, without what cannot be right, and what is wrong with it."""

    content: dict[str, Any]
    problems: tuple[str, ...] = ()
    newer: str | None = None  # the format, if a later version of runvitals wrote this

    def must_be_known(self, folder: Path) -> None:
        """Raise `ReadError` for a newer format: its points could be misread, or spoiled by resuming."""
        if self.newer is not None:
            raise ReadError(
                folder,
                f"a newer version of runvitals wrote this run (format {self.newer}); "
                f"this version reads {RUN_FORMAT}",
                hint="pip install --upgrade runvitals",
            )


def read_run_file(folder: Path) -> RunFile:
    """The `run.json` of a folder; raises `ReadError` when there is none, or it is not JSON."""
    return checked(read_stored(folder / RUN_FILE))


def run_file_if_any(folder: Path) -> RunFile:
    """The same; empty when there is none, and when it cannot be read, with the problem."""
    try:
        return read_run_file(folder)
    except ReadError as error:
        there = (folder / RUN_FILE).exists()
        return RunFile({}, (f"{RUN_FILE}: {error.problem}",) if there else ())


def checked(stored: Stored) -> RunFile:
    """The fields whose values can be what was written."""
    problems = [] if stored.intact else [CHANGED]
    written = stored.content.get("format", RUN_FORMAT)
    newer = None
    if written != RUN_FORMAT:
        problems.append(
            f"{RUN_FILE} has the format {written!r}, this version of runvitals reads {RUN_FORMAT!r}"
        )
        kind, _, number = str(written).partition("/")
        if stored.intact and kind == RUN_FORMAT.partition("/")[0] and number.isdecimal():
            newer = written
    content = {}
    for name, value in stored.content.items():
        expected = _FIELDS.get(name)  # None: a later version may write more
        if value is None or expected is None or _KINDS[expected](value):
            content[name] = value
        else:
            problems.append(f"{RUN_FILE}: `{name}` is not {expected} and was left out")
    return RunFile(content, tuple(problems), newer)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_KINDS: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "a time in Unix seconds": lambda value: _is_number(value) and 0 <= value <= _LATEST_TIME,
    "an object": lambda value: isinstance(value, dict),
    "a list": lambda value: isinstance(value, list),
    "a whole number": lambda value: type(value) is int,
    "a list of texts": lambda value: (
        isinstance(value, list) and all(isinstance(one, str) for one in value)
    ),
    "an object of numbers": lambda value: (
        isinstance(value, dict) and all(map(_is_number, value.values()))
    ),
}
_FIELDS = {
    name: kind
    for kind, names in {
        "text": "format id name project status notes framework algorithm stopped_by",
        "a time in Unix seconds": "started ended",
        "an object": "config provenance summary",
        "a list": "segment_started expectations lost",
        "a whole number": "exit_code world_size last_step",
        "a list of texts": "tags problems",
        "an object of numbers": "counters",
    }.items()
    for name in names.split()
}
