"""Writes one segment: appends its points, and holds the newest while the disk refuses them."""

from __future__ import annotations

import errno
import os
import time
from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path

from runvitals.model import STORE, Event, Loss, Losses, RowBlock, RunInfo, StoreError
from runvitals.store.compact import compact
from runvitals.store.events import EventWriter
from runvitals.store.layout import Segment, segments
from runvitals.store.stream import StreamEncoder

HELD_BYTES = 64 * 2**20  # how much is kept in memory for a disk that may come back
RECORD_BYTES = 512 * 2**10  # at a time, so that what fits on a full disk is kept
MIN_RECORD = 8 * 2**10
ROOM_FOR_OTHERS = 128 * 2**10
SYNC_SECONDS = 15.0


class PointWriter:
    """The only writer of one segment.

    `write` raises `OSError` when the disk refuses; the points are then held (the oldest are let go
    first) and written by the next call that succeeds. The file never holds half a record: a write
    that failed midway is cut off again.
    """

    def __init__(self, run_folder: Path, segment: Segment) -> None:
        self.segment = segment
        self.path = segment.stream(run_folder)
        self.losses = Losses(STORE)
        self.points = 0  # points on disk
        self.rows: Counter[tuple[str, ...]] = Counter()  # on disk, of each set of names
        self._facts = {"rank": str(segment.rank), "segment": str(segment.number)}
        self._encoder = StreamEncoder(self._facts)
        self._held: deque[RowBlock] = deque()
        self._why = ""
        self._size = 0
        self._next_sync = time.monotonic() + SYNC_SECONDS
        try:
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except OSError as error:
            raise StoreError(
                f"cannot create {self.path.name}: {error.strerror}",
                where=self.path.parent,
                hint="is the folder writable? give another one with dir=...",
            ) from error

    def write(self, blocks: Sequence[RowBlock]) -> None:
        """Append all rows; whole records only."""
        self._held.extend(blocks)
        try:
            while self._held:
                self._write_what_fits()
        except OSError as error:
            self._why = error.strerror or str(error)
            self._let_go()
            raise
        if time.monotonic() >= self._next_sync:
            self.sync()

    def _write_what_fits(self) -> None:
        """One record of the oldest rows; a smaller one where the disk has no room for it."""
        size = RECORD_BYTES
        while True:
            try:
                self._write_some(size)
                return
            except OSError:
                self._encoder.introduce_again()
                if size <= MIN_RECORD:
                    raise
                size //= 4

    def _write_some(self, most: int) -> None:
        piece: list[RowBlock] = []
        size = 0
        while self._held and size < most:
            block = self._held.popleft()
            rows = max(1, (most - size) // _row_bytes(block))
            if rows < len(block):
                self._held.appendleft(block.part(slice(rows, None)))
                block = block.part(slice(None, rows))
            piece.append(block)
            size += len(block) * _row_bytes(block)
        try:
            if self._size == 0:  # a failed first write took the schema along
                self._encoder = StreamEncoder(self._facts)
            self._append(self._encoder.encode(piece))
        except OSError:
            self._held.extendleft(reversed(piece))
            raise
        for block in piece:
            self.points += block.values.size
            self.rows[block.names] += len(block)

    def _append(self, data: bytes) -> None:
        if os.fstat(self._file).st_nlink == 0:
            raise FileNotFoundError(errno.ENOENT, "the run's folder was removed", str(self.path))
        if self._why and not self._has_room(len(data)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        view = memoryview(data)
        done = 0
        try:
            while done < len(view):
                done += os.pwrite(self._file, view[done:], self._size + done)
        except OSError:
            os.ftruncate(self._file, self._size)
            raise
        self._size += done

    def _has_room(self, size: int) -> bool:
        """On a disk that was full before, some room is left for `run.json`, which says what is lost."""
        try:
            disk = os.statvfs(self.path.parent)
        except (OSError, AttributeError):
            return True
        return disk.f_bavail * disk.f_frsize > size + ROOM_FOR_OTHERS

    def _let_go(self) -> None:
        held = sum(block.values.nbytes for block in self._held)
        while self._held and held > HELD_BYTES:
            oldest = self._held.popleft()
            held -= oldest.values.nbytes
            self.losses.add_blocks(self._why, [oldest])

    def sync(self) -> None:
        """Sync the file to disk, so that it survives a power cut."""
        self._next_sync = time.monotonic() + SYNC_SECONDS
        os.fsync(self._file)

    @property
    def waiting(self) -> int:
        """Points held in memory because the disk refused them."""
        return sum(block.values.size for block in self._held)

    def close(self) -> None:
        """Stop writing; rows that are still held back are lost."""
        if self._file >= 0:
            self.losses.add_blocks(self._why, self._held)
            self._held.clear()
            os.close(self._file)
            self._file = -1


def _row_bytes(block: RowBlock) -> int:
    return 8 * len(block.names) + 24


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
