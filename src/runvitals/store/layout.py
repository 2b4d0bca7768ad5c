"""Where things lie in a run folder.

runs/<project>/<run-id>/
  run.json                 identity, config, provenance, status, summary
  training_progress.json   what the trainer says about its progress
  training.log             what the console showed
  points/rank0.arrows      scalars while the run lives, an Arrow stream
  points/rank0.parquet     scalars after it finished, one column per metric
  points/rank0.sums.json   its checksums
  points/merged.json       which ranks lie in one table together, and which table that is
  points/merged-<digest>.parquet   that table; their own ones are gone, or count no more
  points/rank0.lock        who writes
  points/rank1.troubles.json   what went wrong there; that of rank 0 is in run.json
  events/rank0.jsonl       histograms and texts, and which images, sounds and videos there are
  media/<digest>.png       those, each named by what is in it
  samples/rank0.jsonl      prompts, completions, rewards
  findings.jsonl           what the live judge saw begin, get worse and end
  guests/                  what other processes said that joined the run (`runvitals run`)
  metrics/  tensorboard/   what the exporters write

The process of a launcher writes `rank0.<life>.arrows`, where `<life>` says when it began and is like
no other: a node that replaces another, with an empty disk, overwrites nothing. A restarted process
writes a new segment (`rank0.2.arrows`), a forked child one of its own (`rank0.fork4711.arrows`): no
file ever has two writers.
"""

from __future__ import annotations

import os
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from runvitals.store.files import without_checksum

RUN_FILE = "run.json"
RUN_FORMAT = "runvitals-run/1"  # stands first in run.json: other tools write files of that name too
SUMMARY_FIELDS = frozenset({"last", "min", "max", "step", "count"})  # of a name, in `run.json`
PROGRESS_FILE = "training_progress.json"
FINDINGS_FILE = "findings.jsonl"
MERGED_FILE = "points/merged.json"
LISTED_FILE = ".listed.json"  # in a copy of a run: what a list says about it is all that is here
_STEM = (
    r"rank(?P<rank>\d+)(?:\.(?P<segment>\d+))?(?:\.(?P<life>L[0-9a-z-]+))?(?:\.fork(?P<fork>\d+))?"
)
_MERGED_PREFIX = "merged-"
_MERGED = re.compile(_MERGED_PREFIX + r"[0-9a-f]{12}")
_POINTS = re.compile(_STEM + r"(?P<rest>\.rest)?\.(?P<kind>arrows|parquet)")
_LINES = re.compile(_STEM + r"\.jsonl")


class TableFiles(ABC):
    """What `finish` leaves of some points: a table, a rest, and the checksums of both."""

    __slots__ = ()

    @property
    @abstractmethod
    def stem(self) -> str:
        """File name without its ending."""

    def table(self, run_folder: Path) -> Path:
        """The points, one column per metric."""
        return run_folder / "points" / f"{self.stem}.parquet"

    def rest(self, run_folder: Path) -> Path:
        """Those under names that were logged too rarely for a column."""
        return run_folder / "points" / f"{self.stem}.rest.parquet"

    def sums(self, run_folder: Path) -> Path:
        """Checksums of the two."""
        return run_folder / "points" / f"{self.stem}.sums.json"


@dataclass(frozen=True, slots=True)
class Segment(TableFiles):
    """One process life of one rank: the unit of files.

    `life` is unique across hosts and sorts by the time it began; runs of one process do without.
    """

    rank: int = 0
    number: int = 1
    fork: int | None = None
    life: str = ""

    @property
    def stem(self) -> str:
        """File name without its ending.

        >>> Segment(rank=3, number=2).stem, Segment(fork=4711).stem
        ('rank3.2', 'rank0.fork4711')
        """
        number = f".{self.number}" if self.number > 1 else ""
        life = f".{self.life}" if self.life else ""
        fork = f".fork{self.fork}" if self.fork is not None else ""
        return f"rank{self.rank}{number}{life}{fork}"

    def stream(self, run_folder: Path) -> Path:
        """The live points."""
        return run_folder / "points" / f"{self.stem}.arrows"

    def troubles(self, run_folder: Path) -> Path:
        """What went wrong in a process that does not write `run.json`."""
        return run_folder / "points" / f"{self.stem}.troubles.json"

    def events(self, run_folder: Path) -> Path:
        """Histograms and texts."""
        return run_folder / "events" / f"{self.stem}.jsonl"

    def samples(self, run_folder: Path) -> Path:
        """Model outputs."""
        return run_folder / "samples" / f"{self.stem}.jsonl"


@dataclass(frozen=True, slots=True)
class Merged(TableFiles):
    """One table with the points of many segments, as `points/merged.json` says."""

    digest: str  # of what is in it
    sizes: dict[Segment, int]  # what is in it, and how many bytes the own table of each had

    @property
    def stem(self) -> str:
        """File name without its ending: `merged-<digest>`."""
        return f"{_MERGED_PREFIX}{self.digest}"


def read_merged(content: bytes) -> Merged:
    """What the bytes of a `merged.json` say; `ValueError` if they are not one."""
    said, intact = without_checksum(content)
    if not intact:
        raise ValueError("its checksum is wrong")
    try:
        sizes = {segment_of(stem): int(size) for stem, size in said["segments"].items()}
        stem = str(said["table"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a list of merged ranks: {error}") from error
    if not _MERGED.fullmatch(stem):
        raise ValueError(f"{stem!r} does not name a table of merged ranks")
    return Merged(stem.removeprefix(_MERGED_PREFIX), sizes)


def merged_of(run_folder: Path) -> Merged | None:
    """The merged ranks of a run, None without any; `ValueError` if their list is damaged."""
    try:
        return read_merged((run_folder / MERGED_FILE).read_bytes())
    except OSError:
        return None


def segment_of(stem: str) -> Segment:
    """The segment with this stem.

    >>> segment_of("rank3.2") == Segment(rank=3, number=2)
    True
    """
    match = re.fullmatch(_STEM, stem)
    if match is None:
        raise ValueError(f"{stem!r} does not name a segment")
    return _segment(match)


def segments(run_folder: Path) -> list[Segment]:
    """All segments that have points on disk, by rank and age."""
    found: set[Segment] = set()
    try:
        merged = merged_of(run_folder)
    except ValueError:
        merged = None  # who reads the points says so
    if merged is not None:
        found.update(merged.sizes)
    for path in files_in(run_folder / "points"):
        match = _POINTS.fullmatch(path.name)
        if match and not match["rest"]:
            found.add(_segment(match))
    return sorted(found, key=_by_age)


def life_numbers(found: Iterable[Segment]) -> dict[Segment, int]:
    """Which life of its rank wrote each segment, from 1; a child counts to that of its parent.

    >>> first, second, child = Segment(), Segment(number=2), Segment(number=2, fork=7)
    >>> list(life_numbers([first, second, child]).values())
    [1, 2, 2]
    """
    lives: dict[int, dict[tuple[str, int], int]] = {}
    numbers = {}
    for segment in sorted(found, key=_by_age):
        mine = lives.setdefault(segment.rank, {})
        numbers[segment] = mine.setdefault((segment.life, segment.number), len(mine) + 1)
    return numbers


def files_by_life(folder: Path) -> dict[int, list[list[Path]]]:
    """The files of JSON lines in a folder, by rank: those of its first life, of its second, ..."""
    return lives_of(files_in(folder))


def lives_of(paths: Iterable[Path]) -> dict[int, list[list[Path]]]:
    """The same of some files."""
    named = [(_LINES.fullmatch(path.name), path) for path in paths]
    found = [(_segment(match), path) for match, path in named if match]
    lives: dict[int, dict[tuple[str, int], list[Path]]] = {}
    for segment, path in sorted(found, key=lambda pair: _by_age(pair[0])):
        mine = lives.setdefault(segment.rank, {})
        mine.setdefault((segment.life, segment.number), []).append(path)
    return {rank: list(mine.values()) for rank, mine in lives.items()}


def _segment(match: re.Match[str]) -> Segment:
    fork = int(match["fork"]) if match["fork"] else None
    number, life = int(match["segment"] or 1), match["life"] or ""
    return Segment(int(match["rank"]), number, fork, life)


def _by_age(segment: Segment) -> tuple[int, str, int, int]:
    return segment.rank, segment.life, segment.number, segment.fork or 0


def new_life(now: float) -> str:
    """When a process began, in a form that sorts, and some characters that no other has."""
    return f"L{int(now * 1000):012x}-{secrets.token_hex(3)}"


def is_run_folder(path: Path) -> bool:
    """Whether this folder is a run of ours."""
    try:
        if (path / RUN_FILE).is_file():  # a pipe would be waited for
            with open(path / RUN_FILE, "rb") as file:
                if b'"runvitals-run/' in file.read(200):
                    return True
    except OSError:
        pass  # lost or unreadable: the points alone make a run
    # False for what may not be seen
    return bool(segments(path)) or os.path.isfile(path / MERGED_FILE)


def only_listed(run_folder: Path) -> bool:
    """Whether this copy of a run holds no more than a list says about it; its points are elsewhere."""
    return (run_folder / LISTED_FILE).exists()


def files_in(folder: Path) -> list[Path]:
    """The files of a folder by name; none if it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_file())
    except OSError:
        return []
