"""Which run and which rank this process is, and which run the ranks of a job write together.

Most launchers give a job an id: all its ranks derive the same run id from it, without a word between
them and without a shared disk. Where there is none, the first rank to come claims an id in the
project's folder, and the others of the job find it there. Nobody waits for anybody.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import secrets
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson
import psutil

from runvitals.model import ConfigError
from runvitals.model.atomic import take_new_name

_RANK = "RANK SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK MV2_COMM_WORLD_RANK"
_WORLD = "WORLD_SIZE OMPI_COMM_WORLD_SIZE PMI_SIZE MV2_COMM_WORLD_SIZE"
_TASKS = "SLURM_STEP_NUM_TASKS"
_UNSAFE = re.compile(r"[^\w.=+-]+")
MAX_NAME = 100  # bytes; file systems end at 255, and more is added


@dataclass(frozen=True, slots=True)
class Worker:
    """This process among the workers of one job."""

    rank: int = 0
    world_size: int = 1


def this_worker(environment: Mapping[str, str] = os.environ, rank: int | None = None) -> Worker:
    """Read the launcher's variables; an explicit rank wins.

    SLURM sets SLURM_PROCID for single processes of an interactive shell too, so its task count must
    agree.

    >>> this_worker({"RANK": "3", "WORLD_SIZE": "8"})
    Worker(rank=3, world_size=8)
    """
    world = _first(environment, _WORLD) or _first(environment, _TASKS)
    found = _first(environment, _RANK) or 0
    if world is None or found >= world:
        world = 1 if world is None else world
        found = 0 if "RANK" not in environment else found
    if rank is not None and (not isinstance(rank, int) or rank < 0):
        raise ConfigError(
            f"rank must be a whole number from 0, got {rank!r}", hint="ranks are counted from 0"
        )
    return Worker(found if rank is None else rank, max(world, 1))


def _first(environment: Mapping[str, str], names: str) -> int | None:
    for name in names.split():
        text = environment.get(name, "").strip()
        if text.isdigit():
            return int(text)
    return None


def slug(text: str) -> str:
    """A safe folder name that still reads like the text.

    >>> slug("My run / lr=1e-3"), slug("../..")
    ('My-run-lr=1e-3', 'run')
    """
    cleaned = _UNSAFE.sub("-", text).strip("-.")
    short = cleaned.encode()[:MAX_NAME].decode("utf-8", "ignore")
    return short.strip("-.") or "run"


def checked_id(run_id: str) -> str:
    """The id as given, if it can be a folder name."""
    if slug(run_id) != run_id:
        raise ConfigError(
            f"run id {run_id!r} cannot be a folder name",
            hint=f"use letters, digits and . _ = + - only, for example {slug(run_id)!r}",
        )
    return run_id


def new_id(name: str, now: float) -> str:
    """A fresh id: the name, when it began, and four random characters."""
    when = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    return f"{slug(slug(name)[:60])}-{when}-{secrets.token_hex(2)}"


APART_SECONDS = 120.0  # ranks of one job do not start at once
MAX_AT_ONCE = 8  # jobs of one name in one folder that begin in the same minutes
_NONE = ("", "none", "None")
_inits: dict[tuple[str, str], int] = {}  # how often this process began a run of a name


def job_of(environment: Mapping[str, str] = os.environ) -> str | None:
    """The id that the launcher gave this job; None where it gave none.

    >>> job_of({"TORCHELASTIC_RUN_ID": "7f3a"}), job_of({"SLURM_JOB_ID": "12", "SLURM_STEP_ID": "0"})
    ('torchelastic-7f3a', 'slurm-12.0')
    >>> job_of({"MASTER_PORT": "29500"}) is None
    True
    """
    get = environment.get
    if get("TORCHELASTIC_RUN_ID", "") not in _NONE:
        return f"torchelastic-{get('TORCHELASTIC_RUN_ID')}"
    if get("TORCHELASTIC_RUN_ID") and get("LOCAL_WORLD_SIZE", "?") == get("WORLD_SIZE"):
        return f"torchrun-{_parent()}"  # one agent, which is the parent of all ranks
    if get("SLURM_JOB_ID") and get("SLURM_STEP_ID"):
        return f"slurm-{get('SLURM_JOB_ID')}.{get('SLURM_STEP_ID')}"
    for name in ("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"):
        if get(name):
            return f"mpi-{get(name)}"
    if get("RAY_JOB_ID") and get("MASTER_PORT"):
        return f"ray-{get('RAY_JOB_ID')}-{get('MASTER_ADDR', '')}-{get('MASTER_PORT')}"
    return None


def shared_id(project_folder: Path, name: str, place: Worker, now: float) -> tuple[str, bool]:
    """The run id that all ranks of this job come to; says whether the launcher's job gave it."""
    key = (str(project_folder), name)
    _inits[key] = _inits.get(key, 0) + 1
    again = f"-{_inits[key]}" if _inits[key] > 1 else ""  # a script may train several times
    job = job_of()
    if job is not None:
        return f"{slug(slug(name)[:60])}-{_readable(job)}{again}", True
    return _claimed(project_folder, f"{name}{again}", place, now), False


def _readable(job: str) -> str:
    """Short ids as they are, long ones by their digest."""
    if re.fullmatch(r"[\w.-]{1,24}", job):
        return job
    kind = job.partition("-")[0]
    return f"{kind}-{hashlib.sha256(job.encode()).hexdigest()[:10]}"


def _claimed(project_folder: Path, name: str, place: Worker, now: float) -> str:
    """Claim this rank's place in a run of the job that has it free, else begin another run.

    A claim is a file that can be created only once; that of the run holds its id.
    """
    facts = "|".join([name, str(place.world_size), *_addresses()])
    stem = f".job-{hashlib.sha256(facts.encode()).hexdigest()[:12]}"
    numbers = [int(p.name.split(".")[2]) for p in project_folder.glob(f"{stem}.*.json")]
    first = max(1, max(numbers, default=1) - MAX_AT_ONCE)
    for number in itertools.count(first):
        run = project_folder / f"{stem}.{number}.json"
        mine = {"id": new_id(name, now), "at": now}
        _create(run, orjson.dumps(mine))
        said = orjson.loads(run.read_bytes())
        if said["at"] < now - APART_SECONDS:
            continue  # an earlier job's
        if _create(project_folder / f"{stem}.{number}.rank{place.rank}", b""):
            return str(said["id"])
    raise AssertionError("there is always another number")


def _addresses() -> list[str]:
    address, port = (os.environ.get(name, "") for name in ("MASTER_ADDR", "MASTER_PORT"))
    here = ("", "localhost", "127.0.0.1", "::1", socket.gethostname())
    return [address, port, _parent() if address in here else ""]


def _parent() -> str:
    """The process that started this one: the same for all ranks that one launcher starts here."""
    parent = os.getppid()
    began = ""
    with suppress(psutil.Error):
        began = f"{psutil.Process(parent).create_time():.2f}"
    return f"{socket.gethostname()}-{parent}-{began}"


def _create(path: Path, content: bytes) -> bool:
    """Make a file with this content at once; False if it is there already."""
    temporary = path.with_name(f"{path.name}.{socket.gethostname()}.{os.getpid()}.tmp")
    temporary.write_bytes(content)
    try:
        return take_new_name(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
