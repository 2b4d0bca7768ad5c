"""Opens a run folder, finished or still being written, as a `Run`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import (
    STORE,
    ConfigError,
    Expectation,
    Gap,
    Loss,
    PointTable,
    ReadError,
    RowBlock,
    Run,
    read_expectation,
    read_loss,
)
from runvitals.model.points.parts import StoredRows
from runvitals.model.row import gathered
from runvitals.store.clickhouse.points import Pointer, pointer_of
from runvitals.store.compact import DAMAGED, read_stream
from runvitals.store.copied import copied_warnings
from runvitals.store.events import read_events, read_histograms, read_samples
from runvitals.store.files import read_json, read_stored
from runvitals.store.layout import (
    MERGED_FILE,
    PROGRESS_FILE,
    RUN_FILE,
    SUMMARY_FIELDS,
    Merged,
    Segment,
    files_in,
    is_run_folder,
    merged_of,
    segments,
)
from runvitals.store.lock import writer_alive
from runvitals.store.merged import open_merged
from runvitals.store.run_file import RunFile, read_run_file
from runvitals.store.stream import StreamDecoder, decoded
from runvitals.store.table import TableRows, open_table

_PIECE = 64 * 2**20  # bytes of a stream that are decoded at once
_SMALL_PIECE = 2**20  # where its points do not stay in memory
_TRIES = 5  # to read a folder that is being compacted


def open_folder(path: Path, rank: int | None = None, *, aside: bool = False) -> Run:
    """The run in this folder, all of it or what one rank wrote.

    What is damaged is skipped and said in `run.warnings`. With `aside`, a run that is still being
    written takes little memory, however long it is (`PointTable.put_aside`).
    """
    if not is_run_folder(path):
        raise ReadError(path, "no run.json and no points in this folder")
    run = Run(id=path.name, points=PointTable(), path=path, format="runvitals")
    run.read_events = lambda: read_events(path, _once(run.warnings))
    run.read_histograms = lambda wanted: read_histograms(path, wanted, _once(run.warnings))
    source = _Source(path, rank, aside=aside)
    run.read_new = source.read_new
    source.read_new(run)
    return run


class _Source:
    """Remembers how far each file was read."""

    def __init__(self, folder: Path, rank: int | None = None, *, aside: bool = False) -> None:
        self._folder = folder
        self._aside = aside
        self._rank = rank  # None: all of them
        self._streams: dict[Segment, StreamDecoder] = {}
        self._tables: set[Segment] = set()
        self._merged: Merged | None = None
        self._pointer: Pointer | None = None  # to an index that has its points
        self._told: list[str] = []  # by the recorder
        self._lives: dict[tuple[int, int, str], int] = {}  # of each rank, counted in their order
        self._latest: dict[int, int] = {}  # of these, by rank

    def read_new(self, run: Run) -> int:
        """Take in what was appended since the last call; returns the number of new points."""
        said = read_identity(self._folder, run)
        said.must_be_known(self._folder)
        told = [*said.problems, *recorder_warnings(self._folder, said.content)]
        if told != self._told:
            others = [warning for warning in run.warnings if warning not in self._told]
            run.warnings[:] = [*told, *others]
            self._told = told
        if run.read_samples is None and (self._folder / "samples").is_dir():
            run.read_samples = lambda: read_samples(self._folder, _once(run.warnings))
        before = run.points.count
        for _ in range(_TRIES):
            if self._read_points(run):
                break
        if run.status != "running" and not run.missing and (gap := _fewer_than_counted(run)):
            run.warnings.append(gap)
        return run.points.count - before

    def _read_points(self, run: Run) -> bool:
        """False when a stream was compacted while we looked: its points are in the table now."""
        pointer = pointer_of(self._folder)
        if pointer is not None:
            if pointer != self._pointer:
                self._pointer, run.points = pointer, PointTable()
                _read_index(pointer, run)
            return True
        found = [segment for segment in segments(self._folder) if self._wants(segment)]
        for segment in found:
            self._life(segment)  # in the order of their age, wherever their points lie
        merged = self._what_is_merged(run)
        in_merged = set() if merged is None else set(merged.sizes)
        compacted = {s for s in found if s in in_merged or s.table(self._folder).exists()}
        anew = merged != self._merged and bool(self._tables)  # the files they were in are gone
        if anew or compacted & self._streams.keys():  # a stream was compacted under us: start over
            run.points = PointTable()
            self._streams.clear()
            self._tables.clear()
        self._merged = merged
        if merged is not None and not in_merged <= self._tables:
            self._read_merged(merged, run)
        for segment in found:
            if segment in compacted:
                if segment not in self._tables:
                    self._read_table(segment, run)
            elif not self._read_stream(segment, run):
                return False
        return True

    def _wants(self, segment: Segment) -> bool:
        return self._rank is None or segment.rank == self._rank

    def _what_is_merged(self, run: Run) -> Merged | None:
        try:
            return merged_of(self._folder)
        except ValueError as error:
            _once(run.warnings)(
                f"{MERGED_FILE} is damaged, and what it lists may be missing: {error}"
            )
            return None

    def _read_merged(self, merged: Merged, run: Run) -> None:
        self._tables |= merged.sizes.keys()
        try:
            for segment, part in open_merged(self._folder, merged, _once(run.warnings)):
                if self._wants(segment):
                    self._take(part, segment, run)
        except DAMAGED as error:
            run.warnings.append(_skipped(merged.table(self._folder), error))

    def _take(self, part: RowBlock | StoredRows, segment: Segment, run: Run) -> None:
        if isinstance(part, RowBlock):
            run.points.add(part, self._life(segment))
        else:
            run.points.add_stored(part, self._life(segment))

    def _life(self, segment: Segment) -> int:
        """Which life of its rank wrote a segment, from 1; a child counts to that of its parent."""
        key = (segment.rank, segment.number, segment.life)
        known = self._lives.get(key)
        if known is None:
            known = self._lives[key] = self._latest.get(segment.rank, 0) + 1
            self._latest[segment.rank] = known
        return known

    def _read_table(self, segment: Segment, run: Run) -> None:
        self._tables.add(segment)
        try:
            for part in open_table(self._folder, segment, _once(run.warnings)):
                self._take(part, segment, run)
        except DAMAGED as error:
            run.warnings.append(_skipped(segment.table(self._folder), error))

    def _read_stream(self, segment: Segment, run: Run) -> bool:
        path = segment.stream(self._folder)
        decoder = self._streams.setdefault(segment, StreamDecoder(segment.rank))
        final = run.status != "running"
        try:
            least = _SMALL_PIECE if self._aside else _PIECE
            for blocks, damage in decoded(path, decoder, final=final, pieces=(least, _PIECE)):
                for block in gathered(blocks):
                    run.points.add(block, self._life(segment))
                if self._aside:
                    run.points.put_aside()
                for found in damage:
                    # a torn tail is the last second of a process that was killed
                    warning = f"{path.name}: {found}"
                    if warning not in run.warnings:
                        run.warnings.append(warning if found.tail else Gap(warning))
        except FileNotFoundError:
            return False
        return True


def _skipped(table: Path, error: BaseException) -> Gap:
    """That a table, or the one of rare names beside it, was skipped, and why."""
    where, why = table, str(error)
    if isinstance(error, ReadError):
        where, why = Path(error.path), error.problem
    if isinstance(error, PermissionError):
        return Gap(f"{where.name} was skipped: {error.strerror}")
    return Gap(f"{where.name} is damaged and was skipped: {why}")


def _read_index(pointer: Pointer, run: Run) -> None:
    from runvitals.store.clickhouse.points import read_points

    for life, part in read_points(pointer):
        if isinstance(part, RowBlock):
            run.points.add(part, life)
        else:
            run.points.add_stored(part, life)


def _fewer_than_counted(run: Run) -> Gap | None:
    """Whether rank 0 stored more, as its summary says, than there is: files are gone or cut short.

    A point is counted after it is stored, and what the disk refused is told elsewhere.
    """
    counted = held = 0
    for name, said in run.summary.items():
        if isinstance(said, dict) and said.keys() == SUMMARY_FIELDS and type(said["count"]) is int:
            counted += said["count"]
            held += min(said["count"], run.points.size(name, 0))
    if held >= counted:
        return None
    return Gap(
        f"{counted - held:,} of {counted:,} points that {RUN_FILE} counts are missing: "
        "files of points are gone or cut short"
    )


def read_identity(folder: Path, run: Run) -> RunFile:
    """Fill in what `run.json` and the progress file say; gives all of `run.json`, and what is wrong."""
    try:
        said = read_run_file(folder)
    except ReadError as error:
        said = RunFile({}, (f"{RUN_FILE}: {error.problem}; identity and config are unknown",))
    content, problems = said.content, said.problems
    run.id = content.get("id") or folder.name
    run.name = content.get("name") or run.id
    run.project = content.get("project") or folder.parent.name
    run.config = content.get("config") or {}
    run.summary = content.get("summary") or {}
    run.provenance = content.get("provenance") or {}
    run.tags = tuple(content.get("tags") or ())
    run.notes = content.get("notes") or ""
    run.started, run.ended = content.get("started"), content.get("ended")
    run.framework = content.get("framework")
    run.algorithm = content.get("algorithm")
    run.expectations = expectations_of(content)
    run.stopped_by = content.get("stopped_by")
    run.exit_code = content.get("exit_code")
    run.status = content.get("status") or "unknown"
    if run.status == "running" and not _alive(folder):
        run.status = "crashed"
    try:
        if (folder / PROGRESS_FILE).exists():
            run.progress, intact = read_stored(folder / PROGRESS_FILE)
            if not intact:
                problems += (f"{PROGRESS_FILE} was changed outside runvitals or is damaged",)
    except ReadError as error:
        problems += (str(error),)
    return said._replace(problems=problems)


def recorder_warnings(folder: Path, run_file: Mapping[str, Any]) -> list[str]:
    """What the recorder said about the run: what was lost first, then everything else."""
    lost: list[str] = []
    said: list[str] = []
    told: list[tuple[str, Mapping[str, Any]]] = [("", run_file)]
    files = files_in(folder / "points")
    for path in (one for one in files if one.name.endswith(".troubles.json")):
        try:
            told.append((f"{path.name.removesuffix('.troubles.json')}: ", read_json(path)))
        except ReadError as error:
            said.append(str(error))
    for who, content in told:
        known: list[Loss] = []
        for record in _listed(content, "lost"):
            try:
                known.append(read_loss(record))
            except (KeyError, TypeError, ValueError):
                # written by hand, or by a later version
                lost.append(Gap(f"recorder: {who}rows were lost; how many cannot be read"))
        stored = not lost and all(loss.where != STORE for loss in known)
        for loss in known:
            text = f"recorder: {who}{loss}"
            if loss.where != STORE and stored:
                text += "; the store has them"
            lost.append(Gap(text) if loss.where == STORE and loss.points else text)
        said += [f"recorder: {who}{text}" for text in _listed(content, "problems")]
    for path in (one for one in files if one.name.endswith(".damaged")):
        lost.append(Gap(f"{path.name}: a part of it could not be read; it is kept for repair"))
    return list(dict.fromkeys([*copied_warnings(folder), *lost, *said]))


def _listed(content: Mapping[str, Any], key: str) -> list[Any]:
    found = content.get(key)
    return found if isinstance(found, list) else []


def expectations_of(content: Mapping[str, Any]) -> tuple[Expectation, ...]:
    """What `run.json` says that the script expected; what is wrong is passed over."""
    found = []
    for record in content.get("expectations") or ():
        try:
            found.append(read_expectation(record))
        except (ConfigError, TypeError, AttributeError):
            continue  # written by hand, or by a later version
    return tuple(found)


def stored_before(folder: Path, rank: int) -> Callable[[str, int], float | None]:
    """A function that gives the last value of a metric of this rank before a step, None if none is."""
    points = open_folder(folder, rank).points

    def before(name: str, step: int) -> float | None:
        if rank not in points.ranks(name):
            return None
        steps, _, values = points.column(name, rank)
        place = int(np.searchsorted(steps, step))
        return float(values[place - 1]) if place else 0.0

    return before


def last_step(folder: Path, rank: int) -> int | None:
    """The step that this rank stored last, None when there is none."""
    mine = [s for s in segments(folder) if s.rank == rank and s.fork is None]
    for segment in reversed(mine):
        try:
            latest = max(_ends(folder, segment), default=None)
        except DAMAGED:
            continue
        if latest is not None:
            return latest[1]
    return None


def _ends(folder: Path, segment: Segment) -> Iterator[tuple[float, int]]:
    """Time and step of the last row of each block."""
    merged = merged_of(folder)
    if merged is not None and segment in merged.sizes:
        for owner, rows in open_merged(folder, merged, lambda _: None):
            if owner == segment:
                steps, times = (
                    (rows.steps, rows.times) if isinstance(rows, RowBlock) else rows.clock()
                )
                yield float(times[-1]), int(steps[-1])
        return
    if not segment.table(folder).exists():
        for block in read_stream(segment.stream(folder), segment.rank, []):
            yield float(block.times[-1]), int(block.steps[-1])
        return
    for part in open_table(folder, segment, lambda _: None):
        steps, times = part.clock() if isinstance(part, TableRows) else (part.steps, part.times)
        yield float(times[-1]), int(steps[-1])


def _once(warnings: list[str]) -> Callable[[str], None]:
    def complain(warning: str) -> None:
        if warning not in warnings:
            warnings.append(Gap(warning))

    return complain


def _alive(folder: Path) -> bool:
    ranks = {segment.rank for segment in segments(folder)} | {0}
    return any(writer_alive(folder, rank) for rank in ranks)
