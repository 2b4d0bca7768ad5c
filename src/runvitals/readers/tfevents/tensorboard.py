"""TensorBoard event files: scalars in every form they are written in, texts, histograms, settings.

`read` takes one file; `read_folder` joins the files that one writer left in a folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np

from runvitals.model import Event, Gap, Histogram, IntArray, ReadError, Wanted
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.raw.source import DAMAGED, head, open_binary
from runvitals.readers.rows.restarts import CountedOn, times_told
from runvitals.readers.tfevents._columns import MAX_TAGS, EventDecoder
from runvitals.readers.tfevents._extras import EventFileSettings, decode
from runvitals.readers.tfevents._records import RecordStream, read_record
from runvitals.tfevents.framing import HEAD, head_length

ID = "tensorboard"
LIVE_SECONDS = 600.0  # a file that was written to lately may end in the middle of a record
MAX_LOOKED_AT, FIRST_LOOKED_AT = 5_000, 1_000  # records when only some names are wanted
_START = 64


def sniff(path: Path, head: bytes) -> int:
    """Event files start with a record whose content starts with a time; their name tells too."""
    named = "tfevents" in path.name
    if len(head) < HEAD + 9:
        return 60 if named else 0
    length = head_length(head)
    if length is None:
        return 40 if named else 0
    if b"brain.Event:" in head[HEAD : HEAD + 64]:
        return 100
    return 95 if named else 50 if head[HEAD] == 9 and 9 <= length < 2**20 else 0


def read(path: Path) -> list[Log]:
    """The run of one event file."""
    return [read_folder([path], watch_folder=False)]


def read_together(paths: Sequence[Path]) -> list[Log]:
    """The runs in one folder: a file that goes on where others stopped is a restart of their run, one
    that starts over from the beginning is a run of its own.
    """
    chains: list[_Reading] = []
    first_steps: dict[str, int] = {}
    for path in sorted(paths, key=_age):
        reading = _Reading([_Source(path)])
        reading.gather()
        firsts = reading.first_steps()
        shared = firsts.keys() & first_steps.keys()
        if not chains or any(firsts[name] <= first_steps[name] for name in shared):
            chains.append(reading)
            first_steps = firsts
        else:
            chains[-1].append(reading)
            first_steps = {**firsts, **first_steps}
    logs = [chain.finish(watch_folder=len(chains) == 1) for chain in chains if chain.is_sound]
    if not logs:
        raise chains[0].refusal()
    return logs


def read_folder(paths: Sequence[Path], *, watch_folder: bool = True) -> Log:
    """The event files of one writer as one run, oldest first.

    Each file after the first is a restart: where it logs steps again, its points count. A file that
    declares earlier steps void (`purge_step`) does so. With `watch_folder`, `read_new` also finds
    files that appear beside these later.
    """
    if not paths:
        raise ValueError("no event files given")
    for path in paths:
        if not path.exists():
            raise ReadError(path, "no such file")
    reading = _Reading([_Source(path) for path in sorted(paths, key=_age)])
    reading.gather()
    if not reading.is_sound:
        raise reading.refusal()
    return reading.finish(watch_folder=watch_folder)


_CUT = "ends inside a record"


@dataclass
class _Source:
    """One file, and how far it was read."""

    path: Path
    offset: int = 0
    segment: int = 0
    size: int = -1
    inode: int = -1
    start: bytes = b""
    partial: int = 0
    problem: str = ""
    damaged: bool = False
    plain: bool = True
    lazy: list[IntArray] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def places(self) -> list[int]:
        """Where records with histograms or texts lie."""
        return [place for places in self.lazy for place in places.tolist()]

    def changed(self) -> bool:
        """True if there is something to read; a file that was replaced starts over."""
        if not self.plain:
            return False  # nobody appends to a compressed log
        try:
            now = os.stat(self.path)
        except OSError:
            return False
        if now.st_size == self.size and now.st_ino == self.inode:
            return False
        replaced = self.size >= 0 and (
            now.st_size < self.offset
            or now.st_ino != self.inode
            or _first_bytes(self.path, len(self.start)) != self.start
        )
        if replaced:
            self.offset, self.segment, self.start, self.lazy = 0, 0, b"", []
        self.size, self.inode = now.st_size, now.st_ino
        return True


class _Reading:
    """Reads files into a log, and goes on where it left off."""

    def __init__(self, sources: list[_Source]) -> None:
        self.sources = sources
        self.records = 0
        self.log = Log(sources[0].path, ID)
        self._watch = False
        self._segment = 0
        self._decoder = EventDecoder()
        self._settings = EventFileSettings()
        self._counted_on = CountedOn()

    @property
    def is_sound(self) -> bool:
        """True if there was anything to read."""
        return bool(self.records) or not all(source.damaged for source in self.sources)

    def refusal(self) -> ReadError:
        """Why there was nothing to read."""
        first = self.sources[0]
        problem = first.problem or "no event record in it"
        return ReadError(first.path, problem, hint="is this a TensorBoard event file?")

    def finish(self, *, watch_folder: bool) -> Log:
        """The log of all that was gathered."""
        if len(self.sources) > 1 or watch_folder:
            self.log.path = self.sources[0].path.parent
        self._watch = watch_folder
        self.log.add(self._counted_on.apply(self._decoder.blocks()))
        if times := self._counted_on.starts:
            over = f"the step counter starts over {times_told(times)}"
            self.log.warnings.append(f"{over} while the training goes on: counted on")
        self._describe()
        self.mention_cut_ends()
        self.log.read_new, self.log.events = self.read_new, self.events
        self.log.histograms = self.histograms
        return self.log

    def first_steps(self) -> dict[str, int]:
        """The lowest step of each tag among the points not given away yet."""
        return self._decoder.first_steps()

    def append(self, later: _Reading) -> None:
        """Take over what a later file says, as further lives of this run."""
        shift = self._segment
        for source in later.sources:
            source.segment += shift
        self.sources += later.sources
        self.records += later.records
        self.log.warnings += later.log.warnings
        self._segment += later._segment
        self._decoder.absorb(later._decoder, shift)
        self._settings.absorb(later._settings)

    def read(self) -> Blocks:
        """All points that are new in the known files."""
        self.gather()
        blocks = self._counted_on.apply(self._decoder.blocks())
        self._describe()
        return blocks

    def gather(self) -> None:
        """Decode what is new in the known files."""
        decoder = self._decoder
        for source in self.sources:
            if source.changed():
                if not source.segment:
                    source.segment = self._segment = self._segment + 1
                decoder.next_file(source.segment, begun=source.offset > 0)
                self._read_file(source, decoder)
                if decoder.segment != source.segment:
                    source.segment = decoder.segment
                    self._segment = max(self._segment, decoder.segment)

    def _read_file(self, source: _Source, decoder: EventDecoder) -> None:
        stream = RecordStream(source.path, source.offset)
        for window in stream.windows():
            decoder.add(window)
        for _, data, found in sorted(decoder.others, key=lambda other: other[0]):
            self._settings.take(data, found)
        decoder.others.clear()
        source.plain = stream.plain
        source.lazy += decoder.lazy
        source.offset, source.partial = stream.offset, stream.partial
        source.problem = stream.problem
        source.damaged = bool(stream.breaks or stream.problem)
        if not source.start:
            source.start = _first_bytes(source.path, min(_START, source.offset))
        self.records += stream.records
        self._warn(source, stream)

    def _warn(self, source: _Source, stream: RecordStream) -> None:
        warnings, name = self.log.warnings, source.name
        if stream.problem:
            warnings.append(Gap(f"{name}: {stream.problem}; read up to there"))
        if stream.breaks:
            places = "one place" if stream.breaks == 1 else f"{stream.breaks} places"
            warnings.append(
                Gap(
                    f"{name}: damaged in {places}, first at byte {stream.first_break:,}; "
                    f"{stream.lost:,} bytes were passed over"
                )
            )
        if self._decoder.unchecked:
            warnings.append(f"{name}: all checksums are wrong; read without checking them")
        if self._decoder.unsound:
            unsound = f"{self._decoder.unsound:,} records with a wrong checksum left out"
            warnings.append(Gap(f"{name}: {unsound}"))
            self._decoder.unsound = 0
        if self._decoder.malformed:
            warnings.append(
                f"{name}: {self._decoder.malformed:,} records are not events and were left out"
            )
            self._decoder.malformed = 0
        if self._decoder.left_out:
            warnings.append(Gap(f"{name}: more than {MAX_TAGS:,} tags; the rest was left out"))
            self._decoder.left_out = 0

    def mention_cut_ends(self) -> None:
        """Warns about records that are cut at the end; those of a recent file may still be written."""
        others = [warning for warning in self.log.warnings if _CUT not in warning]
        self.log.warnings[:] = others
        for source in self.sources:
            live = _is_live(source.path)
            if source.partial and (source.offset or not live):
                why = ", or its writer is at it" if live else ""
                self.log.warnings.append(
                    f"{source.name}: {_CUT}{why}; everything before it was read"
                )

    def _describe(self) -> None:
        log, settings, decoder = self.log, self._settings, self._decoder
        for key, value in settings.config.items():
            log.config.setdefault(key, value)
        started = settings.started
        if started is None and np.isfinite(decoder.first_time):
            started = float(decoder.first_time)
        log.started = started
        log.ended = settings.ended
        if log.ended is None and np.isfinite(decoder.last_time):
            log.ended = float(decoder.last_time)
        log.status = settings.status or log.status

    def read_new(self) -> Blocks:
        """What was appended since; files that appeared beside the known ones are restarts."""
        if self._watch:
            self._look_around()
        blocks = self.read()
        self.mention_cut_ends()
        return blocks

    def _look_around(self) -> None:
        known = {source.path for source in self.sources}
        try:
            with os.scandir(self.sources[0].path.parent) as entries:
                new = [
                    path
                    for entry in entries
                    if "tfevents" in entry.name
                    and (path := self.sources[0].path.parent / entry.name) not in known
                    and entry.is_file()
                ]
        except OSError:
            return
        self.sources += [_Source(path) for path in sorted(new, key=_age)]

    def events(self) -> Iterable[Event]:
        """Histograms and texts, read again from the files when they are asked for."""
        plugins: dict[bytes, bytes] = {}
        for source in self.sources:
            yield from _events_of(source, plugins, source.places)

    def histograms(self, wanted: Wanted) -> Iterator[Histogram]:
        """Those whose names are wanted, from `MAX_LOOKED_AT` records of each file at most."""
        plugins: dict[bytes, bytes] = {}
        for source in self.sources:
            for event in _events_of(source, plugins, _some(source.places), wanted):
                if isinstance(event, Histogram):
                    yield event


def _some(places: Sequence[int]) -> Sequence[int]:
    """At most `MAX_LOOKED_AT` places: the first ones, which declare histograms, and a random sample.

    They are drawn, since records of the same name follow each other at even distances.
    """
    if len(places) <= MAX_LOOKED_AT:
        return places
    first, rest = places[:FIRST_LOOKED_AT], places[FIRST_LOOKED_AT:]
    return [*first, *sorted(Random(0).sample(rest, MAX_LOOKED_AT - FIRST_LOOKED_AT))]


def _events_of(
    source: _Source,
    plugins: dict[bytes, bytes],
    places: Sequence[int],
    wanted: Wanted | None = None,
) -> Iterator[Event]:
    if not places:
        return
    try:
        with open_binary(source.path) as file:
            for offset in places:
                content = read_record(file, offset)
                if content is not None:
                    yield from decode(content, plugins, wanted)
    except DAMAGED:
        return


def _age(path: Path) -> tuple[float, str]:
    """When the file was begun, as its first record says."""
    start = head(path, HEAD + 9)
    if len(start) == HEAD + 9 and start[HEAD] == 9 and head_length(start) is not None:
        begun = float(np.frombuffer(start[HEAD + 1 :], "<f8")[0])
        if np.isfinite(begun):
            return begun, path.name
    stamp = path.name.partition("tfevents.")[2].partition(".")[0]
    return (float(stamp) if stamp.isdecimal() and len(stamp) < 20 else 0.0), path.name


def _is_live(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime < LIVE_SECONDS
    except OSError:
        return False


def _first_bytes(path: Path, count: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(count)
    except OSError:
        return b""


READER = Reader(
    ID, "TensorBoard event file", sniff, read, role="events", read_together=read_together
)
