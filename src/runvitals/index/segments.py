"""Takes the points of a run folder into an index, each exactly once.

Segments that are complete (their Parquet files are there) are taken in as a whole, several in one go;
one that is still written, as far as its records are whole. Before anything is inserted, the table
`loaded` says what is about to be; after a crash the same is inserted again, under the same
deduplication tokens, and the engine drops what it has. When a segment that was taken in part by part
is complete, only rows after its horizon (the latest time that was taken in) are new. Where counts
prove that wrong, because a clock was set back, the run is taken in again.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runvitals.index.rows import Lived, batches
from runvitals.index.schema import LOADED, POINTS
from runvitals.model import IndexFailure, RowBlock
from runvitals.model.row import gathered, in_groups
from runvitals.store.compact import DAMAGED
from runvitals.store.layout import Segment, life_numbers, segments
from runvitals.store.merged import complete_bytes, read_complete
from runvitals.store.stream import StreamDecoder

if TYPE_CHECKING:
    from runvitals.index.database import Database

GROUP_BYTES = 16 * 2**20  # of Parquet files that are taken in together
GENERATION = "generation"  # what stands in place of a segment in the note that a run was forgotten


class CountsDifferError(Exception):
    """What was taken in before is not what the complete segment holds up to its horizon."""


@dataclass(frozen=True)
class Progress:
    """How far a segment was taken in: a row of `loaded`."""

    segment: str
    generation: int  # of the run: another one after it was taken in again
    first: int = 0  # bytes of the stream, of the latest part
    stop: int = 0
    sealed: bool = False
    done: bool = True
    horizon: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)  # points by name, with those of `first` on


@dataclass
class PointLoader:
    """Takes in the points of one run."""

    database: Database
    run: str
    problems: list[str]
    _lives: dict[Segment, int] = field(default_factory=dict)

    def load(self, folder: Path) -> int:
        """Take in what is new; the number of points that were sent."""
        known = self._known()
        try:
            sent = sum(self._segments(folder, known))
        except CountsDifferError:
            self.problems.append(f"{self.run}: taken in again, since a clock was set back")
            self.forget()
            return sum(self._segments(folder, self._known()))
        if any(not one.done for one in known.values()):  # that was only what a crash left
            sent += sum(self._segments(folder, self._known()))
        return sent

    def load_all(self, blocks: Iterable[Lived], fingerprint: str) -> int:
        """Take in a log of another tool as a whole, in place of what was there of it."""
        known = self._known()
        before = known.get(fingerprint)
        if before is None:
            if known:
                self.forget()
                known = self._known()
            before = Progress(
                fingerprint, max((one.generation for one in known.values()), default=0), sealed=True,
                done=False,
            )  # fmt: skip
            self._note(before)
        elif before.done:
            return 0
        sent = self._insert(blocks, f"{fingerprint}#{before.generation}")
        self._note(replace(before, done=True))
        return sent

    def forget(self) -> None:
        """Drop the points of the run; what is taken in from now on has tokens of its own."""
        if self.database.is_cluster:
            raise IndexFailure(
                f"{self.run} changed and has to be taken in again, which a cluster is not asked to do",
                where=str(self.database.address),
                hint="DELETE FROM points_local, rollup_local and loaded_local ON CLUSTER ... WHERE run",
            )
        self._note(Progress(GENERATION, time.time_ns()))
        for table in ("points", "rollup"):
            self.database.command(
                f"DELETE FROM {{db}}.{table} WHERE run = {{run:String}}", run=self.run
            )
        self.database.command(
            "DELETE FROM {db}.loaded WHERE run = {run:String} AND segment != {kept:String}",
            run=self.run,
            kept=GENERATION,
        )

    def _segments(self, folder: Path, known: dict[str, Progress]) -> Iterator[int]:
        found = segments(folder)
        self._lives = life_numbers(found)
        generation = max((one.generation for one in known.values()), default=0)
        begun: list[_Sealed] = []
        new: list[_Sealed] = []
        for segment in found:
            before = known.get(segment.stem) or Progress(segment.stem, generation)
            if before.sealed and before.done:
                continue
            if complete_bytes(folder, segment) is None:
                yield self._stream(folder, segment, before)
            elif before.sealed:
                begun.append((segment, before))
            elif before.stop:
                yield self._completed(folder, segment, before)
            else:
                new.append((segment, before))
        if begun:  # and not ended: the same segments again, under the same token
            yield self._together(folder, begun)
        # worth an insert together, and within the memory
        for group in in_groups(new, lambda one: complete_bytes(folder, one[0]) or 0, GROUP_BYTES):
            self._note(*(replace(before, sealed=True, done=False) for _, before in group))
            yield self._together(folder, group)

    def _together(self, folder: Path, group: list[_Sealed]) -> int:
        """Take in complete segments that were noted as begun: many small inserts would cost more."""
        stems = [segment.stem for segment, _ in group]
        digest = hashlib.blake2b("\0".join(stems).encode(), digest_size=8).hexdigest()
        name = f"{stems[0]}.parquet#{group[0][1].generation}+{len(stems)}-{digest}"
        blocks = (
            (self._lives[segment], block)
            for segment, _ in group
            for block in self._read(folder, segment)
        )
        sent = self._insert(blocks, name)
        self._note(*(replace(before, sealed=True, done=True) for _, before in group))
        return sent

    def _completed(self, folder: Path, segment: Segment, before: Progress) -> int:
        """Take in the rest of a segment that was taken in part by part, now that it is complete."""
        if not before.done:
            raise CountsDifferError
        blocks = list(_after(list(self._read(folder, segment)), before))
        life = self._lives[segment]
        name = f"{segment.stem}.parquet#{before.generation}@{before.stop}"
        sent = self._insert(((life, block) for block in blocks), name)
        self._note(replace(before, sealed=True, counts={}))
        return sent

    def _read(self, folder: Path, segment: Segment) -> Iterator[RowBlock]:
        complain = self.problems.append
        try:
            yield from read_complete(folder, segment, lambda text: complain(f"{self.run}: {text}"))
        except DAMAGED as error:
            complain(f"{self.run}: {segment.stem}.parquet is damaged and was left out: {error}")

    def _stream(self, folder: Path, segment: Segment, before: Progress) -> int:
        try:
            data = segment.stream(folder).read_bytes()
        except FileNotFoundError:
            return 0  # just compacted: the next time it is complete
        first = before.first if not before.done else before.stop
        stop = before.stop if not before.done else len(data)
        decoder = StreamDecoder(segment.rank)
        decoder.feed(data[:first], final=False)
        new, damage = decoder.feed(data[decoder.offset : stop], final=False)
        self.problems.extend(f"{self.run}: {segment.stem}.arrows: {found}" for found in damage)
        blocks = list(gathered(new))
        if not blocks:
            return 0
        counts = Counter(before.counts) if before.done else Counter[str]()
        horizon = before.horizon
        for block in blocks:
            horizon = max(horizon, float(block.times.max()))
            counts.update(dict.fromkeys(block.names, len(block)))
        noted = before
        if before.done:
            noted = replace(before, first=first, stop=decoder.offset, done=False, horizon=horizon,
                            counts=dict(counts))  # fmt: skip
            self._note(noted)
        name = f"{segment.stem}.arrows#{before.generation}@{noted.first}-{noted.stop}"
        life = self._lives[segment]
        sent = self._insert(((life, block) for block in blocks), name)
        self._note(replace(noted, done=True))
        return sent

    def _insert(self, blocks: Iterable[Lived], name: str) -> int:
        sent = 0
        for number, table in enumerate(batches(self.run, blocks)):
            self.database.insert_once(POINTS, table, f"{self.run}/{name}:{number}")
            sent += table.num_rows
        return sent

    def _known(self) -> dict[str, Progress]:
        rows = self.database.rows(
            "SELECT segment, generation, first, stop, sealed, done, horizon, counts "
            "FROM {db}.loaded FINAL WHERE run = {run:String}",
            run=self.run,
        )
        return {row[0]: Progress(*row) for row in rows}

    def _note(self, *progress: Progress) -> None:
        version = time.time_ns()
        rows = [{**one.__dict__, "run": self.run, "version": version} for one in progress]
        self.database.insert(LOADED, rows)


_Sealed = tuple[Segment, Progress]


def _after(blocks: list[RowBlock], before: Progress) -> Iterator[RowBlock]:
    """Rows that came after the horizon; an error unless those up to it are what was taken in."""
    counts: Counter[str] = Counter()
    for block in blocks:
        new = block.times > before.horizon
        old = int(np.count_nonzero(~new))
        if old:
            counts.update(dict.fromkeys(block.names, old))
        if new.any():
            yield block.part(new)
    if counts != Counter(before.counts):
        raise CountsDifferError
