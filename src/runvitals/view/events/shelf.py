"""Histograms, texts, samples and media of an open run, read when they are asked for."""

import re
from base64 import b64encode
from typing import Any

from runvitals.model import Histogram, IntArray, Media, Run, Text
from runvitals.view.events.lines import EventLines, EventList, Label
from runvitals.view.events.samples import SampleShelf
from runvitals.view.families import members_of
from runvitals.view.json_safe import readable
from runvitals.view.places import Place
from runvitals.view.schemas.run import MediaItem

MAX_MEDIA = 500  # of each name
MAX_ROWS = 1_000  # shown of a table
MAX_EMBEDDED = 16  # of each name in a report


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

    def media(self, most: int = MAX_MEDIA) -> list[Media | Text]:
        """The latest images, sounds, videos and tables of each name, in the order of steps."""
        events = self._current()
        found: list[int] = []
        for label in events.labels():
            if label[0] in ("media", "table"):
                found += events.numbers(label)[-most:].tolist()
        items = [item for _, item in events.read(sorted(found)) if isinstance(item, Media | Text)]
        return sorted(items, key=lambda item: item.step)

    @property
    def has_media(self) -> bool:
        """Whether there are any images, sounds, videos or tables."""
        return any(kind in ("media", "table") for kind, _ in self._current().labels())

    @property
    def has_samples(self) -> bool:
        """Whether there are any samples."""
        return any(kind == "sample" for kind, _ in self._current().labels())


def media_item(item: Media | Text) -> MediaItem:
    """What a page shows of an image, a sound, a video or a table."""
    if isinstance(item, Media):
        kind: Any = item.kind
        return MediaItem(
            name=item.name, step=item.step, kind=kind, caption=item.caption, file=item.file
        )
    lines = item.text.split("\n")
    cells = (re.split(r"(?<!\\)\|", line)[1:-1] for line in [lines[0], *lines[2 : MAX_ROWS + 2]])
    rows = [[readable(cell.strip().replace("\\|", "|"), 2_000) for cell in row] for row in cells]
    return MediaItem(name=item.name, step=item.step, kind="table", rows=rows)


def embedded_media(shelf: EventShelf, room: int) -> list[MediaItem]:
    """The media of each name's last step with their content, up to `room` bytes in all."""
    items = shelf.media(MAX_EMBEDDED)
    last = {item.name: item.step for item in items}
    found = []
    for item in (item for item in items if item.step == last[item.name]):
        shown = media_item(item)
        if isinstance(item, Media):
            try:
                data = item.read()
            except (OSError, ValueError):
                continue  # the page of the run says so
            if len(data) > room:
                continue
            room -= len(data)
            shown.data = f"data:{item.type};base64,{b64encode(data).decode()}"
        found.append(shown)
    return found
