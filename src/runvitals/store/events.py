"""Histograms, texts and samples as JSON lines; media as files beside them."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from runvitals.model import STORE, Event, Histogram, Losses, Media, Sample, Text
from runvitals.model.atomic import HIDDEN, hides_something, keep_private, replacing
from runvitals.model.row import FOLDER, is_media_file
from runvitals.store.files import dumps, with_checksum, without_checksum
from runvitals.store.layout import Segment, files_by_life

HELD_EVENTS = 1000  # kept in memory for a disk that may come back
MAX_RUN_MEDIA_BYTES = 2**30
_OPTIONS = orjson.OPT_APPEND_NEWLINE


class EventWriter:
    """Appends events of one segment; files appear with their first event."""

    def __init__(
        self, run_folder: Path, segment: Segment, complain: Callable[[str, str], None]
    ) -> None:
        self.losses = Losses(STORE)
        self._complain = complain
        self._media = run_folder / FOLDER
        self._media_bytes: int | None = None  # on disk; counted when the first one comes
        self._events = segment.events(run_folder)
        self._samples = segment.samples(run_folder)
        self._held: deque[Event] = deque()
        self._why = ""

    def write(self, events: Sequence[Event]) -> None:
        """Append all, whole lines only. Raises `OSError` when the disk refuses, and tries again."""
        self._held.extend(events)
        try:
            while self._held:
                event = self._held[0]
                if isinstance(event, Media) and not self._store_media(event):
                    self._held.popleft()
                    continue
                line = _line(event)
                if isinstance(event, Sample):  # whose texts may have three stars of their own
                    _append(self._samples, line, private=f'"{HIDDEN}"'.encode() in line)
                else:
                    _append(self._events, line, private=hides_something(line))
                self._held.popleft()
        except OSError as error:
            self._why = error.strerror or str(error)
            while len(self._held) > HELD_EVENTS:
                self.losses.add_events(self._why, [self._held.popleft().step])
            raise
        except Exception as error:
            # what cannot be written must not stand before the others
            self.losses.add_events(str(error), [self._held.popleft().step])
            raise

    def _store_media(self, media: Media) -> bool:
        """Write the file before the line that names it; False if the run has too many of them."""
        if self._media_bytes is None:
            self._media.mkdir(exist_ok=True)
            self._media_bytes = sum(path.stat().st_size for path in self._media.iterdir())
        path = self._media / media.file
        if path.exists():
            return True
        data = media.read()
        if self._media_bytes + len(data) > MAX_RUN_MEDIA_BYTES:
            why = f"the run has {MAX_RUN_MEDIA_BYTES / 2**30:g} GiB of images, sounds and videos"
            self._complain("media", f"{why}; further ones are not stored")
            self.losses.add_events(why, [media.step])
            return False
        with replacing(path) as file:
            file.write(data)
        self._media_bytes += len(data)
        return True

    def close(self) -> None:
        """Stop writing; events that are still held back are lost."""
        self.losses.add_events(self._why, [event.step for event in self._held])
        self._held.clear()


def _append(path: Path, line: bytes, *, private: bool) -> None:
    path.parent.mkdir(exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        if private:
            keep_private(file)
        size = os.fstat(file).st_size
        data = memoryview(line)
        try:
            while data:
                data = data[os.write(file, data) :]
        except OSError:
            os.ftruncate(file, size)
            raise
    finally:
        os.close(file)


def _line(event: Event) -> bytes:
    record: dict[str, Any] = {"step": event.step, "time": event.time}
    if isinstance(event, Sample):
        record["fields"] = dict(event.fields)
    elif isinstance(event, Text):
        kind = "table" if event.is_table else "text"
        record |= {"kind": kind, "name": event.name, "text": event.text}
    elif isinstance(event, Media):
        record |= {"kind": "media", "name": event.name, "file": event.file}
        record |= {"caption": event.caption}
    else:
        record |= {"kind": "histogram", "name": event.name}
        record |= {"edges": event.edges, "counts": event.counts}
        record |= {"sum": spelled(event.total), "sum_squares": spelled(event.total_of_squares)}
    return with_checksum(dumps(record, _OPTIONS))


def spelled(number: float) -> float | str:
    """JSON has no infinity and no NaN; Python reads them from text."""
    return number if math.isfinite(number) else str(number)


Complain = Callable[[str], None]


def read_events(run_folder: Path, complain: Complain) -> Iterator[Event]:
    """All events of a run, file by file; a damaged line is passed over and told.

    Where a later life of the process logs a name again from some step on, what an earlier one had
    from there on is left out, as with points; texts stay, since they tell what happened.
    """
    for kind in ("events", "samples"):
        yield from _of_kind(run_folder / kind, complain)


def read_histograms(
    run_folder: Path, wanted: Callable[[str], bool], complain: Complain
) -> Iterator[Histogram]:
    """The histograms of a run whose names are wanted; samples are not looked at."""
    for event in _of_kind(run_folder / "events", complain):
        if isinstance(event, Histogram) and wanted(event.name):
            yield event


def read_samples(run_folder: Path, complain: Complain) -> Iterator[Sample]:
    """The samples of a run; other events are not looked at."""
    for event in _of_kind(run_folder / "samples", complain):
        if isinstance(event, Sample):
            yield event


def _of_kind(folder: Path, complain: Complain) -> Iterator[Event]:
    for lives in files_by_life(folder).values():
        for files, limit in zip(lives, _limits(lives, complain), strict=True):
            for event in _events_in(files, complain):
                if isinstance(event, Text) or event.step < limit.get(_name(event), math.inf):
                    yield event


def _limits(lives: Sequence[Sequence[Path]], complain: Complain) -> list[dict[str, int]]:
    """Per life: the first step of each name in any later one."""
    limits: list[dict[str, int]] = [{}]
    for files in reversed(lives[1:]):
        first = dict(limits[-1])
        for event in _events_in(files, complain):
            name = _name(event)
            first[name] = min(event.step, first.get(name, event.step))
        limits.append(first)
    return limits[::-1]


def _name(event: Event) -> str:
    return "" if isinstance(event, Sample) else event.name


def _events_in(files: Sequence[Path], complain: Complain) -> Iterator[Event]:
    for path in files:
        damaged = 0
        with open(path, "rb") as file:
            for line in file:
                event = parse_event(line, path.parents[1])
                if event is not None:
                    yield event
                else:
                    damaged += line.endswith(b"\n")  # else it is still being written, or torn
        if damaged:
            lines = "1 line is" if damaged == 1 else f"{damaged:,} lines are"
            complain(f"{path.parent.name}/{path.name}: {lines} damaged and left out")


def parse_event(line: bytes, run_folder: Path = Path()) -> Event | None:
    """The event in a line of a run; None if it is damaged."""
    try:
        record, intact = without_checksum(line)
        if not intact:
            return None
        step, time = int(record["step"]), float(record["time"])
        if "fields" in record:
            return Sample(step, time, dict(record["fields"]))
        if (kind := record["kind"]) in ("text", "table"):
            return Text(
                str(record["name"]), step, time, str(record["text"]), is_table=kind == "table"
            )
        if kind == "media":
            name, file = str(record["name"]), str(record["file"])
            at = run_folder / FOLDER / file
            known = is_media_file(file)
            return Media(name, step, time, file, str(record["caption"]), at) if known else None
        edges = np.asarray(record["edges"], np.float64)
        counts = np.asarray(record["counts"], np.float64)
        if counts.ndim != 1 or edges.shape != (len(counts) + 1,):
            return None
        return Histogram(
            str(record["name"]),
            step,
            time,
            edges,
            counts,
            float(record["sum"]),
            float(record["sum_squares"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
