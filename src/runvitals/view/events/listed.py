"""The events of another tool's log, which are read as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from runvitals.model import Event, IntArray, Run
from runvitals.store.files import dumps
from runvitals.view.events.lines import Label, label_of
from runvitals.view.places import Place, Stamp

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
