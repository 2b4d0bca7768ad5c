"""A thread that follows the runs that were found: files that grow, points to be shown."""

import threading
import time
from contextlib import suppress

from runvitals.model import ReadError
from runvitals.server.work.hub import Hub
from runvitals.server.work.judges import UNWATCHED, WATCHED, Judges
from runvitals.server.work.library import Library, Record
from runvitals.server.work.memory import give_back
from runvitals.server.work.scanner import Scanner
from runvitals.server.work.shelf import OpenPlace, Shelf
from runvitals.view.schemas.knowledge import LiveEvent

TICK = 0.5  # seconds
NEWS_PAUSE = 1.0  # seconds between two words that the list has changed
CLEARING_PAUSE = 20.0  # seconds between two times that free memory is given back
MAX_FOLLOWED = 16  # open runs that are read on while a page is open
MAX_GROWING = 8  # runs that grow and are opened, so that the list says how far they are
MAX_FETCHED_AHEAD = 200  # ended runs of a bucket that are read before anybody asks: the latest ones
MAX_AHEAD = 256 * 2**20  # bytes of a run that is opened before anybody asks for it


class Watcher:
    """Tells of new points until it is stopped; a `Scanner` beside it finds the runs."""

    def __init__(self, library: Library, shelf: Shelf, judges: Judges, hub: Hub) -> None:
        self._library, self._shelf, self._judges, self._hub = library, shelf, judges, hub
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="runvitals-watch", daemon=True)
        self._scanner = Scanner(library, self._looked)
        self._next_clearing = 0.0
        self._first = True
        self._told = (0, 0.0)  # version of the list, and when
        self._latest: set[str] = set()  # places that are fetched without being asked for

    def start(self) -> None:
        """Begin to look."""
        self._scanner.start()
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        self._scanner.stop()
        self._thread.join(timeout=10)

    def look_now(self) -> None:
        """Look for new runs without waiting for the next time."""
        self._scanner.look_now()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._look_around()
            except Exception as error:  # noqa: BLE001  one odd file must not blind it for the others
                self._library.note(f"following runs failed: {type(error).__name__}: {error}")
            self._stop.wait(TICK)

    def _look_around(self) -> None:
        self._sweep(everything=False)
        if self._hub.listeners:
            self._open_growing()
            for opened in self._shelf.open_places()[:MAX_FOLLOWED]:
                self._follow(opened)
            now = time.monotonic()
            if now >= self._next_clearing:  # a run that grows is put together again and again
                self._next_clearing = now + CLEARING_PAUSE
                give_back()
        self._tell_of_list()

    def _looked(self) -> None:
        """Take up what a look for runs has found; on the scanner's thread."""
        self._tell_of_list()
        if self._first:
            self._first = False
            threading.Thread(target=self._read_ahead, daemon=True).start()
        self._sweep(everything=True)
        self._hub.publish(LiveEvent(type="looked"))

    def _read_ahead(self) -> None:
        """Open the newest run, which a page is likely to show first."""
        newest = next(iter(self._library.records()), None)
        if newest is None or newest.listed or newest.stamp[1] > MAX_AHEAD:
            return
        with suppress(ReadError), self._shelf.reading(newest.place, 0):
            pass

    def _open_growing(self) -> None:
        """Open runs that are being written, to tell of their points at once."""
        known = {opened.place.id for opened in self._shelf.open_places()}
        growing = [
            record
            for record in self._library.records()
            if record.judged_stamp is not None and record.stale and record.stamp[1] <= MAX_AHEAD
        ]
        for record in growing[:MAX_GROWING]:
            if record.place.id not in known:
                with suppress(ReadError), self._shelf.reading(record.place, 0):
                    pass

    def _sweep(self, *, everything: bool) -> None:
        """Have judged what has changed; an older run that is only listed waits to be looked at."""
        records = self._library.records()
        if everything:
            newest = sorted(records, key=_when, reverse=True)[:MAX_FETCHED_AHEAD]
            self._latest = {record.place.id for record in newest}
        for record in records:
            if self._stop.is_set():
                return
            if everything or record.active:
                self._look_at(record)
            wanted = not record.listed or record.is_watched or record.place.id in self._latest
            if wanted and record.overdue:
                priority = WATCHED if record.is_watched else UNWATCHED
                self._judges.ask(record.place, priority, changed=record.stamp[2])

    def _look_at(self, record: Record) -> None:
        stamp = record.place.stamp()
        alive = not (record.running and record.place.is_ours) or record.place.writer_lives()
        if stamp != record.stamp or alive != record.alive:
            self._library.changed(record, stamp, alive=alive)

    def _follow(self, opened: OpenPlace) -> None:
        """Tell of new points in a run that somebody has looked at."""
        if not opened.runs or not opened.ended:
            try:
                opened.update()
            except ReadError:
                return  # its row will say so when it is judged again
        with opened.lock:
            if not opened.has_news():
                return
            for index, run in enumerate(opened.runs):
                self._hub.publish(
                    LiveEvent(
                        type="points",
                        run=opened.place.run_id(index),
                        last_step=run.last_step,
                        points=run.points.count,
                        status=run.status,
                    )
                )
            opened.let_go()

    def _tell_of_list(self) -> None:
        version, now = self._library.version, time.monotonic()
        if version != self._told[0] and now - self._told[1] >= NEWS_PAUSE:
            self._told = (version, now)
            self._hub.publish(LiveEvent(type="runs", version=version))


def _when(record: Record) -> float:
    """When the runs of a place ended, or were last written to."""
    return max((one.row.ended or one.row.updated or 0.0 for one in record.runs), default=0.0)
