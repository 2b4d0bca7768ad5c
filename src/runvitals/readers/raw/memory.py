"""Facts about files, such as which reader to use, remembered until the file changes.

A server looks again and again, and commands are run again: neither has to open such a file.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from runvitals.readers.raw.source import stamp_of

MAX_FACTS = 131_072
SETTLED = 2 * 10**9  # nanoseconds: a file that has just changed may change again unseen
Fact = str | int | None
_Stamp = tuple[int, int, int]  # inode, size, time of the last change
F = TypeVar("F", bound=Fact)
_ALONE = (".csv", ".tsv", ".jsonl", ".txt", ".log", ".out")
_facts: dict[str, tuple[_Stamp, Fact]] = {}  # by path and question


def recalled(path: Path, question: str, answer: Callable[[], F]) -> F:
    """The answer to a question about a file, worked out again only if the file has changed."""
    key = f"{os.path.abspath(path)}\0{question}"
    stamp = stamp_of(path)
    known = _facts.get(key)
    if known is not None and known[0] == stamp:
        return known[1]  # type: ignore[return-value]
    value = answer()
    if len(_facts) >= MAX_FACTS:
        _facts.clear()
    _facts[key] = stamp, value
    return value


Kept = dict[str, tuple[_Stamp, Fact, int]]  # as it is kept; last the time its folder changed


def below(folder: Path) -> Kept:
    """What may be kept of files below a folder, without what has only just changed."""
    top, latest = os.path.abspath(folder) + os.sep, time.time_ns() - SETTLED
    folders: dict[str, int] = {}
    return {
        key: (*known, changed)
        for key, known in _facts.items()
        if key.startswith(top)
        and known[0][2] < latest
        and _speaks_for_itself(key)
        and 0 <= (changed := _changed(key, folders)) < latest
    }


def remember(facts: Kept) -> None:
    """Take in what was kept at an earlier time, if nothing came or went beside the file since."""
    if len(_facts) + len(facts) >= MAX_FACTS:
        return
    folders: dict[str, int] = {}
    for key, (stamp, value, changed) in facts.items():
        if _changed(key, folders) == changed:
            _facts.setdefault(key, ((stamp[0], stamp[1], stamp[2]), value))


def _changed(key: str, folders: dict[str, int]) -> int:
    """When something last came or went in the folder of a file; -1 if it is gone."""
    folder = os.path.dirname(key.partition("\0")[0])
    if folder not in folders:
        try:
            folders[folder] = os.stat(folder).st_mtime_ns
        except OSError:
            folders[folder] = -1
    return folders[folder]


def _speaks_for_itself(key: str) -> bool:
    """True if the answer does not depend on other files, and the path can be stored as JSON."""
    path = key.partition("\0")[0]
    if not path.isascii() and any("\ud800" <= one <= "\udfff" for one in path):
        return False
    return path.endswith(_ALONE) or "tfevents" in os.path.basename(path)
