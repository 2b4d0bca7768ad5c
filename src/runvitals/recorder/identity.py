"""Which run and which rank this process is."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass

from runvitals.model import ConfigError

_RANK = (
    "RANK",
    "SLURM_PROCID",
    "OMPI_COMM_WORLD_RANK",
    "PMI_RANK",
    "PMIX_RANK",
    "MV2_COMM_WORLD_RANK",
)
_WORLD = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE")
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
    world = _first(environment, _WORLD) or _slurm_tasks(environment)
    found = _first(environment, _RANK) or 0
    if world is None or found >= world:
        world = 1 if world is None else world
        found = 0 if "RANK" not in environment else found
    if rank is not None and (not isinstance(rank, int) or rank < 0):
        raise ConfigError(
            f"rank must be a whole number from 0, got {rank!r}", hint="ranks are counted from 0"
        )
    return Worker(found if rank is None else rank, max(world, 1))


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
