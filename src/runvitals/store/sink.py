"""The store as a sink of the recorder: points and events of one segment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from runvitals.model import Event, Loss, RowBlock, RunInfo
from runvitals.store.compact import compact
from runvitals.store.events import EventWriter
from runvitals.store.layout import Segment, segments
from runvitals.store.writer import PointWriter


class StoreSink:
    """Writes `points/`, `events/` and `samples/`; on close it compacts the points of its rank."""

    def __init__(self, *, compact: bool = True, fork: int | None = None) -> None:
        self._compact = compact
        self._fork = fork
        self._points: PointWriter | None = None
        self.warnings: list[str] = []

    @staticmethod
    def free_fork(info: RunInfo) -> int:
        """A number for this process's files that no earlier process of the run has used."""
        fork = os.getpid()
        # A pid may be given again within one run. Linux gives none above 4,194,304, so the sum is new.
        while Segment(info.rank, info.segment, fork, info.life).stream(info.folder).exists():
            fork += 10_000_000
        return fork

    def open(self, info: RunInfo) -> None:
        """Create the files of this segment."""
        self._folder = info.folder
        self._segment = Segment(info.rank, info.segment, self._fork, info.life)
        (info.folder / "points").mkdir(parents=True, exist_ok=True)
        self._points = PointWriter(info.folder, self._segment)
        self._events = EventWriter(info.folder, self._segment, info.complain)

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:
        """Append; raises `OSError` while the disk refuses (the points are held and tried again)."""
        if self._points is not None:
            try:
                self._points.write(blocks)
            finally:
                self._events.write(events)

    @property
    def troubles(self) -> Path | None:
        """The file for problems of a process that does not own `run.json`; None before `open`."""
        return None if self._points is None else self._segment.troubles(self._folder)

    def losses(self) -> list[Loss]:
        """Rows and events that had to be let go because the disk refused them for too long."""
        if self._points is None:
            return []
        return [*self._points.losses.all(), *self._events.losses.all()]

    def close(self, status: str) -> None:  # noqa: ARG002
        """Write what is held, then compact."""
        if self._points is None:
            return
        try:
            self.write((), ())
        finally:
            self._points.close()
            self._events.close()
        if self._compact and self._fork is None:
            for segment in segments(self._folder):
                if segment.rank == self._segment.rank and segment.fork is None:
                    rows = self._points.rows if segment == self._segment else None
                    self.warnings.extend(compact(self._folder, segment, rows))
