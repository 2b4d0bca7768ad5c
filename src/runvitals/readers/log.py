"""What a reader finds in one source, in the source's own names."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from runvitals.model import (
    ConfigError,
    DamagedError,
    Event,
    Histogram,
    PointTable,
    ReadError,
    RowBlock,
    RunvitalsError,
    Wanted,
)

Blocks = list[tuple[int, RowBlock]]  # each with the number of its segment


@dataclass
class Log:
    """One run as one source tells it. `open_run` joins the logs of a run and binds their names."""

    path: Path
    format: str
    points: PointTable = field(default_factory=PointTable)
    config: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    framework: str | None = None  # only when the format itself says so
    algorithm: str | None = None
    status: str = "unknown"
    ended_with: str = ""  # the error that ended it, if it tells of one
    started: float | None = None
    ended: float | None = None
    warnings: list[str] = field(default_factory=list)
    events: Callable[[], Iterable[Event]] | None = None
    has_samples: bool = False  # whether samples are among its events
    # series whose steps are counted by another column than those of the rest, with that column
    counted_by: dict[str, str] = field(default_factory=dict)
    histograms: Callable[[Wanted], Iterable[Histogram]] | None = None  # of names that are wanted
    read_new: Callable[[], Blocks] | None = None  # blocks appended to the source since
    # its curves, where no other log tells of the run
    read_points: Callable[[], Blocks] | None = None

    def fail(self, ending: str) -> None:
        """Note that the log ends in an error."""
        before = f"the log ends in trouble: {self.ended_with}"
        self.status, self.ended_with = "crashed", ending
        self.warnings = [w for w in self.warnings if w != before]
        self.warnings.append(f"the log ends in trouble: {ending}")

    def add(self, blocks: Blocks) -> None:
        """Take in blocks."""
        for segment, block in blocks:
            self.points.add(block, segment)


Role = Literal["main", "events", "side", "table", "samples"]


@dataclass(frozen=True)
class Reader:
    """One foreign format: a module in one of the rooms of `readers/` declares it as `READER`.

    `sniff` gets the path and the first bytes of the file (decompressed), is cheap and never raises: it
    says how sure it is that this file is its own, from 0 (not mine) to 100 (certainly mine). `read`
    gives the runs in the file, mostly one; it raises `ReadError` only when nothing at all can be read.
    """

    id: str
    title: str
    sniff: Callable[[Path, bytes], int]
    read: Callable[[Path], list[Log]]
    # how its files may be joined: `main` tells of the run, `events` and `side` are further views of it,
    # `samples` are what its model wrote, a `table` may be anything
    role: Role = "table"
    # the only one that writes this format, or what those tools are built on
    tool: str | None = None
    # several files of one folder as one run, as event files are; None if each is a run of its own
    read_together: Callable[[Sequence[Path]], list[Log]] | None = None
    # whether `read_together` is only for files whose names show that they are of one run
    joins_by_name: bool = False
    owns_folder: bool = False  # whether all that lies below the file's folder is part of the run
    at_most: int = 100  # how sure it ever is: it is not asked about a file that another is surer of
    names_split: bool = False  # whether its names say themselves that they are of an evaluation


@contextmanager
def one_run(path: Path, *, about_all: type[RunvitalsError] = ConfigError) -> Iterator[None]:
    """Turns any exception into a `ReadError` about this run, except those `about_all` runs.

    Files are checked before they are used. What slips through must not hide the other runs.
    """
    try:
        yield
    except (ReadError, about_all):
        raise
    except RunvitalsError as error:  # its points are in an index that does not answer, for instance
        raise ReadError(path, error.what, hint=error.hint) from error
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error
    except Exception as error:
        told = f"reading it failed ({type(error).__name__}: {error})"
        hint = "its files may be damaged: try a copy of them; if they are not, please report this"
        raise DamagedError(path, told, hint=hint) from error
