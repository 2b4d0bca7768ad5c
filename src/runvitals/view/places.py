"""Where runs lie: which of them a request may name, and whether their files have changed."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.discovery.files import Found
from runvitals.readers.joining.config_files import NAMES
from runvitals.store.layout import FINDINGS_FILE, PROGRESS_FILE, RUN_FILE, segments
from runvitals.store.lock import writer_alive

Stamp = tuple[int, int, int]  # number of files, bytes, newest change in nanoseconds
EVENT_FOLDERS = ("events", "samples")


@dataclass(frozen=True)
class Place:
    """One place below a root that holds a run, or several in one file."""

    id: str
    found: Found
    root: Path
    home: (
        Path  # the folder that it lies in, without links: nothing outside of it is read for a link
    )

    @cached_property  # to ask where links lead takes longer than all else about a run in a list
    def project(self) -> str:
        """The path of that folder from the root; "." for the root itself."""
        top = _top(self.root)
        return self.home.relative_to(top).as_posix() if self.home.is_relative_to(top) else "."

    @property
    def path(self) -> Path:
        """The run folder or the log file."""
        return self.found.path

    @property
    def is_ours(self) -> bool:
        """Whether it is a run folder that runvitals wrote."""
        return not self.found.files

    @property
    def shown(self) -> str:
        """Its path relative to the root; the name alone if it is the root itself."""
        try:
            inside = self.path.relative_to(self.root)
        except ValueError:
            return self.path.name
        return self.path.name if inside == Path() else str(inside)

    def run_id(self, index: int) -> str:
        """The id of the run with this number in the place, from 0."""
        return self.id if index == 0 else _digest(f"{self.path.absolute()}#{index}")

    def stamp(self) -> Stamp:
        """What changes whenever something is written there."""
        return _stamp(self._files())

    def event_stamp(self) -> Stamp:
        """What changes whenever something that is not a number is written there."""
        return _stamp(_inside(self.path, EVENT_FOLDERS)) if self.is_ours else self.stamp()

    def _files(self) -> Iterator[Path | os.DirEntry[str]]:
        if not self.is_ours:
            yield from (file.path for file in self.found.files)
            return
        yield self.path / RUN_FILE
        yield self.path / PROGRESS_FILE
        yield from _inside(self.path, ("points", *EVENT_FOLDERS))

    def writer_lives(self) -> bool:
        """Whether a process on this machine still writes a run folder of ours."""
        ranks = {segment.rank for segment in segments(self.path)} | {0}
        return any(writer_alive(self.path, rank) for rank in ranks)


def place_of(found: Found, root: Path) -> Place:
    """A place with an id that stays the same for its path."""
    top = _top(root)
    home = found.path.resolve().parent
    inside = home if home.is_relative_to(top) else top
    return Place(_digest(str(found.path.absolute())), found, root, inside)


def _top(root: Path) -> Path:
    return (root if root.is_dir() else root.parent).resolve()


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()


def _inside(folder: Path, names: Iterable[str]) -> Iterator[os.DirEntry[str]]:
    for name in names:
        try:
            with os.scandir(folder / name) as entries:
                yield from entries
        except OSError:
            continue  # nothing of the kind was logged


def _stamp(files: Iterable[Path | os.DirEntry[str]]) -> Stamp:
    count = size = newest = 0
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue  # replaced by its writer while we looked
        count, size = count + 1, size + status.st_size
        newest = max(newest, status.st_mtime_ns)
    return count, size, newest


MAX_FILES = 20_000  # of a folder that is one run as a whole
_OWN = (RUN_FILE, PROGRESS_FILE, FINDINGS_FILE)
_BESIDE = (*NAMES, "wandb-metadata.json", "files/config.yaml", "files/wandb-metadata.json", "aux")


def leads_out(place: Place) -> Path | None:
    """A file that would be read for a run but lies outside of its project; None if there is none."""
    for path in _read(place):
        if not path.resolve().is_relative_to(place.home):
            return path
    return None


def stay_inside(place: Place) -> None:
    """Raise `ReadError` if a link in it leads out."""
    link = leads_out(place)
    if link is not None:
        raise ReadError(place.path, f"{link.name} is a link that leads out of the folder")


def _read(place: Place) -> Iterator[Path]:
    """All that the readers may open for a run."""
    if place.is_ours:
        yield from (place.path / name for name in _OWN)
        for name in ("points", *EVENT_FOLDERS):
            yield place.path / name
            yield from (place.path / name).glob("*")
        return
    files = [file.path for file in place.found.files]
    yield from files
    folders = dict.fromkeys([place.path, *(path.parent for path in files)])
    yield from (folder / name for folder in folders if folder.is_dir() for name in _BESIDE)
    if any(file.reader.owns_folder for file in place.found.files):
        yield from islice(place.path.rglob("*"), MAX_FILES)
