"""The parts of the server, put together."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from starlette.exceptions import HTTPException

from runvitals.fleet.cache import RunCache
from runvitals.model import ReadError
from runvitals.readers.options import options_from
from runvitals.readers.settings_file import SettingsFile
from runvitals.server.scopes import may_read
from runvitals.server.work.hub import Hub
from runvitals.server.work.judge_place import JudgedPlace, ReadRun, settings_from
from runvitals.server.work.judges import WATCHED, Judges
from runvitals.server.work.library import Library
from runvitals.server.work.memory import keep_small
from runvitals.server.work.shelf import Bring, Bringer, Shelf
from runvitals.server.work.sidecar import Sidecar
from runvitals.server.work.watcher import Watcher
from runvitals.view.compare.siblings import held_against
from runvitals.view.places import Place
from runvitals.view.run.figures import KeptFigures
from runvitals.view.run.open_run import OpenRun
from runvitals.view.schemas.judgement import Judgement
from runvitals.view.schemas.knowledge import LiveEvent
from runvitals.view.schemas.run import RunRow

MIN_WAIT = 4.0  # seconds between two judgements of a run that goes on
BREATHE = 15  # times as long as a judgement took pass before the next
MIN_WAIT_IF_WATCHED = 0.5
BREATHE_IF_WATCHED = 3


class Dashboard:
    """Everything behind the API. `workers` and `head_start` as in `Judges`.

    `settings`: the user's file, if there is one; it is read once. `bring`: fetches a run of which only
    the list is here.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        cache: RunCache,
        workers: int | None = None,
        *,
        head_start: float = 0.0,
        settings: SettingsFile | None = None,
        bring: Bring | None = None,
    ) -> None:
        bringer = Bringer(bring)
        self.started = time.time()
        self.library = Library(tuple(roots))
        self.shelf = Shelf(options_from(settings), bringer)
        self.hub = Hub()
        self.sidecar = Sidecar(tuple(roots))
        self.judges = Judges(self._judged, cache, workers, head_start, settings, bringer)
        self.cache = cache
        self._settings = settings
        self._watcher = Watcher(self.library, self.shelf, self.judges, self.hub)
        self._begun = False

    def start(self) -> None:
        """Begin to look for runs and to judge them, unless that has begun."""
        if self._begun:
            return
        self._begun = True
        keep_small()
        self.judges.start()
        self._watcher.start()

    def stop(self) -> None:
        """End all threads and processes."""
        self.hub.publish(None)
        self._watcher.stop()
        self.judges.stop()
        self.cache.prune()

    def look_now(self) -> None:
        """Look for new runs without waiting for the next time."""
        self._watcher.look_now()

    def _judged(self, place: Place, made: JudgedPlace) -> None:
        wait = max(MIN_WAIT, BREATHE * made.seconds)
        soon = max(MIN_WAIT_IF_WATCHED, BREATHE_IF_WATCHED * made.seconds)
        for id in self.library.accept(place.id, made, wait, min(soon, wait)):
            self.hub.publish(LiveEvent(type="findings", run=id, version=self.library.version))

    def noted(self, row: RunRow) -> RunRow:
        """A line of the list with what people noted about its run."""
        found = self.library.find(row.id)
        return row if found is None else self.sidecar.noted(row, found[0].place, found[1])

    def annotated(self, id: str) -> None:
        """Tell all pages that somebody noted something about a run."""
        self.library.touch(id)
        self.hub.publish(LiveEvent(type="findings", run=id, version=self.library.version))

    def may_read(self, id: str) -> bool:
        """Whether the reader whose request is answered may know of a run."""
        found = self.library.find(id)
        return found is not None and may_read(found[0].place.project)

    def known_run(self, id: str) -> ReadRun:
        """What is known of a run without a look at its files."""
        known = self.library.known_run(id) if self.may_read(id) else None
        if known is None:
            raise HTTPException(404, "no such run")
        return known

    def judgement(self, id: str) -> Judgement:
        """What is said about a run, also beside its siblings."""
        known = self.known_run(id)
        rows = (row for row in self.library.rows() if self.may_read(row.id))
        choice = settings_from(self._settings).choice
        return held_against(known.judgement, known.row, rows, self._figures, choice)

    def _figures(self, id: str) -> KeptFigures:
        return self.known_run(id).kept_figures

    @contextmanager
    def open_run(self, id: str) -> Iterator[OpenRun]:
        """A run by its id. Only ids of runs that were found are known: no other file is ever read."""
        found = self.library.find(id)
        if found is None or not may_read(found[0].place.project):
            raise HTTPException(404, "no such run")
        record, index = found
        record.watched = time.monotonic()
        if record.overdue:
            self.judges.ask(record.place, WATCHED)
        self.judges.give_way()
        try:
            with self.shelf.reading(record.place, index) as (run, axis_series, events, stamp):
                yield OpenRun(id, run, axis_series, events, record.place, index, stamp)
        except ReadError as error:
            raise HTTPException(404, error.problem) from error
