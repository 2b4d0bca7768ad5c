"""Files that are logs, and groups of them that may tell of one run."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, cast

from runvitals.readers.log import Reader
from runvitals.readers.source import is_loggers


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

    def __reduce__(self) -> tuple[Any, ...]:
        """A module cannot be sent to another process; its name can."""
        name = cast(ModuleType, self.reader).__name__
        return _log_file, (self.path, name, self.prefix, self.place, self.life, self.proof)

    @property
    def role(self) -> str:
        """How it may be joined: `main` tells of the run, `events` and `side` are further views of it,
        a `table` may be anything.
        """
        if is_loggers(self.path):
            return "main"
        return getattr(self.reader, "ROLE", "table")

    @property
    def joins(self) -> bool:
        """Whether several files of this kind in one folder are one run, as event files are."""
        return hasattr(self.reader, "read_together")

    @property
    def names_split(self) -> bool:
        """Whether its names say themselves that they are of an evaluation."""
        return getattr(self.reader, "NAMES_SPLIT", False)


def _log_file(path: Path, reader: str, *rest: Any) -> LogFile:
    return LogFile(path, cast(Reader, import_module(reader)), *rest)


@dataclass(frozen=True)
class Found:
    """What there is to open: a run folder of ours (no files), or files that may belong together.

    `shared` says that other runs lie beside it in the same folder, so that what lies there may not be
    its own; `crowded` that others would have the same name.
    """

    path: Path
    files: tuple[LogFile, ...] = ()
    shared: bool = False
    crowded: bool = False

    @property
    def only_beside(self) -> bool:
        """Whether all of it is a second view, such as event files."""
        return bool(self.files) and all(file.role in ("events", "side") for file in self.files)
