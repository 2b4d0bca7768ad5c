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
        expected, fits = _FIELDS.get(name, ("anything", _anything))
        if value is None or fits(value):
            content[name] = value
        else:
            problems.append(f"{RUN_FILE}: `{name}` is not {expected} and was left out")
    return RunFile(content, tuple(problems), newer)


def _anything(value: object) -> bool:  # noqa: ARG001  a later version may write more
    return True


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= _LATEST_TIME


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_numbers(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_number, value.values()))


_TEXT = ("text", _is_text)
_TIME = ("a time in Unix seconds", _is_time)
_OBJECT = ("an object", _is_object)
_LIST = ("a list", _is_list)
_WHOLE = ("a whole number", _is_whole)
_FIELDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "format": _TEXT,
    "id": _TEXT,
    "name": _TEXT,
    "project": _TEXT,
    "status": _TEXT,
    "exit_code": _WHOLE,
    "started": _TIME,
    "segment_started": _LIST,
    "ended": _TIME,
    "config": _OBJECT,
    "tags": ("a list of texts", _are_texts),
    "notes": _TEXT,
    "framework": _TEXT,
    "algorithm": _TEXT,
    "world_size": _WHOLE,
    "provenance": _OBJECT,
    "expectations": _LIST,
    "counters": ("an object of numbers", _are_numbers),
    "last_step": _WHOLE,
    "stopped_by": _TEXT,
    "summary": _OBJECT,
    "problems": ("a list of texts", _are_texts),
    "lost": _LIST,
}
