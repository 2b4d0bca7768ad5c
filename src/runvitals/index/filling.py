"""Fills an index from a folder of runs: points, identities, settings, small files and verdicts."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from runvitals.diagnosis.judge import Settings
from runvitals.fleet.fingerprint import fingerprint, settings_stamp
from runvitals.fleet.judging import Job, judge_fleet
from runvitals.index.rows import RunPoints
from runvitals.index.schema import DOCUMENTS, FINDING, METRICS, RUNS, VERDICTS, IndexTable
from runvitals.model import Diagnosis, Finding, ReadError, Run, RunvitalsError
from runvitals.readers.discovery.discover import discover
from runvitals.readers.discovery.files import Found
from runvitals.readers.follow import opened
from runvitals.readers.log import one_run
from runvitals.readers.open import existing, nothing_found
from runvitals.recorder.identity import slug
from runvitals.remote.owner import run_key
from runvitals.render.judged import fields, settings_of
from runvitals.store.files import dumps
from runvitals.store.layout import FINDINGS_FILE, PROGRESS_FILE, RUN_FILE, RUN_FORMAT

MAX_DOCUMENT_BYTES = 64 * 2**20  # larger files of events and samples stay where they are
MAX_WAITING = 2_000  # rows of small tables that are written at once
_DOCUMENTS = (RUN_FILE, PROGRESS_FILE, FINDINGS_FILE)
_DOCUMENT_FOLDERS = {"events": ".jsonl", "samples": ".jsonl", "points": ".troubles.json"}


class Tables(Protocol):
    """Tables that runs are loaded into: of ClickHouse, or of DuckDB."""

    def loaded_runs(self) -> Iterable[tuple[str, str, str, str, str]]:
        """Source, key, id, fingerprint and status of each run that is there."""

    def loaded_verdicts(self) -> Iterable[tuple[str, str, str]]:
        """Key, judge and fingerprint of each verdict that is there."""

    def load(self, points: RunPoints, problems: list[str]) -> int:
        """Load what is new of the points of a run; the number of points that were sent."""

    def insert(self, table: IndexTable, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows, each with all columns, in place of older rows with the same key."""


@dataclass
class FillResult:
    """What became of a source."""

    runs: int = 0
    changed: int = 0  # of these
    points: int = 0  # that were sent
    verdicts: int = 0  # that were written
    problems: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)  # of all runs that were found


@dataclass(frozen=True)
class _Known:
    """What the index says about a source."""

    run: str
    id: str
    fingerprint: str
    status: str

    def still(self, *marks: str) -> bool:
        """Whether nothing has changed; a run that went on may have died without a trace."""
        return self.fingerprint in marks and self.status != "running"


@dataclass
class Filler:
    """Takes the runs of a folder into an index."""

    database: Tables
    settings: Settings
    points: bool = True
    verdicts: bool = True
    workers: int | None = None
    done: FillResult = field(default_factory=FillResult)
    _waiting: dict[str, tuple[IndexTable, list[dict[str, Any]]]] = field(default_factory=dict)

    def fill(self, top: Path, say: Callable[[str], None] | None = None) -> FillResult:
        """Take in what is new or has changed."""
        problems: list[ReadError] = []
        places = list(discover(existing(top), problems))
        self.done.problems += map(str, problems)
        if not places and not problems:
            raise nothing_found(top)
        known = {source: _Known(*said) for source, *said in self.database.loaded_runs()}
        owners = {one.run: source for source, one in known.items()}
        keys: dict[str, tuple[str, str]] = {}  # of a run's path and id: its key and fingerprint
        for place in places:
            try:
                with one_run(place.path):
                    for path, key, files in self._place(place, known, owners, say):
                        keys[path] = (key, files)
            except RunvitalsError as error:
                self.done.problems.append(str(error))
        self.done.keys = {key for key, _ in keys.values()}
        if self.verdicts:
            self._judge(top, keys)
        for table in list(self._waiting):
            self._write(table)
        return self.done

    def _place(
        self,
        place: Found,
        known: dict[str, _Known],
        owners: dict[str, str],
        say: Callable[[str], None] | None,
    ) -> Iterator[tuple[str, str, str]]:
        files = fingerprint(place)
        mark = files if self.points else f"{files} without points"
        source = str(place.path.resolve())
        before = known.get(source)
        if not place.files and before is not None and before.still(mark, files):
            self.done.runs += 1
            yield _place_of(str(place.path), before.id), before.run, files
            return
        for number, run in enumerate(opened(place, self.settings.reading)):
            mine = source if number == 0 else f"{source}#{number}"
            key = run_key(place.path) if not place.files else _foreign_key(run, mine, owners)
            if owners.setdefault(key, mine) != mine:
                self.done.problems.append(
                    f"{mine} was left out: {owners[key]} is in the index under the same name, {key}"
                )
                continue
            self.done.runs += 1
            yield _place_of(str(run.path), run.id), key, files
            if mine in known and known[mine].still(mark, files):
                continue
            self.done.changed += 1
            if say is not None:
                say(key)
            self._take_in(run, key, place, mine, files, mark)

    def _take_in(
        self, run: Run, key: str, place: Found, source: str, files: str, mark: str
    ) -> None:
        if self.points:
            folder = None if place.files else place.path
            points = RunPoints(run, key, folder, files)
            self.done.points += self.database.load(points, self.done.problems)
        version = time.time_ns()
        row = {
            "run": key,
            **fields(run, "id project status last_step tags"),
            "name": run.name or run.id,
            "framework": run.framework or "",
            "algorithm": run.algorithm or "",
            "started": _when(run.started),
            "ended": _when(run.ended),
            "points": run.points.count,
            "settings": {name: _text(value) for name, value in settings_of(run).items()},
            "source": source,
            "fingerprint": mark,
            "version": version,
        }
        for name, content in _documents(run, place, self.done.problems):
            self._put(DOCUMENTS, {"run": key, "name": name, "content": content, "version": version})
        for name in run.names():
            facts = run.points.facts(name)
            binding = run.bindings.get(name)
            metric = {
                "run": key,
                "name": name,
                "metric": "" if binding is None else binding.metric,
                "points": facts.points,
                "last_step": facts.last_step or 0,
                "last": facts.last,
                "version": version,
            }
            self._put(METRICS, metric)
        self._put(RUNS, row)  # last: it says that everything else is there

    def _judge(self, top: Path, keys: dict[str, tuple[str, str]]) -> None:
        stamp = settings_stamp(self.settings)
        known = {
            run: (judged_by, files) for run, judged_by, files in self.database.loaded_verdicts()
        }
        fleet = judge_fleet(Job((top,), self.settings), workers=self.workers, keep_few=True)
        self.done.problems += [p for p in fleet.problems if p not in self.done.problems]
        for judged in fleet.judged:
            facts = judged.run
            key, files = keys.get(_place_of(facts.path, facts.id), ("", ""))
            if not key or known.get(key) == (stamp, files):
                continue
            found = judged.diagnosis
            self.done.verdicts += 1
            verdict = {
                "run": key,
                "verdict": found.verdict.word,
                "reason": found.verdict.reason,
                "outcome": found.verdict.outcome or "",
                **fields(facts, "start best now"),
                "findings": list(_findings(found)),
                "judged_by": stamp,
                "fingerprint": files,
                "judged": datetime.now(UTC),
                "version": time.time_ns(),
            }
            self._put(VERDICTS, verdict)

    def _put(self, table: IndexTable, row: dict[str, Any]) -> None:
        waiting = self._waiting.setdefault(table.name, (table, []))[1]
        waiting.append(row)
        if len(waiting) >= MAX_WAITING:
            if table is RUNS:
                for other in (DOCUMENTS.name, METRICS.name):
                    self._write(other)
            self._write(table.name)

    def _write(self, name: str) -> None:
        table, rows = self._waiting.get(name, (None, []))
        if table is not None:
            self.database.insert(table, rows)
            rows.clear()


def _documents(run: Run, place: Found, problems: list[str]) -> Iterator[tuple[str, str]]:
    """The small files of a run; of another tool's log the identity that ours would have."""
    if place.files:
        yield RUN_FILE, dumps(_identity(run)).decode("utf-8", "replace")
        return
    paths = [place.path / name for name in _DOCUMENTS]
    for folder, ending in _DOCUMENT_FOLDERS.items():
        paths += sorted(place.path.glob(f"{folder}/*{ending}"))
    for path in paths:
        if not path.is_file():
            continue
        if path.stat().st_size > MAX_DOCUMENT_BYTES:
            problems.append(f"{path} is too large for the index and was left out")
            continue
        name = path.relative_to(place.path).as_posix()
        yield name, path.read_bytes().decode("utf-8", "replace")


def _identity(run: Run) -> dict[str, Any]:
    return {
        "format": RUN_FORMAT,
        **fields(run, "id name project status exit_code"),
        "config": dict(settings_of(run)),
        **fields(run, "started ended framework algorithm tags notes"),
        "problems": list(map(str, run.warnings)),
    }


def _findings(found: Diagnosis) -> Iterable[tuple[Any, ...]]:
    """Tuples in the order of `FINDING`."""

    def rows(findings: Iterable[Finding], part_of: str) -> Iterator[tuple[Any, ...]]:
        for one in findings:
            row = {
                **fields(one, "code name severity series first_seen message advice area"),
                "first_step": one.span.first,
                "last_step": one.span.last,
                "part_of": part_of,
                "alarm": one.is_alarm,
            }
            yield tuple(row[name] for name, _ in FINDING)
            yield from rows(one.follows, part_of or one.code)

    return rows(found.findings, "")


def _foreign_key(run: Run, source: str, owners: dict[str, str]) -> str:
    """A name for another tool's run; its path tells apart runs that are called the same."""
    place = run.path.resolve() if run.path is not None else Path("-")
    key = f"{slug(run.project or place.parent.name or 'logs')}/{slug(run.id)}"
    if owners.get(key, source) == source:
        return key
    return f"{key}-{hashlib.blake2b(source.encode(errors='replace'), digest_size=4).hexdigest()}"


def _place_of(path: str, id: str) -> str:
    return f"{path}\0{id}"


def _when(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _text(value: Any) -> str:
    return "" if value is None else str(value)
