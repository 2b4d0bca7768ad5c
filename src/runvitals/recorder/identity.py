"""Which run and which rank this process is."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson
import psutil

from runvitals.model import ConfigError

_RANK = (
    "RANK",
    "SLURM_PROCID",
    "OMPI_COMM_WORLD_RANK",
    "PMI_RANK",
    "PMIX_RANK",
    "MV2_COMM_WORLD_RANK",
)
_LOCAL = ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID")
_WORLD = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE")
_JOB = ("TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "SLURM_STEP_ID", "MASTER_ADDR", "MASTER_PORT")
_UNSAFE = re.compile(r"[^\w.=+-]+")
LONGEST_NAME = 100  # bytes; file systems end at 255, and more is added
RENDEZVOUS_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where this process stands among the workers of one job."""

    rank: int = 0
    local_rank: int = 0
    world_size: int = 1


def place(environment: Mapping[str, str] = os.environ, rank: int | None = None) -> Place:
    """Read the launcher's variables; an explicit rank wins.

    SLURM sets SLURM_PROCID for single processes of an interactive shell too, so its task count must
    agree.

    >>> place({"RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "8"})
    Place(rank=3, local_rank=1, world_size=8)
    """
    world = _first(environment, _WORLD) or _slurm_tasks(environment)
    found = _first(environment, _RANK) or 0
    if world is None or found >= world:
        world = 1 if world is None else world
        found = 0 if "RANK" not in environment else found
    if rank is not None and (not isinstance(rank, int) or rank < 0):
        raise ConfigError(f"rank={rank!r} is no rank", hint="ranks are counted from 0")
    local = _first(environment, _LOCAL) or 0
    return Place(found if rank is None else rank, local, max(world, 1))


def _slurm_tasks(environment: Mapping[str, str]) -> int | None:
    return _first(environment, ("SLURM_STEP_NUM_TASKS",))


def _first(environment: Mapping[str, str], names: tuple[str, ...]) -> int | None:
    for name in names:
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
    short = cleaned.encode()[:LONGEST_NAME].decode("utf-8", "ignore")
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


def announce(project_folder: Path, run_id: str) -> None:
    """Rank 0 tells the other ranks of its job which id it chose."""
    path = _meeting_point(project_folder)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_bytes(orjson.dumps({"id": run_id, "at": time.time()}))
    os.replace(temporary, path)


def listen(project_folder: Path, is_live: Callable[[str], bool]) -> str | None:
    """The id that rank 0 of this job announced, None when it never did.

    An old announcement of an earlier job is told apart by its age and by its dead writer.
    """
    path = _meeting_point(project_folder)
    oldest = psutil.Process().create_time() - 120.0  # ranks of one job do not start at once
    end = time.monotonic() + RENDEZVOUS_SECONDS
    while time.monotonic() < end:
        try:
            said = orjson.loads(path.read_bytes())
            if said["at"] >= oldest and is_live(str(said["id"])):
                return str(said["id"])
        except (OSError, orjson.JSONDecodeError, KeyError):
            pass  # not there yet; keep waiting
        time.sleep(0.05)
    return None


def _meeting_point(project_folder: Path) -> Path:
    job = "|".join(os.environ.get(name, "") for name in _JOB)
    return project_folder / f".job-{hashlib.sha1(job.encode()).hexdigest()[:12]}.json"
