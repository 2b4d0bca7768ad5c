"""The runs that an agent may ask about: those below the given folders, and nothing else."""

import difflib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from runvitals.diagnosis.judge import Settings, settings_for
from runvitals.fleet.cache import RunCache
from runvitals.model import ConfigError, ReadError
from runvitals.readers.settings_file import SettingsFile
from runvitals.server.work.judge_place import judge_place, known_place
from runvitals.server.work.library import Library, Record
from runvitals.server.work.shelf import Shelf
from runvitals.view.run.kept import KeptRun
from runvitals.view.run.open_run import OpenRun
from runvitals.view.schemas.run import RunRow

MAX_SUGGESTED = 5


class AllowedRuns:
    """Finds runs by id, path or name, and judges them when that is asked for.

    A request never names a file: only runs that were found below the folders are known, and a run
    with a link that leads out of them is not read.
    """

    def __init__(
        self, folders: Sequence[Path], cache: RunCache, file: SettingsFile | None = None
    ) -> None:
        self.settings: Settings = Settings(plugins=True) if file is None else settings_for(file)
        self._file = file
        self._cache = cache
        self._library = Library([folder.resolve() for folder in folders])
        self._shelf = Shelf(self.settings.reading)
        self._lock = threading.RLock()

    def rows(self) -> list[RunRow]:
        """All runs as they are now, the last written first, not judged anew."""
        with self._lock:
            self._library.scan()
            rows = list(self._library.rows())
        # by what is known before a run is read, so that the order does not change while paging
        return sorted(rows, key=lambda row: (-(row.updated or 0.0), row.id))

    @property
    def problems(self) -> list[str]:
        """What could not be looked into."""
        return self._library.problems

    def find(self, told: str) -> str:
        """The id of the run that is meant; raises `ConfigError` with the nearest ones if none is."""
        rows = self.rows()
        for same in (
            [row for row in rows if row.id == told],
            [row for row in rows if told in (row.path, str(Path(row.root) / row.path))],
            [row for row in rows if row.name == told],
        ):
            if len(same) == 1:
                return same[0].id
            if same:
                shown = ", ".join(f"{row.id} ({row.path})" for row in same[:MAX_SUGGESTED])
                raise ConfigError(
                    f"{len(same)} runs are called {told!r}", hint=f"use an id: {shown}"
                )
        known = [word for row in rows for word in (row.path, row.name)]
        near = difflib.get_close_matches(told, dict.fromkeys(known), n=MAX_SUGGESTED)
        hint = f"did you mean {', '.join(near)}?" if near else "list_runs gives all of them"
        raise ConfigError(f"no run found for {told!r}", hint=hint)

    def row(self, id: str) -> RunRow:
        """A run's line in the list, judged."""
        with self._lock:
            self._read_run(id)
            known = self._library.known_run(id)
            assert known is not None
            return known.row

    def judged(self, id: str) -> KeptRun:
        """A run with its judgement as of now; raises `ReadError` if it cannot be read."""
        with self._lock:
            record = self._read_run(id)
            found = self._library.known_run(id)
            if found is None or found.said is None:
                problem = self.row(id).problem or "it could not be judged"
                raise ReadError(record.place.path, problem)
            return found

    @contextmanager
    def open(self, id: str) -> Iterator[OpenRun]:
        """A run with its points, as they are now; raises `ReadError`."""
        record, index = self._found(id)
        with self._shelf.reading(record.place, index) as (run, axis_series, events, stamp):
            yield OpenRun(id, run, axis_series, events, record.place, index, stamp)

    def _found(self, id: str) -> tuple[Record, int]:
        found = self._library.find(id)
        if found is None:
            raise ConfigError(f"no run found for {id!r}", hint="list_runs gives all of them")
        return found

    def _read_run(self, id: str) -> Record:
        """Judge a run unless nothing has changed since."""
        record = self._found(id)[0]
        self._library.changed(record, record.place.stamp())
        if record.stale:
            made = known_place(self._cache, record.place, self._file)
            made = made or judge_place(record.place, self._file, self._cache)
            self._library.accept(record.place.id, made)
        return record
