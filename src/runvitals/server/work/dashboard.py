"""The parts of the server, put together."""

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
from runvitals.server.work.judge_place import JudgedPlace, settings_from
from runvitals.server.work.judges import WATCHED, Judges
from runvitals.server.work.library import Library, Record
from runvitals.server.work.memory import keep_small
from runvitals.server.work.shelf import Bring, Bringer, Shelf
from runvitals.server.work.sidecar import Sidecar
from runvitals.server.work.watcher import Watcher
from runvitals.view.compare.siblings import held_against
from runvitals.view.gauges import GaugeValue, readings_of
from runvitals.view.places import Place
from runvitals.view.run.kept import KeptRun, judgement_of
from runvitals.view.run.open_run import OpenRun
from runvitals.view.schemas.judgement import Judgement
from runvitals.view.schemas.knowledge import LiveEvent
from runvitals.view.schemas.run import RunRow

MIN_WAIT = 4.0  # seconds between two judgements of a run that goes on
BREATHE = 15  # times as long as a judgement took pass before the next
MIN_WAIT_IF_WATCHED = 0.5
BREATHE_IF_WATCHED = 3
MAX_GAUGED = 200  # the runs written last; a monitoring system keeps all it was told


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
        found = self.library.find_soon(id)
        return found is not None and may_read(found[0].place.project)

    def known_run(self, id: str) -> KeptRun:
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
        if known.said is None:
            return known.judgement
        figures = lambda other: self.known_run(other).figures  # noqa: E731
        return judgement_of(held_against(known.judged, known.row, rows, figures, choice))

    @contextmanager
    def open_run(self, id: str) -> Iterator[OpenRun]:
        """A run by its id. Only ids of runs that were found are known: no other file is ever read."""
        found = self.library.find_soon(id)
        if found is None or not may_read(found[0].place.project):
            raise HTTPException(404, "no such run")
        record, index = found
        record.watched = time.monotonic()
        if record.overdue:
            self.judges.ask(record.place, WATCHED)
        try:
            with self.judges.giving_way(), self.shelf.reading(record.place, index) as parts:
                run, axis_series, events, stamp = parts
                yield OpenRun(id, run, axis_series, events, record.place, index, stamp)
        except ReadError as error:
            raise HTTPException(404, error.problem) from error

    def gauges(self) -> list[GaugeValue]:
        """Where the runs that go on, or have just ended, stand now, for monitoring systems."""
        records = self.library.records()
        active = [record for record in records if record.active]
        found = [
            GaugeValue("runvitals_runs", float(sum(len(record.runs) for record in records)), {}),
            GaugeValue("runvitals_runs_left_out", float(max(0, len(active) - MAX_GAUGED)), {}),
        ]
        for record in active[:MAX_GAUGED]:
            for index, one in enumerate(record.runs):
                found += self._gauges_of(record, index, one)
        return found

    def _gauges_of(self, record: Record, index: int, one: KeptRun) -> list[GaugeValue]:
        try:
            with self.shelf.reading(record.place, index) as (run, _, _, stamp):
                now = {"last_step": run.last_step, "status": run.status, "updated": stamp[2] / 1e9}
                row = one.row.model_copy(update=now)
                return list(readings_of(row, one.judgement, run))
        except ReadError:
            return list(readings_of(one.row, one.judgement, None))
