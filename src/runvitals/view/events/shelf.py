"""Histograms, texts and samples of an open run, read when they are asked for."""

from __future__ import annotations

from runvitals.model import Histogram, IntArray, Run, Text
from runvitals.view.events.lines import EventLines, Label
from runvitals.view.events.listed import EventList
from runvitals.view.events.samples import SampleShelf
from runvitals.view.families import members_of
from runvitals.view.places import Place


class EventShelf:
    """What a run logged that is not a number, in the order of steps."""

    def __init__(self, run: Run, place: Place) -> None:
        self._events = EventLines(place.path) if place.is_ours else EventList(run, place)
        self._samples = SampleShelf(self._events)

    def _current(self) -> EventLines | EventList:
        self._events.update()
        return self._events

    def samples(self) -> SampleShelf:
        """Logged prompts, completions, rewards."""
        self._events.update()
        return self._samples

    def texts(self, most: int) -> list[Text]:
        """The latest texts."""
        events = self._current()
        numbers = events.numbers(*(label for label in events.labels() if label[0] == "text"))
        return [event for _, event in events.read(numbers[-most:]) if isinstance(event, Text)]

    def histograms(self, name: str) -> list[Histogram]:
        """The histograms of one name, or of all names of a family (`families.py`)."""
        events = self._current()
        names = [mine for kind, mine in events.labels() if kind == "histogram"]
        labels: list[Label] = [("histogram", one) for one in members_of(name, names)]
        numbers = events.numbers(*labels)
        return [event for _, event in events.read(numbers) if isinstance(event, Histogram)]

    def histogram_steps(self) -> dict[str, IntArray]:
        """The names of histograms, each with the steps it was logged at."""
        return self._current().steps_by_name("histogram")

    @property
    def has_samples(self) -> bool:
        """Whether there are any samples."""
        return any(kind == "sample" for kind, _ in self._current().labels())
