"""Files that are logs, and groups of them that may tell of one run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runvitals.readers.log import Reader, Role
from runvitals.readers.raw.source import is_loggers


@dataclass(frozen=True)
class LogFile:
    """A file that a reader knows.

    `prefix` goes before its names when it is joined to others; files of one `place` are joined by their
    reader, if it can: mostly those of one folder. `life` counts what may be a run and its resumptions.
    A file with a `proof` belongs to the others only if it can be seen in it: by its numbers, which
    agree with theirs, or by its steps, which lie among theirs.
    """

    path: Path
    reader: Reader
    prefix: str = ""
    place: Path | None = None
    life: int = 0
    proof: Literal["", "numbers", "steps"] = ""

    @property
    def role(self) -> Role:
        """How it may be joined: as its reader says, unless a logger gave it its name."""
        return "main" if is_loggers(self.path) else self.reader.role

    @property
    def joins(self) -> bool:
        """Whether several files of this kind in one place are one run, as event files are."""
        if self.reader.joins_by_name and self.place is None:
            return False
        return self.reader.read_together is not None

    @property
    def names_split(self) -> bool:
        """Whether its names say themselves that they are of an evaluation."""
        return self.reader.names_split


@dataclass(frozen=True)
class Found:
    """What there is to open: a run folder of ours (no files), or files that may belong together.

    `shared` says that other runs lie beside it in the same folder, so that what lies there may not be
    its own; `crowded` that others would have the same name. `copies` are places where the very same
    files lie once more.
    """

    path: Path
    files: tuple[LogFile, ...] = ()
    shared: bool = False
    crowded: bool = False
    copies: tuple[Path, ...] = ()

    @property
    def only_beside(self) -> bool:
        """Whether all of it is a second view, such as event files."""
        return bool(self.files) and all(
            file.role in ("events", "side", "samples") for file in self.files
        )
