"""The names of the objects of a run.

<prefix>/<project>/<run-id>/owner.json                        which run has this id here, see `owner.py`
<prefix>/<project>/<run-id>/<origin>/                         its objects; <origin> is no other run's
  run.json, training_progress.json, points/*.troubles.json    replaced when they change
  points/rank0.parquet, .rest.parquet, .sums.json             once, when the rank has finished
  media/<digest>.png                                          once
  points/merged.json                                          which ranks lie in one table, replaced
  points/merged-<digest>.parquet, ...                         that table; their own are then removed
  parts/points/rank0.arrows/000000000000-000000131072         bytes of a file that grows
  parts/findings.jsonl/000000000000-000000000412              likewise: findings, events, samples, log
  alive/rank0.json                                            who writes, replaced as a heartbeat

A part holds the bytes of its file from its first number up to its second, whole records or lines
only. Parts never change. What was shipped is therefore seen from a listing alone, shipping a part
twice changes nothing, and whoever puts the parts of a file in a row has the file.

Runs shipped by earlier versions have no owner and no origin: their objects lie at <project>/<run-id>/.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import orjson

from runvitals.store.objects.store import Entry, Objects

PARTS = "parts"
ALIVE = "alive"
OWNER_FILE = "owner.json"
LISTS = "_runs"  # the folder of the list of runs, see `run_list.py`
_ORIGIN = re.compile(r"L[0-9a-f]{12,}-[0-9a-f]{6}")  # as `store.layout.new_life` makes them
_PART = re.compile(r"(?P<start>\d{12,})-(?P<stop>\d{12,})")
_GROWING = re.compile(
    r"points/[^/]+\.arrows|(events|samples)/[^/]+\.jsonl|findings(\.L[0-9a-f-]+)?\.jsonl|[^/]+\.log"
)
_WHOLE = re.compile(
    r"run\.json|training_progress\.json|points/merged\.json|points/[^/]+\.(parquet|sums\.json|troubles\.json)"
    r"|media/[0-9a-f]{20}\.[a-z0-9]+"
)
_SAFE = re.compile(r"[\w.=+@ -]+")  # of each name in a key; nothing may lead out of a folder


@dataclass(frozen=True, slots=True)
class FilePart:
    """Some bytes of a growing file."""

    file: str  # relative to the run's folder
    start: int
    stop: int

    @property
    def key(self) -> str:
        """Relative to the run.

        >>> FilePart("findings.jsonl", 0, 412).key
        'parts/findings.jsonl/000000000000-000000000412'
        """
        return f"{PARTS}/{self.file}/{self.start:012d}-{self.stop:012d}"


def read_part(key: str) -> FilePart | None:
    """The part with this key, None for any other object.

    >>> read_part("parts/points/rank0.arrows/000000000000-000000000064")
    FilePart(file='points/rank0.arrows', start=0, stop=64)
    """
    if not key.startswith(f"{PARTS}/") or not is_safe(key):
        return None
    file, _, numbers = key.removeprefix(f"{PARTS}/").rpartition("/")
    match = _PART.fullmatch(numbers)
    if match is None or not grows(file) or int(match["start"]) >= int(match["stop"]):
        return None
    return FilePart(file, int(match["start"]), int(match["stop"]))


def is_origin(name: str) -> bool:
    """Whether a name in a key says which of the runs with one id the objects below belong to.

    >>> is_origin("L0193a1b2c3d4-5e6f70"), is_origin("points")
    (True, False)
    """
    return _ORIGIN.fullmatch(name) is not None


def without_origin(key: str) -> str:
    """The project and id of a run, of the place where its objects lie.

    >>> without_origin("p/r/L0193a1b2c3d4-5e6f70"), without_origin("p/r")
    ('p/r', 'p/r')
    """
    above, _, last = key.rpartition("/")
    return above if is_origin(last) else key


def grows(file: str) -> bool:
    """Whether a file of a run folder is only ever appended to.

    >>> grows("points/rank0.arrows"), grows("training.log"), grows("run.json")
    (True, True, False)
    """
    return _GROWING.fullmatch(file) is not None


def is_whole(file: str) -> bool:
    """Whether a file of a run folder is shipped as one object.

    >>> is_whole("points/rank0.rest.parquet"), is_whole("points/.rank0.parquet.tmp")
    (True, False)
    """
    return _WHOLE.fullmatch(file) is not None and not PurePosixPath(file).name.startswith(".")


def is_safe(key: str) -> bool:
    """True if a key is a safe relative path: it cannot lead out of its folder.

    >>> is_safe("parts/findings.jsonl/0-4"), is_safe("../../etc/passwd"), is_safe("a//b")
    (True, False, False)
    """
    names = key.split("/")
    return all(_SAFE.fullmatch(name) and name.strip(". ") for name in names)


def fields_of(data: bytes | None) -> dict[str, Any]:
    """What an object says; nothing if it is not there or not ours."""
    try:
        found = None if data is None else orjson.loads(data)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


@dataclass
class RunListing:
    """What a listing says about a run, by names below its folder."""

    prefix: str
    parts: dict[str, list[FilePart]] = field(default_factory=dict)
    whole: dict[str, Entry] = field(default_factory=dict)
    alive: dict[str, Entry] = field(default_factory=dict)
    strange: list[str] = field(default_factory=list)  # keys of what is no object of a run
    merged: bytes | None = None  # the list of merged ranks


def listing_of(objects: Objects, prefix: str) -> RunListing:
    """The objects of a run, which begin with this prefix."""
    there = RunListing(prefix)
    for entry in objects.listed(prefix):
        name = entry.key.removeprefix(prefix)
        if is_origin(name.partition("/")[0]) or name == OWNER_FILE:
            continue  # of another run, which asked before it took this id
        part = read_part(name)
        if part is not None:
            there.parts.setdefault(part.file, []).append(part)
        elif is_whole(name) and is_safe(name):
            there.whole[name] = entry
        elif name.startswith(f"{ALIVE}/") and is_safe(name):
            there.alive[name] = entry
        elif not name.startswith(f"{LISTS}/"):
            there.strange.append(entry.key)
    return there


def shipped_up_to(parts: Iterable[FilePart]) -> dict[str, int]:
    """How many bytes of each file have arrived without a gap.

    >>> shipped_up_to([FilePart("a.log", 0, 9), FilePart("a.log", 12, 20), FilePart("b.log", 3, 4)])
    {'a.log': 9, 'b.log': 0}
    """
    reached: dict[str, int] = {}
    for part in sorted(parts, key=lambda part: (part.file, part.start, part.stop)):
        end = reached.setdefault(part.file, 0)
        if part.start <= end:
            reached[part.file] = max(end, part.stop)
    return reached
