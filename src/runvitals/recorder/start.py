"""Sets a run up: its folder, id, rank, lock and first `run.json`."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from runvitals.model import (
    ConfigError,
    ReadError,
    RunBusyError,
    RunExistsError,
    RunInfo,
    Sink,
    StoreError,
)
from runvitals.model.secrets import redacted
from runvitals.recorder.config import flat_config, json_safe
from runvitals.recorder.identity import (
    Worker,
    checked_id,
    job_of,
    new_id,
    shared_id,
    slug,
    this_worker,
)
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import Stopping
from runvitals.recorder.record import RunRecord
from runvitals.store.files import read_stored
from runvitals.store.layout import PROGRESS_FILE, RUN_FILE, is_run_folder, new_life, segments
from runvitals.store.lock import WriterLock
from runvitals.store.reader import expectations_of, last_step, stored_before
from runvitals.store.run_file import run_file_if_any
from runvitals.store.writer import StoreSink

Resume = bool | Literal["must"]
LOCK_SECONDS = 2.0  # for which a restarted job waits until its earlier process is gone (judgement)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a run is begun with, in a folder of its own or in one that another process owns."""

    name: str | None = None
    config: Any = None
    tags: Sequence[str] = ()
    notes: str = ""
    rank: int | None = None  # None: read from the launcher's variables
    sinks: Callable[[int], Sequence[Sink]] = lambda _: ()  # by rank, besides the store
    system_seconds: float | None = 10.0  # between samples of the system; None: no samples
    framework: str | None = None
    algorithm: str | None = None
    stopping: Stopping | None = None

    def tag_list(self) -> list[str]:
        """The tags; a single string is one tag."""
        return [self.tags] if isinstance(self.tags, str) else list(self.tags)


@contextmanager
def opening(
    lock: WriterLock, cannot_write: Callable[[OSError], StoreError]
) -> Iterator[list[Sink]]:
    """A list for the sinks opened so far; an error closes them and releases the lock."""
    opened: list[Sink] = []
    try:
        yield opened
    except BaseException as error:
        for sink in opened:
            with suppress(Exception):  # the first error is the one to report
                sink.close("crashed")
        with suppress(OSError):
            lock.release()
        if isinstance(error, OSError):
            raise cannot_write(error) from error
        raise


def start_run(
    request: RunRequest,
    *,
    project: str,
    dir: str | os.PathLike[str],
    id: str | None,
    resume: Resume,
    compact: bool,
    into: str | os.PathLike[str] | None = None,
    own_life: bool = False,
) -> LiveRun:
    """Open the folder and begin. Raises `RunvitalsError` now rather than losing the run later."""
    if resume not in (True, False, "must"):
        raise ConfigError(f"resume={resume!r} is not known", hint="use True, False or 'must'")
    # both become names of folders
    project, name = redacted(project), redacted(request.name)
    here = this_worker(rank=request.rank)
    started = time.time()
    if into is not None:
        run_id, folder, ours = _given(Path(into).expanduser().absolute(), id, resume, here)
    else:
        project_folder = _make(Path(dir).expanduser() / slug(project))
        run_id, folder, ours = _choose(project_folder, name or project, id, resume, here, started)
    # `run.json` is rank 0's alone: with several writers, the last one would undo the others' facts
    before = _kept_before(folder) if here.rank == 0 else {}
    _make(folder / "points")
    lock = _locked(folder, here.rank, run_id, patient=ours)
    with opening(lock, functools.partial(_cannot_write, folder)) as opened:
        life = new_life(started) if here.world_size > 1 or own_life else ""
        info = _info(request, before, here, run_id, name, project, folder, life, started)
        content = _run_json(request, before, here, info, resumed=bool(resume))
        record = RunRecord(folder, content)
        if here.rank == 0:
            record.save()
        step = _last_step(folder, here.rank, before)
        store = StoreSink(compact=compact)
        for sink in (store, *request.sinks(here.rank)):
            sink.open(info)
            opened.append(sink)
    return LiveRun(
        info,
        store,
        opened[1:],
        record,
        lock,
        system_seconds=request.system_seconds,
        counters=before.get("counters") or {},
        stored_counters=stored_before(folder, here.rank) if info.segment > 1 else None,
        last_step=step,
        stopping=request.stopping,
    )


def _info(
    request: RunRequest,
    before: dict[str, Any],
    here: Worker,
    run_id: str,
    name: str | None,
    project: str,
    folder: Path,
    life: str,
    started: float,
) -> RunInfo:
    """What the sinks are told: what is asked for now, over what an earlier process wrote."""
    return RunInfo(
        id=run_id,
        name=name or before.get("name") or run_id,
        project=project,
        folder=folder,
        rank=here.rank,
        # a new file for each start: the last one may end in the middle of a record
        segment=1 + max((s.number for s in segments(folder) if s.rank == here.rank), default=0),
        life=life,
        started=started,
        config={**before.get("config", {}), **flat_config(request.config)},
        framework=request.framework or before.get("framework"),
        algorithm=request.algorithm or before.get("algorithm"),
        progress=_progress(folder),
        expectations=expectations_of(before),
    )


def _run_json(
    request: RunRequest, before: dict[str, Any], here: Worker, info: RunInfo, *, resumed: bool
) -> dict[str, Any]:
    """The first content of `run.json`; what an earlier process wrote is kept unless replaced."""
    return {
        **before,
        "id": info.id,
        # a run that an earlier version began is told from others by its start
        **({} if before else {"birth": info.life or new_life(info.started)}),
        # resumed with nothing here to resume: the rest is on another disk
        **({"continues": True} if resumed and not before else {}),
        "name": info.name,
        "project": info.project,
        "status": "running",
        "started": before.get("started", info.started),
        "segment_started": [*before.get("segment_started", []), info.started],
        "ended": None,
        "exit_code": None,
        "config": info.config,
        "tags": request.tag_list() or before.get("tags", []),
        "notes": str(request.notes) if request.notes else before.get("notes", ""),
        "framework": info.framework,
        "algorithm": info.algorithm,
        "world_size": here.world_size,
        "job": job_of() if here.world_size > 1 else None,
        "provenance": _origin(before),
    }


def _origin(before: dict[str, Any]) -> dict[str, Any]:
    """Where an earlier process came from; how it ended is over now."""
    known = before.get("provenance") or {}
    return {key: fact for key, fact in known.items() if key not in ("ended_with", "ending")}


def _choose(
    project_folder: Path, name: str, id: str | None, resume: Resume, here: Worker, now: float
) -> tuple[str, Path, bool]:
    """Id and folder of the run, and whether it is known to be this job's own."""
    if id is not None:
        return _given(project_folder / checked_id(id), id, resume, here)
    if resume:
        latest = _latest(project_folder, name)
        if latest is not None:
            return latest.name, latest, False
        if resume == "must":
            raise RunExistsError(f"there is no run named {name!r} to resume", where=project_folder)
    if here.world_size > 1:
        shared, ours = shared_id(project_folder, name, here, now)
        return shared, project_folder / shared, ours
    fresh = new_id(name, now)
    return fresh, project_folder / fresh, False


def _given(folder: Path, id: str | None, resume: Resume, here: Worker) -> tuple[str, Path, bool]:
    """The same for a folder that the caller chose."""
    run_id = id or _before(folder).get("id") or slug(folder.name)
    ours = here.world_size > 1 and _is_of_this_job(folder)
    if _has_begun(folder) and not resume and not ours and here.rank == 0:
        raise RunExistsError(
            f"run {run_id!r} exists already",
            where=folder,
            hint="resume=True continues it; another id starts a new one",
        )
    if not is_run_folder(folder) and resume == "must":
        raise RunExistsError(f"there is no run {run_id!r} to resume", where=folder.parent)
    return run_id, folder, ours


def _has_begun(folder: Path) -> bool:
    """Whether rank 0 was here; the others may be faster than it."""
    return (folder / RUN_FILE).exists() or any(s.rank == 0 for s in segments(folder))


def _is_of_this_job(folder: Path) -> bool:
    """Whether an earlier life of this very job wrote it: an elastic restart, or a requeued job."""
    job = job_of()
    return job is not None and _before(folder).get("job") == job


def _latest(project_folder: Path, name: str) -> Path | None:
    found: list[tuple[float, Path]] = []
    for folder in project_folder.iterdir():
        content = _before(folder)
        if name in (content.get("name"), content.get("project")):
            found.append((float(content.get("started") or 0.0), folder))
    return max(found)[1] if found else None


def _before(folder: Path) -> dict[str, Any]:
    """What an earlier process wrote; nothing when there was none or it is unreadable."""
    return run_file_if_any(folder).content


def _kept_before(folder: Path) -> dict[str, Any]:
    """The same, for a run that is resumed: what was wrong with the file is kept, as it is rewritten."""
    said = run_file_if_any(folder)
    said.must_be_known(folder)
    content = said.content
    known = content.get("problems") or []
    new = [f"before it was resumed: {one}" for one in said.problems]
    return {**content, "problems": [*known, *new]} if new else content


def _progress(folder: Path) -> dict[str, Any]:
    try:
        content = read_stored(folder / PROGRESS_FILE).content
    except ReadError:
        return {}
    return {str(k): json_safe(v) for k, v in content.items()}


def _last_step(folder: Path, rank: int, before: dict[str, Any]) -> int:
    """Where an earlier process stopped; what it stored knows better than a `run.json` left behind."""
    noted = int(before.get("last_step", -1))
    if rank == 0 and before.get("status") != "running":
        return noted
    stored = last_step(folder, rank)
    return noted if stored is None else stored


def _make(folder: Path) -> Path:
    """The folder, under a path that still holds when the program changes its directory."""
    try:
        folder = folder.absolute()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(folder, error) from error
    return folder


def _locked(folder: Path, rank: int, run_id: str, *, patient: bool) -> WriterLock:
    """The right to write; a job that was restarted waits a moment for its earlier life to be gone."""
    until = time.monotonic() + (LOCK_SECONDS if patient else 0.0)
    while True:
        try:
            return WriterLock(folder, rank, run_id)
        except RunBusyError:
            if time.monotonic() >= until:
                raise
            time.sleep(0.05)
        except OSError as error:
            raise _cannot_write(folder, error) from error


def _cannot_write(folder: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot write a run here: {error.strerror or error}",
        where=folder,
        hint="give a writable folder with dir=..., or set RUNVITALS_DIR",
    )
