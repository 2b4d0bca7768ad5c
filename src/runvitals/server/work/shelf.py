"""Runs that are open: read once, kept current, and put back when there are too many."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from runvitals.model import ReadError, Run, RunvitalsError
from runvitals.model.run import ENDED
from runvitals.readers.options import ReadOptions
from runvitals.server.work.judge_place import open_place
from runvitals.store.layout import only_listed
from runvitals.view.events.shelf import EventShelf
from runvitals.view.places import Place, Stamp, stay_inside
from runvitals.view.points.axis_series import AxisSeriesCache

Bring = Callable[[Path], None]  # fetches the run of a folder that holds only what a list says


class Bringer:
    """Fetches runs, each once; without a way to fetch there is nothing to do."""

    def __init__(self, bring: Bring | None = None) -> None:
        self._bring = bring
        self._locks: dict[Path, threading.Lock] = {}

    def ensure(self, place: Place) -> None:
        """Have a run here as a whole. Raises `ReadError`."""
        path = place.path
        if self._bring is None or not only_listed(path):
            return
        with self._locks.setdefault(path, threading.Lock()):
            try:
                self._bring(path)
            except RunvitalsError as error:
                raise ReadError(path, error.what, hint=error.hint) from error


MAX_OPEN = 64  # more than are compared at once
# in memory, of all open runs together; a log of another tool alone may have more, at 8 to 40 bytes
MAX_POINTS = 100_000_000
FRESH = 0.4  # seconds for which a look at the files counts as now


@dataclass
class OpenPlace:
    """The runs of one place in memory. Use them only while holding `lock`."""

    place: Place
    options: ReadOptions
    bringer: Bringer
    runs: list[Run] = field(default_factory=list)
    axis_series: list[AxisSeriesCache] = field(default_factory=list)
    events: list[EventShelf] = field(default_factory=list)
    stamp: Stamp = (0, 0, 0)
    lock: threading.RLock = field(default_factory=threading.RLock)
    looked: float = 0.0
    told: list[tuple[int, str]] = field(default_factory=list)  # what pages know of its runs

    @property
    def points(self) -> int:
        """How much it holds."""
        return sum(run.points.held for run in self.runs)

    @property
    def ended(self) -> bool:
        """Whether nothing more is to be expected."""
        return all(run.status in ENDED for run in self.runs)

    def update(self) -> None:
        """Read what was written since. Raises `ReadError`."""
        with self.lock:
            if self.runs and time.monotonic() - self.looked < FRESH:
                return
            self.bringer.ensure(self.place)
            stamp = self.place.stamp()
            if not self.runs:
                self._open()
                self.told = self._state()
            elif stamp != self.stamp or any(run.status == "running" for run in self.runs):
                stay_inside(self.place)
                if len(self.runs) == 1 and self.runs[0].read_new is not None:
                    self.runs[0].refresh()
                elif stamp != self.stamp:
                    self._open()
            self.stamp, self.looked = stamp, time.monotonic()

    def let_go(self) -> None:
        """Forget what was read again to answer a request: a run that grows must not fill the memory."""
        for run, axis_series in zip(self.runs, self.axis_series, strict=True):
            run.points.let_go()
            axis_series.let_go()

    def has_news(self) -> bool:
        """Whether there is more than was reported, whoever has read it; it counts as reported now."""
        with self.lock:
            before, self.told = self.told, self._state()
            return before != self.told

    def _state(self) -> list[tuple[int, str]]:
        return [(run.points.count, run.status) for run in self.runs]

    def _open(self) -> None:
        self.runs = open_place(self.place, self.options)
        self.axis_series = [AxisSeriesCache(run) for run in self.runs]
        self.events = [EventShelf(run, self.place) for run in self.runs]


class Shelf:
    """The places that were asked for last. Safe to use from several threads."""

    def __init__(self, options: ReadOptions | None = None, bringer: Bringer | None = None) -> None:
        self._options = options or ReadOptions()
        self._bringer = bringer or Bringer()
        self._open: OrderedDict[str, OpenPlace] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def reading(
        self, place: Place, index: int
    ) -> Iterator[tuple[Run, AxisSeriesCache, EventShelf, Stamp]]:
        """A run, current and undisturbed while it is used. Raises `ReadError`."""
        with self._lock:
            opened = self._open.get(place.id)
            if opened is None or opened.place != place:
                opened = self._open[place.id] = OpenPlace(place, self._options, self._bringer)
            self._open.move_to_end(place.id)
        # outside the shelf's own lock: a long run that is being opened keeps nobody from the others
        with opened.lock:
            opened.update()
            if index >= len(opened.runs):
                raise ReadError(place.path, "this run is no longer in its file")
            parts = opened.axis_series[index], opened.events[index], opened.stamp
            try:
                yield opened.runs[index], *parts
            finally:
                opened.let_go()
        self._put_back()

    def open_places(self) -> list[OpenPlace]:
        """What is open, the latest first."""
        with self._lock:
            return list(self._open.values())[::-1]

    def _put_back(self) -> None:
        with self._lock:
            while len(self._open) > 1 and (
                len(self._open) > MAX_OPEN
                or sum(opened.points for opened in self._open.values()) > MAX_POINTS
            ):
                self._open.popitem(last=False)
