"""Joining a run that another process owns: what the processes below `runvitals run` do.

The owner (`observe/`) holds the folder, `run.json` and the judge. Each process that logs writes files
of its own beside it, as a forked child does, and puts its settings into `guests/<its stem>.json`, which
the owner takes over into `run.json`. So no file has two writers, and a guest that is killed loses what
any killed process loses: its last second.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runvitals.model import RunInfo, StoreError
from runvitals.model.secrets import redacted
from runvitals.recorder.config import flat_config
from runvitals.recorder.identity import this_worker
from runvitals.recorder.live import LiveRun
from runvitals.recorder.record import RunRecord
from runvitals.recorder.start import RunRequest, opening
from runvitals.store.files import read_json_if_any, write_json
from runvitals.store.layout import Segment
from runvitals.store.lock import WriterLock, take_file
from runvitals.store.writer import StoreSink

OBSERVED = "RUNVITALS_OBSERVED_RUN"  # the folder of the run that this process belongs to
OBSERVED_LIFE = "RUNVITALS_OBSERVED_LIFE"  # the owner's segment and life, `1` or `1.L018f...`
GUESTS = "guests"


@dataclass(frozen=True, slots=True)
class Observed:
    """The run to join, and which life of it its owner lives."""

    folder: Path
    segment: int = 1
    life: str = ""

    def environment(self) -> dict[str, str]:
        """What a process needs to know to join."""
        life = f"{self.segment}.{self.life}" if self.life else str(self.segment)
        return {OBSERVED: str(self.folder), OBSERVED_LIFE: life}


def observed(environment: Mapping[str, str] = os.environ) -> Observed | None:
    """The run that this process is asked to join; None if there is none, or it is gone.

    >>> observed({}) is None
    True
    """
    folder = environment.get(OBSERVED, "")
    if not folder or not os.path.isdir(folder):
        return None
    number, _, life = environment.get(OBSERVED_LIFE, "1").partition(".")
    return Observed(Path(folder), int(number) if number.isdigit() else 1, life)


def join_run(to: Observed, request: RunRequest) -> LiveRun:
    """Record into the run that another process owns; `RunvitalsError` if that is not possible."""
    name, here, started = redacted(request.name), this_worker(rank=request.rank), time.time()

    def cannot_join(error: OSError) -> StoreError:
        problem = f"cannot join the observed run: {error.strerror or error}"
        return StoreError(problem, where=to.folder)

    try:
        for part in ("points", GUESTS):
            (to.folder / part).mkdir(parents=True, exist_ok=True)
        lock = ChildLock(to, here.rank)
    except OSError as error:
        raise cannot_join(error) from error
    info = RunInfo(
        id=to.folder.name,
        name=name or to.folder.name,
        project=to.folder.parent.name,
        folder=to.folder,
        rank=here.rank,
        segment=lock.segment,
        life=to.life,
        started=started,
        config=flat_config(request.config),
        framework=request.framework,
        algorithm=request.algorithm,
        guest=True,
    )
    fork = StoreSink.free_fork(info)
    record = _ChildRecord(info, fork, _guest(name, request, info, here.world_size, main=lock.main))
    with opening(lock, cannot_join) as opened:
        store = StoreSink(compact=False, fork=fork)
        for sink in (store, *request.sinks(here.rank)):
            sink.open(info)
            opened.append(sink)
        record.save()
    return LiveRun(
        info,
        store,
        opened[1:],
        record,
        lock,
        system_seconds=request.system_seconds if lock.main else None,
        stopping=request.stopping,
    )


def _guest(
    name: str | None, request: RunRequest, info: RunInfo, world_size: int, *, main: bool
) -> dict[str, Any]:
    """What the owner takes over into `run.json`."""
    return {
        "format": "runvitals-guest/1",
        "name": name,
        "config": info.config,
        "tags": request.tag_list(),
        "notes": str(request.notes),
        "framework": request.framework,
        "algorithm": request.algorithm,
        "rank": info.rank,
        "world_size": world_size,
        "pid": os.getpid(),
        "main": main,
        "status": "running",
        "started": info.started,
    }


class _ChildRecord(RunRecord):
    """What a guest knows, for the owner to take over."""

    def __init__(self, info: RunInfo, fork: int, content: dict[str, Any]) -> None:
        super().__init__(info.folder, content)
        stem = Segment(info.rank, info.segment, fork, info.life).stem
        self.path = info.folder / GUESTS / f"{stem}.json"

    def reserve(self) -> None:
        """The reserve is the owner's."""

    def give_reserve_back(self) -> None:
        """Nothing to give back."""


class ChildLock(WriterLock):
    """Tells the main process of a rank from others beside it, and from one that came before it.

    The first process of a rank is its main one. One that comes while that lives writes beside it; one
    that comes after it is another life of the run, as after a restart.
    """

    def __init__(self, to: Observed, rank: int) -> None:  # not that of the owner
        self.path = to.folder / GUESTS / f"rank{rank}.lock"
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        self._next_beat = 0.0
        self.main = take_file(self._file) is not False
        lives = to.folder / GUESTS / f"rank{rank}.lives.json"
        before = int(read_json_if_any(lives).get("lives", 0))
        if self.main:
            write_json(lives, {"lives": before + 1})
        self.segment = to.segment + (before if self.main else max(0, before - 1))

    def release(self) -> None:
        """The file stays: others count on it."""
        self.close()
