"""Runs of an index as folders of this machine, so that whatever reads run folders reads these.

Small files are copied from the index; the points stay there, and a small file says so
(`store/clickhouse/points.py`).
"""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath
from typing import Any

from runvitals.index.database import opened
from runvitals.model import IndexFailure
from runvitals.model.atomic import replacing
from runvitals.model.references import cache_folder
from runvitals.remote.following import Sync, follow_if_live
from runvitals.remote.following import run as run_follower
from runvitals.remote.keys import is_safe
from runvitals.store.clickhouse.connection import IndexAddress, parse_index
from runvitals.store.clickhouse.points import Pointer, write_pointer
from runvitals.store.files import read_json_if_any, write_json
from runvitals.store.lock import lock_path

_STATE = ".index.2.json"  # in version 1 references had no signature


def local_folder(url: str) -> Path:
    """A folder with the runs of an index; a live command's is kept current."""
    address = parse_index(url)
    folder = sync(address)
    if not any(path.is_dir() for path in folder.iterdir()):
        raise IndexFailure(
            "the index holds no runs",
            where=str(address),
            hint=f"`runvitals index RUNS {address}` brings some",
        )
    follow_if_live("runvitals.index.mirror", str(address))
    return folder


def sync(address: IndexAddress) -> Path:
    """Bring the folder of an index up to date."""
    digest = hashlib.sha256(str(address).encode()).hexdigest()[:10]
    folder = cache_folder() / f"index-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    seen = int(read_json_if_any(folder / _STATE).get("version", 0))
    newest = seen
    with opened(address) as database:
        changed = database.rows(
            "SELECT run, version FROM {db}.runs FINAL WHERE version > {seen:UInt64}", seen=seen
        )
        documents = database.rows(
            "SELECT run, name, content FROM {db}.documents FINAL "
            "WHERE run IN (SELECT run FROM {db}.runs FINAL WHERE version > {seen:UInt64})",
            seen=seen,
        )
        status = database.rows(
            "SELECT run, status = 'running' FROM {db}.runs FINAL "
            "WHERE status = 'running' OR version > {seen:UInt64}",
            seen=seen,
        )
    for run, name, content in documents:
        if is_safe(run) and is_safe(name):
            _write(folder / PurePosixPath(run) / PurePosixPath(name), content)
    for run, version in changed:
        if is_safe(run):
            write_pointer(folder / PurePosixPath(run), Pointer(str(address), run, version))
            newest = max(newest, version)
    for run, running in status:
        if is_safe(run):
            _heartbeat(folder / PurePosixPath(run), running=bool(running))
    write_json(folder / _STATE, {"version": newest, "index": str(address)})
    return folder


def _heartbeat(run_folder: Path, *, running: bool) -> None:
    """A run that went on when it was indexed goes on, as far as the index knows."""
    path = lock_path(run_folder, 0)
    if not running:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"host": "elsewhere", "pid": 0})


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content if isinstance(content, bytes) else str(content).encode())


def _sync(url: str) -> Sync:
    address = parse_index(url)

    def bring() -> list[str]:
        sync(address)
        return []

    return bring


if __name__ == "__main__":
    run_follower("runvitals.index.mirror", _sync)
