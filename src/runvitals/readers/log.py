"""What a reader finds in one source, in the source's own names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from runvitals.model import Event, Histogram, PointTable, RowBlock, Wanted

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
    histograms: Callable[[Wanted], Iterable[Histogram]] | None = None  # of names that are wanted
    read_new: Callable[[], Blocks] | None = None  # blocks appended to the source since

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


class Reader(Protocol):
    """A module in `readers/formats`: one foreign format.

    `sniff` gets the path and the first bytes of the file (decompressed), is cheap and never raises;
    0 means "not mine", 100 "certainly mine". `read` gives the runs in the file, mostly one; it raises
    `ReadError` only when nothing at all can be read. A format that only one tool writes, or tools that
    are built on it, may name it in `TOOL`.
    """

    ID: str
    TITLE: str

    def sniff(self, path: Path, head: bytes) -> int:
        """How sure it is that this file is its own, 0 to 100."""

    def read(self, path: Path) -> list[Log]:
        """Everything the file says."""
