"""Where the events of a run folder lie in its files, so that only those asked for are ever read."""

import os
import re
import stat
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from runvitals.model import Event, IntArray, Media, Run, Sample, Text
from runvitals.store.events import parse_event
from runvitals.store.files import dumps
from runvitals.store.layout import lives_of
from runvitals.view.places import Place, Stamp

PIECE = 8 * 2**20
MAX_LINE = 16 * 2**20
FOLDERS = ("events", "samples")
_BUFFER = 2**20
# As the recorder writes it; a line that begins otherwise is parsed.
_HEAD = re.compile(
    rb'\{"step":(-?\d{1,18}),"time":[-+.\deE]+,'
    rb'(?:"fields":\{|"kind":"(histogram|text|table|media)","name":("(?:[^"\\]|\\.)*"))'
)
Label = tuple[str, str]  # kind and name; samples have no name


@dataclass
class _File:
    path: Path
    done: int = 0  # bytes
    skipping: bool = False  # within a line that is too long


class EventLines:
    """Grows with the files. An event's number is its place in the order in which lines were found."""

    def __init__(self, run_folder: Path) -> None:
        self._folder = run_folder
        self.generation = 0
        self._forget()

    def _forget(self) -> None:
        self.generation += 1  # what was known of numbers holds no longer
        self._files: dict[str, _File] = {}
        self._paths: list[Path] = []
        self._file, self._label = array("i"), array("i")
        self._start, self._size, self._step = array("q"), array("q"), array("q")
        self._labels: dict[Label, int] = {}
        self._known: dict[bytes, int] = {}

    def update(self) -> None:
        """Take in what was written since. A file that became shorter is another one: begin anew."""
        found = list(_regular_files(self._folder))
        if any(size < self._files[key].done for key, _, size in found if key in self._files):
            self._forget()
        for key, path, size in found:
            if key not in self._files:
                self._files[key] = _File(path)
                self._paths.append(path)
            if size > self._files[key].done:
                self._read_on(list(self._files).index(key), self._files[key])

    def _read_on(self, number: int, file: _File) -> None:
        with open(file.path, "rb") as source:
            source.seek(file.done)
            rest = b""
            while piece := source.read(PIECE):
                data = rest + piece
                begin = 0
                while (end := data.find(b"\n", begin)) >= 0:
                    if not file.skipping and end - begin <= MAX_LINE:
                        self._add(number, file.done + begin, data[begin:end])
                    file.skipping = False
                    begin = end + 1
                file.done += begin
                rest = data[begin:]
                if len(rest) > MAX_LINE:
                    file.done, file.skipping, rest = file.done + len(rest), True, b""

    def _add(self, file: int, start: int, line: bytes) -> None:
        head = _HEAD.match(line)
        if head is not None:
            step, label = int(head[1]), self._label_of(head)
        else:
            event = parse_event(line)
            if event is None or abs(event.step) >= 2**63:
                return
            step, label = event.step, self._number_of(label_of(event))
        self._file.append(file)
        self._label.append(label)
        self._start.append(start)
        self._size.append(len(line))
        self._step.append(step)

    def _label_of(self, head: re.Match[bytes]) -> int:
        """The name is only decoded when it is new."""
        spelled = head[0][head.start(2) - head.start() :] if head[2] else b""
        known = self._known.get(spelled)
        if known is None:
            label = (head[2].decode(), str(orjson.loads(head[3]))) if head[2] else ("sample", "")
            known = self._known[spelled] = self._number_of(label)
        return known

    def _number_of(self, label: Label) -> int:
        return self._labels.setdefault(label, len(self._labels))

    def labels(self) -> list[Label]:
        """What there is."""
        return list(self._labels)

    def numbers(self, *labels: Label) -> IntArray:
        """The events of these kinds and names, in the order of steps."""
        wanted = [self._labels[label] for label in labels if label in self._labels]
        mine = np.flatnonzero(np.isin(np.array(self._label, np.int64), wanted) & self._counts())
        return mine[np.argsort(self.steps(mine), kind="stable")]

    def steps_by_name(self, kind: str) -> dict[str, IntArray]:
        """The names of one kind, each with its steps."""
        counts = self._counts()
        labels = np.array(self._label, np.int64)[counts]
        steps = np.array(self._step, np.int64)[counts]
        order = np.lexsort((steps, labels))
        ends = np.searchsorted(labels[order], np.arange(len(self._labels) + 1))
        return {
            name: steps[order[ends[number] : ends[number + 1]]]
            for (mine, name), number in self._labels.items()
            if mine == kind
        }

    def _counts(self) -> NDArray[np.bool_]:
        """Which events count: not those from a step on at which a later life logged the name again.

        Texts all count: they tell what happened.
        """
        counts = np.ones(len(self._step), np.bool_)
        groups = [
            lives
            for kind in FOLDERS
            for lives in lives_of(p for p in self._paths if p.parent.name == kind).values()
            if len(lives) > 1
        ]
        if not groups:
            return counts
        files, labels = np.array(self._file, np.int64), np.array(self._label, np.int64)
        steps = np.array(self._step, np.int64)
        is_text = np.array([kind in ("text", "table") for kind, _ in self._labels], np.bool_)
        for lives in groups:
            first = np.full(len(self._labels), np.iinfo(np.int64).max)
            for paths in reversed(lives):
                mine = np.flatnonzero(np.isin(files, [self._paths.index(path) for path in paths]))
                counts[mine] = is_text[labels[mine]] | (steps[mine] < first[labels[mine]])
                np.minimum.at(first, labels[mine], steps[mine])
        return counts

    def steps(self, numbers: IntArray) -> IntArray:
        """Their steps."""
        return np.array(self._step, np.int64)[numbers]

    def raw(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Their lines; quickest in the order of numbers, which is that of the files."""
        opened = -1
        source = None
        try:
            for number in map(int, numbers):
                if source is None or self._file[number] != opened:
                    if source is not None:
                        source.close()
                    opened = self._file[number]
                    source = open(self._paths[opened], "rb", _BUFFER)  # noqa: SIM115
                source.seek(self._start[number])
                yield number, source.read(self._size[number])
        finally:
            if source is not None:
                source.close()

    def read(self, numbers: Iterable[int]) -> Iterator[tuple[int, Event]]:
        """Them; those that turn out damaged are left out."""
        for number, line in self.raw(numbers):
            event = parse_event(line, self._folder)
            if event is not None:
                yield number, event


def label_of(event: Event) -> Label:
    """The kind and name of an event."""
    if isinstance(event, Sample):
        return "sample", ""
    if isinstance(event, Text):
        return ("table" if event.is_table else "text"), event.name
    return ("media" if isinstance(event, Media) else "histogram"), event.name


def _regular_files(folder: Path) -> Iterator[tuple[str, Path, int]]:
    """Files with events and their sizes; no links, which may lead anywhere, and no pipes."""
    for kind in FOLDERS:
        try:
            with os.scandir(folder / kind) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError:
            continue  # nothing of the kind was logged
        for name in names:
            path = folder / kind / name
            try:
                status = path.lstat()
            except OSError:
                continue  # gone meanwhile
            if name.endswith(".jsonl") and stat.S_ISREG(status.st_mode):
                yield f"{kind}/{name}", path, status.st_size


MAX_EVENTS = 300_000


class EventList:
    """The same questions as `EventLines` answers, over a list."""

    def __init__(self, run: Run, place: Place) -> None:
        self._run = run
        self._place = place
        self._stamp: Stamp | None = None
        self._events: list[Event] = []
        self._labels: dict[Label, list[int]] = {}
        self.generation = 0

    def update(self) -> None:
        """Read all again if the files have changed."""
        stamp = self._place.event_stamp()
        if stamp == self._stamp:
            return
        self._events = list(islice(self._run.events(), MAX_EVENTS))
        self._labels = {}
        for number, event in enumerate(self._events):
            self._labels.setdefault(label_of(event), []).append(number)
        self._stamp = stamp
        self.generation += 1

    def labels(self) -> list[Label]:
        """What there is."""
        return list(self._labels)

    def numbers(self, *labels: Label) -> IntArray:
        """The events of these kinds and names, in the order of steps."""
        found = [number for label in labels for number in self._labels.get(label, ())]
        mine = np.array(sorted(found), np.int64)
        return mine[np.argsort(self.steps(mine), kind="stable")]

    def steps_by_name(self, kind: str) -> dict[str, IntArray]:
        """The names of one kind, each with its steps."""
        return {n: self.steps(self.numbers((mine, n))) for mine, n in self._labels if mine == kind}

    def steps(self, numbers: IntArray) -> IntArray:
        """Their steps."""
        return np.array([self._events[number].step for number in numbers.tolist()], np.int64)

    def raw(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Them, each as text to search in."""
        for number, event in self.read(numbers):
            yield number, dumps(getattr(event, "fields", None))

    def read(self, numbers: Iterable[int]) -> Iterator[tuple[int, Event]]:
        """Them."""
        for number in map(int, numbers):
            yield number, self._events[number]
