"""Which run has a project and id in a bucket. Whoever ships asks here first.

`owner.json` is written only if it is not there, so of two runs that begin at once one gets the id. The
run's own objects lie below its origin, a name that no other run has: even writers that never asked
(earlier versions of runvitals) mix nothing.

The nodes of one job may each have a disk of their own. `run.json` is rank 0's, and says when and where
the run was born; a node without one belongs to the run that is there, and may come before rank 0 does.
"""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runvitals.model import RemoteError, RunTakenError
from runvitals.recorder.identity import slug
from runvitals.remote.keys import OWNER_FILE, fields_of, is_origin
from runvitals.store.files import dumps
from runvitals.store.layout import RUN_FILE, new_life
from runvitals.store.objects.store import Objects
from runvitals.store.run_file import run_file_if_any

FORMAT = "runvitals-owner/1"
_TRIES = 5  # while others write `owner.json`


@dataclass(frozen=True)
class Claim:
    """Where the objects of a run folder go."""

    root: str  # the key that all of them begin with
    apart: str = ""  # joins a run of another disk: names files that both have


def run_key(folder: Path) -> str:
    """`<project>/<run-id>` of a run folder."""
    said = _said(folder)
    project = str(said.get("project") or folder.parent.name or "default")
    return f"{slug(project)}/{slug(str(said.get('id') or folder.name))}"


def claim(folder: Path, objects: Objects) -> Claim:
    """Where to ship a run folder to; `RunTakenError` if another run has its id there."""
    key, said = run_key(folder), _said(folder)
    birth = _birth(said)
    mine = {
        "birth": birth,
        "job": said.get("job"),
        "started": said.get("started"),
        "host": socket.gethostname(),
        "folder": str(folder),
    }
    for _ in range(_TRIES):
        found = objects.tagged(f"{key}/{OWNER_FILE}")
        if found is None:
            before = fields_of(objects.get(f"{key}/{RUN_FILE}"))
            if before:  # shipped by an earlier version of runvitals
                return _joined(key, _birth(before), before, said, mine, objects)
            owner = {"format": FORMAT, "origin": birth or new_life(time.time()), **mine}
            if objects.replace(f"{key}/{OWNER_FILE}", dumps(owner), None):
                return Claim(f"{key}/{owner['origin']}")
            continue
        owner, tag = fields_of(found[0]), found[1]
        if not is_origin(str(owner.get("origin"))):
            raise RemoteError(
                f"{OWNER_FILE} is damaged",
                where=f"{objects.address}/{key}",
                hint="delete that object; the next shipper writes it again",
            )
        root = f"{key}/{owner['origin']}"
        if owner.get("birth") is None and birth is not None:
            # nodes with other ranks came first
            if objects.replace(f"{key}/{OWNER_FILE}", dumps({**owner, **mine}), tag):
                return Claim(root)
            continue
        return _joined(root, owner.get("birth"), owner, said, mine, objects)
    raise RemoteError("others write this object all the time", where=f"{key}/{OWNER_FILE}")


def _joined(
    root: str,
    there: str | None,
    owner: dict[str, Any],
    said: dict[str, Any],
    mine: dict[str, Any],
    objects: Objects,
) -> Claim:
    """The same run, or one that continues it; anything else is refused."""
    birth = mine["birth"]
    if birth is None or birth == there:
        return Claim(root)
    same_job = said.get("job") is not None and said.get("job") == owner.get("job")
    if said.get("continues") or same_job:
        return Claim(root, apart=birth)
    key = run_key(Path(mine["folder"]))
    raise RunTakenError(
        f"{key} is another run there: it began {_when(owner)}, this one {_when(mine)}",
        where=f"{objects.address}/{key}",
        hint="give this run another id, or ship it to another prefix; "
        "a run that continues that one is recorded with resume=True",
    )


def _when(who: dict[str, Any]) -> str:
    started = who.get("started")
    when = "at an unknown time"
    if isinstance(started, int | float):
        when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(started))
    where = f" on {who['host']} in {who['folder']}" if who.get("host") else ""
    return f"{when}{where}"


def _birth(said: dict[str, Any]) -> str | None:
    """An identity that no other run has; None where only rank 0 of another node knows it.

    Of runs that an earlier version recorded, their start.
    """
    if is_origin(str(said.get("birth"))):
        return str(said["birth"])
    started = said.get("started")
    return f"L{int(started * 1000):012x}-000000" if isinstance(started, int | float) else None


def _said(folder: Path) -> dict[str, Any]:
    return run_file_if_any(folder).content
