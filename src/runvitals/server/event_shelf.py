"""Histograms, texts and samples of an open run, read again when there are more."""

from __future__ import annotations

from itertools import islice

from runvitals.model import Event, Histogram, Run, Sample, Text
from runvitals.server.places import Place, Stamp

MOST_EVENTS = 300_000


class EventShelf:
    """What a run logged that is not a number, in the order of steps."""

    def __init__(self, run: Run, place: Place) -> None:
        self._run = run
        self._place = place
        self._stamp: Stamp | None = None
        self._events: list[Event] = []

    def _all(self) -> list[Event]:
        stamp = self._place.event_stamp()
        if stamp != self._stamp:
            events = list(islice(self._run.events(), MOST_EVENTS))
            self._events = sorted(events, key=lambda event: event.step)
            self._stamp = stamp
        return self._events

    def samples(self) -> list[Sample]:
        """Logged prompts, completions, rewards."""
        return [event for event in self._all() if isinstance(event, Sample)]

    def texts(self) -> list[Text]:
        """Logged texts."""
        return [event for event in self._all() if isinstance(event, Text)]

    def histograms(self, name: str) -> list[Histogram]:
        """The histograms of one name."""
        return [e for e in self._all() if isinstance(e, Histogram) and e.name == name]

    def histogram_steps(self) -> dict[str, list[int]]:
        """The names of histograms, each with the steps it was logged at."""
        found: dict[str, list[int]] = {}
        for event in self._all():
            if isinstance(event, Histogram):
                found.setdefault(event.name, []).append(event.step)
        return found

    @property
    def has_samples(self) -> bool:
        """Whether there are any samples."""
        return any(isinstance(event, Sample) for event in self._all())
