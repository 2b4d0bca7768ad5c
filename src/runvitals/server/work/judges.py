"""Examines places one after the other in a few processes, the most wanted first."""

import heapq
import os
import pickle
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from runvitals.fleet.cache import RunCache
from runvitals.model import ReadError
from runvitals.readers.ahead import python
from runvitals.readers.settings_file import SettingsFile
from runvitals.server.work.judge_place import JudgedPlace, answer_places, judge_place, known_place
from runvitals.server.work.shelf import Bringer
from runvitals.view.places import Place
from runvitals.view.run.kept import KeptRun
from runvitals.view.run.row import failed_row

WATCHED, UNWATCHED = 0, 1  # somebody looks at it; nobody does
MAX_HEAD_STARTS = 5
NEVER = (0, 0, 0)  # the stamp of no place

Done = Callable[[Place, JudgedPlace], None]


class Judges:
    """A queue of places and the threads that have it worked off.

    With `workers` 0 a thread of this process does the work itself. In the first seconds, the
    `head_start`, nothing is judged: what a page shows first has no need of it. While such a page
    is being made it may last up to `MAX_HEAD_STARTS` times as long.
    """

    def __init__(
        self,
        done: Done,
        cache: RunCache,
        workers: int | None = None,
        head_start: float = 0.0,
        settings: SettingsFile | None = None,
        bringer: Bringer | None = None,
    ) -> None:
        self._done = done
        self._bringer = bringer or Bringer()
        self._settings = settings
        self._cache = cache
        self._workers = default_workers() if workers is None else workers
        self._head_start = head_start
        self._begin = time.monotonic() + head_start
        self._latest_begin = time.monotonic() + MAX_HEAD_STARTS * head_start
        self._pages = 0  # that somebody waits for
        self._processes: dict[int, subprocess.Popen[bytes]] = {}  # by thread
        self._heap: list[tuple[int, float, int, Place]] = []
        self._waiting: dict[str, int] = {}  # place: its best priority
        self._busy: set[str] = set()
        self._order = count()
        self._condition = threading.Condition()
        self._stopped = False
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to work."""
        for number in range(max(1, self._workers)):
            thread = threading.Thread(
                target=self._work, name=f"runvitals-judge-{number}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Give up what has not begun."""
        with self._condition:
            self._stopped = True
            self._condition.notify_all()
        for process in list(self._processes.values()):
            process.kill()  # its thread is told
        for thread in self._threads:
            thread.join(timeout=5)
        while self._processes:
            _end(self._processes.popitem()[1])

    def ask(self, place: Place, priority: int = UNWATCHED, changed: float = 0.0) -> None:
        """Have a place judged, unless it is under way; the latest `changed` goes first."""
        with self._condition:
            if place.id in self._busy or self._waiting.get(place.id, UNWATCHED + 1) <= priority:
                return
            self._waiting[place.id] = priority
            heapq.heappush(self._heap, (priority, -changed, next(self._order), place))
            self._condition.notify()

    @property
    def busy(self) -> bool:
        """Whether anything waits or is under way."""
        with self._condition:
            return bool(self._waiting or self._busy)

    def _next(self) -> Place | None:
        with self._condition:
            while not self._stopped:
                while self._heap:
                    place = heapq.heappop(self._heap)[-1]
                    # A place that was asked for again with a better priority stands in the heap
                    # twice; whichever entry comes second is void.
                    if self._waiting.pop(place.id, None) is not None:
                        self._busy.add(place.id)
                        return place
                self._condition.wait()
        return None

    def _work(self) -> None:
        while (place := self._next()) is not None:
            try:
                self._look_at(place)
            finally:
                with self._condition:
                    self._busy.discard(place.id)

    def _look_at(self, place: Place) -> None:
        began = time.monotonic()
        try:
            self._bringer.ensure(place)
        except ReadError as error:
            self._done(place, _not_brought(place, error, time.monotonic() - began))
            return
        made = known_place(self._cache, place, self._settings)
        if made is None and self._may_begin():
            made = self._made(place)
        if made is not None and not self._stopped:
            self._done(place, made)

    @contextmanager
    def giving_way(self) -> Iterator[None]:
        """Somebody waits for a page: begin after that, if the server has only just begun."""
        with self._condition:
            self._pages += 1
        try:
            yield
        finally:
            with self._condition:
                self._pages -= 1
                self._begin = max(self._begin, time.monotonic() + self._head_start / 2)

    def _may_begin(self) -> bool:
        """Wait for the head start to be over; False when the server stops."""
        with self._condition:
            while not self._stopped and (left := self._left()) > 0:
                self._condition.wait(left)
            return not self._stopped

    def _left(self) -> float:
        """Seconds of the head start that are left at least."""
        now = time.monotonic()
        begin = max(self._begin, now + self._head_start / 2) if self._pages else self._begin
        return min(begin, self._latest_begin) - now

    def _made(self, place: Place) -> JudgedPlace:
        asked = place, self._settings, self._cache
        try:
            made = self._elsewhere(asked) if self._workers else judge_place(*asked)
        except Exception as error:  # noqa: BLE001  one odd log must not end the thread for all others
            made = f"{type(error).__name__}: {error}"
        return _failed(place, made) if isinstance(made, str) else made

    def _elsewhere(self, asked: object) -> JudgedPlace | str:
        """What the process of this thread makes of a place, or why it made nothing."""
        mine = threading.get_ident()
        if mine not in self._processes:
            code = f"from {answer_places.__module__} import answer_places; answer_places()"
            pipe = subprocess.PIPE
            self._processes[mine] = python(["-c", code], stdin=pipe, stdout=pipe)
        asking, answers = self._processes[mine].stdin, self._processes[mine].stdout
        assert asking is not None
        assert answers is not None
        try:
            asking.write(pickle.dumps(asked))
            asking.flush()
            made: JudgedPlace | str = pickle.load(answers)
        except (OSError, EOFError, pickle.UnpicklingError):
            _end(self._processes.pop(mine))
            return "reading it took more memory than there is, or crashed"
        return made


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process at once, whatever it is at."""
    process.kill()
    process.communicate()


def default_workers() -> int:
    """One process less than there are cores, at most four: somebody trains here too."""
    return max(1, min(4, (os.cpu_count() or 1) - 1))


def _not_brought(place: Place, error: ReadError, seconds: float) -> JudgedPlace:
    """What the list says and why there is no more; as it counts as not judged, it is tried again."""
    row = failed_row(place, error, place.stamp())
    return JudgedPlace(NEVER, [KeptRun(row)], seconds)


def _failed(place: Place, problem: str) -> JudgedPlace:
    stamp = place.stamp()
    row = failed_row(place, ReadError(place.path, problem), stamp)
    return JudgedPlace(stamp, [KeptRun(row)])
