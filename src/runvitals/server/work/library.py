"""All runs below the given folders: found in the background, each with its newest judgement."""

import math
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runvitals.model import PointTable, ReadError, Run
from runvitals.readers.discovery.discover import discover
from runvitals.readers.log import one_run
from runvitals.server.work.judge_place import JudgedPlace
from runvitals.store.files import read_json
from runvitals.store.layout import LISTED_FILE, only_listed
from runvitals.view.places import Place, Stamp, leads_out, place_of
from runvitals.view.run.kept import KeptRun
from runvitals.view.run.row import failed_row, provisional_row
from runvitals.view.schemas.run import RunRow

WATCHED = 10.0  # seconds after a request in which somebody still looks
RECENT = 600.0  # seconds after its last change in which a run may well go on
MAX_PROBLEMS = 50
MAX_GROUP_KEYS = 40
KEYS_HOLD = 5.0  # seconds
FIRST_SCAN, LOOK_AGAIN = 20.0, 0.1  # seconds that a link waits for its run


@dataclass
class Record:
    """A place and what is known of its runs. It may be judged again when it is `due`.

    While somebody looks at it, that is when it is `due_if_watched`.
    """

    place: Place
    stamp: Stamp
    runs: list[KeptRun]
    judged_stamp: Stamp | None = None
    due: float = 0.0
    due_if_watched: float = 0.0
    watched: float = -math.inf  # when somebody last did
    alive: bool = True  # of a run that says it is running: whether its writer is
    listed: bool = False  # whether only what a list says about it is here

    @property
    def stale(self) -> bool:
        """Whether it has changed since it was judged."""
        return self.judged_stamp != self.stamp or (self.running and not self.alive)

    @property
    def overdue(self) -> bool:
        """Whether it is to be judged now: a run that goes on is left in peace for some seconds."""
        due = self.due_if_watched if self.is_watched else self.due
        return self.stale and time.monotonic() >= due

    @property
    def is_watched(self) -> bool:
        """Whether somebody has just looked at it."""
        return time.monotonic() - self.watched < WATCHED

    @property
    def running(self) -> bool:
        """Whether one of its runs says that it is."""
        return any(one.row.status == "running" for one in self.runs)

    @property
    def active(self) -> bool:
        """Whether it may change soon."""
        return self.running or time.time() - self.stamp[2] / 1e9 < RECENT


@dataclass
class Library:
    """Every run that a request may name. Safe to use from several threads."""

    roots: Sequence[Path]
    scanning: bool = True
    problems: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # roots that are not there
    version: int = 1
    _records: dict[str, Record] = field(default_factory=dict)
    _runs: dict[str, tuple[str, int]] = field(default_factory=dict)
    _changed: dict[str, int] = field(default_factory=dict)  # run: version of the list
    _gone: dict[str, int] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _group_keys: tuple[float, list[str]] = (0.0, [])
    _seen: set[Path] = field(default_factory=set)  # roots that were there once
    _scanned: threading.Event = field(default_factory=threading.Event)

    # finding runs

    def scan(self) -> None:
        """Look for runs that came or went."""
        found: dict[str, Place] = {}
        problems: list[str] = []
        missing: list[str] = []
        for root in self.roots:
            unreadable: list[ReadError] = []
            if not root.exists():
                missing.append(
                    f"{root} {'is gone' if root in self._seen else 'does not exist yet'}"
                )
                continue
            self._seen.add(root)
            try:
                for one in discover(root, unreadable):
                    place = place_of(one, root)
                    found.setdefault(place.id, place)
                    if place.id not in self._records:
                        self._add(place)
            except OSError as error:
                unreadable.append(ReadError(root, error.strerror or str(error)))
            problems += map(str, unreadable)
        with self._lock:
            for id, place in found.items():
                known = self._records[id]
                if known.place != place:  # it has other files now
                    # the same run, so its row stays until it is judged anew
                    known.place, known.judged_stamp = place, None
            gone = self._records.keys() - found.keys()
            for id in gone:
                self._forget(self._records.pop(id))
            told = problems[:MAX_PROBLEMS], missing
            if gone or told != (self.problems, self.missing) or self.scanning:
                self.version += 1
            (self.problems, self.missing), self.scanning = told, False
        self._scanned.set()

    def await_scan(self, seconds: float) -> None:
        """Wait until all has been looked through once, but no longer than this."""
        self._scanned.wait(seconds)

    def note(self, problem: str) -> None:
        """Say what went wrong while looking, once."""
        with self._lock:
            if problem not in self.problems:
                self.problems = [*self.problems, problem][-MAX_PROBLEMS:]
                self.version += 1
            self.scanning = False
        self._scanned.set()

    def _add(self, place: Place) -> None:
        stamp = place.stamp()
        listed = place.is_ours and only_listed(place.path)
        try:
            with one_run(place.path):
                row = provisional_row(place, _identity(place), stamp)
        except ReadError as error:
            row = failed_row(place, error, stamp)
        if listed:
            row = row.model_copy(update=_said_by_list(place))
        with self._lock:
            self._records[place.id] = Record(place, stamp, [KeptRun(row)], listed=listed)
            self._runs[place.id] = (place.id, 0)
            self._note_change(place.id)
            self.version += 1

    def _forget(self, record: Record) -> None:
        for one in record.runs:
            self._runs.pop(one.row.id, None)
            self._changed.pop(one.row.id, None)
            # the version that this change will make: the caller counts it up once all is in place
            self._gone[one.row.id] = self.version + 1

    def _note_change(self, run_id: str) -> None:
        self._gone.pop(run_id, None)
        self._changed[run_id] = self.version + 1

    # what is known of them

    def records(self) -> list[Record]:
        """All places, the newest first."""
        with self._lock:
            records = list(self._records.values())
        return sorted(records, key=lambda record: -record.stamp[2])

    def record(self, place_id: str) -> Record | None:
        """A place by its id."""
        return self._records.get(place_id)

    def find(self, run_id: str) -> tuple[Record, int] | None:
        """The place of a run, and which of the runs there it is."""
        with self._lock:
            where = self._runs.get(run_id)
            return None if where is None else (self._records[where[0]], where[1])

    def find_soon(self, run_id: str) -> tuple[Record, int] | None:
        """The same; a link may be opened before all has been looked through once."""
        until = time.monotonic() + FIRST_SCAN
        while (found := self.find(run_id)) is None and self.scanning and time.monotonic() < until:
            self.await_scan(LOOK_AGAIN)
        return found

    def known_run(self, run_id: str) -> KeptRun | None:
        """What is known of a run."""
        with self._lock:
            found = self.find(run_id)
            return None if found is None else found[0].runs[found[1]]

    def changed(self, record: Record, stamp: Stamp, *, alive: bool = True) -> None:
        """Note that the files of a place have changed."""
        with self._lock:
            record.stamp, record.alive = stamp, alive
            record.listed = record.listed and only_listed(record.place.path)

    def accept(
        self, place_id: str, made: JudgedPlace, wait: float = 0.0, wait_if_watched: float = 0.0
    ) -> list[str]:
        """Take over a judgement; gives the ids of its runs. The next is due after some seconds."""
        with self._lock:
            record = self._records.get(place_id)
            if record is None:
                return []
            self._forget(record)
            record.runs = made.runs or record.runs
            record.judged_stamp, record.alive = made.stamp, True
            record.listed = record.listed and only_listed(record.place.path)
            record.due = time.monotonic() + wait
            record.due_if_watched = time.monotonic() + wait_if_watched
            for index, one in enumerate(record.runs):
                self._runs[one.row.id] = (place_id, index)
                self._note_change(one.row.id)
            self.version += 1
            return [one.row.id for one in record.runs]

    def touch(self, run_id: str) -> None:
        """Have pages ask for the row of a run again."""
        with self._lock:
            self._note_change(run_id)
            self.version += 1

    def rows(self) -> Iterator[RunRow]:
        """All rows, the newest run first."""
        rows = [one.row for record in self.records() for one in record.runs]
        return iter(sorted(rows, key=lambda row: -(row.started or row.updated or 0.0)))

    def news(self, since: int) -> tuple[list[RunRow], list[str]]:
        """Rows that are new since a version of the list, and ids of runs that are gone."""
        with self._lock:
            changed = [id for id, version in self._changed.items() if version > since]
            rows = [one.row for id in changed if (one := self.known_run(id)) is not None]
            return rows, [id for id, version in self._gone.items() if version > since]

    def group_keys(self) -> list[str]:
        """Settings to group by; they are looked for anew every few seconds at most."""
        when, keys = self._group_keys
        if not keys or time.monotonic() - when > KEYS_HOLD:
            keys = group_keys(list(self.rows()))
            self._group_keys = (time.monotonic(), keys)
        return keys

    @property
    def unjudged(self) -> int:
        """How many places wait to be judged; those that nobody has asked for do not."""
        with self._lock:
            records = self._records.values()
            return sum(one.judged_stamp is None and not one.listed for one in records)


def _identity(place: Place) -> Run | None:
    if not place.is_ours or leads_out(place) is not None:
        return None
    from runvitals.store.reader import read_identity  # with pyarrow, which other logs do without

    run = Run(id=place.path.name, points=PointTable(), path=place.path, format="runvitals")
    read_identity(place.path, run)
    return run


def _said_by_list(place: Place) -> dict[str, int]:
    """How far a run is that was not brought here yet."""
    try:
        said = read_json(place.path / LISTED_FILE)
    except ReadError:
        return {}  # it has just been brought
    known = {name: said.get(name) for name in ("points", "series", "last_step")}
    return {name: value for name, value in known.items() if isinstance(value, int)}


def group_keys(rows: Sequence[RunRow]) -> list[str]:
    """Settings that some but not all runs share: others would make one group, or only groups of one."""
    values: dict[str, Counter[str]] = {}
    for row in rows:
        for key, value in row.config.items():
            values.setdefault(key, Counter())[str(value)] += 1
    telling = {
        key: counts
        for key, counts in values.items()
        if (len(counts) > 1 or counts.total() < len(rows)) and max(counts.values()) > 1
    }
    return sorted(telling, key=lambda key: -telling[key].total())[:MAX_GROUP_KEYS]
