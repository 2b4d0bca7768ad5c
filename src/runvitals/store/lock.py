"""One writer per rank: who holds a run, and is it still alive?"""

from __future__ import annotations

import errno
import os
import socket
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson

from runvitals.model import RunBusyError
from runvitals.store.files import read_json_if_any

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows has no flock: the heartbeat decides alone
    fcntl = None

HEARTBEAT_SECONDS = 15.0
SILENT_SECONDS = 120.0  # no heartbeat for so long: the writer on another host is taken for dead


class WriterLock:
    """Held while a process writes one rank of a run; released by the system if it dies."""

    def __init__(self, run_folder: Path, rank: int, run_id: str) -> None:
        self.path = lock_path(run_folder, rank)
        self._next_beat = 0.0
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._take(run_id, rank)
        except BaseException:
            os.close(self._file)
            raise
        import psutil  # slow to import, and readers seldom need it

        holder = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "process_started": psutil.Process().create_time(),
            "since": time.time(),
        }
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, orjson.dumps(holder), 0)

    def _take(self, run_id: str, rank: int) -> None:
        taken = take_file(self._file)
        if taken is None:
            taken = not writer_alive(self.path.parent.parent, rank)
        if taken:
            return
        holder = read_json_if_any(self.path)
        raise RunBusyError(
            f"run {run_id!r} (rank {rank}) is being written by process "
            f"{holder.get('pid', '?')} on {holder.get('host', '?')}",
            where=self.path.parent.parent,
            hint="give this run another id, or stop the other process first",
        )

    def beat(self) -> None:
        """Update the heartbeat; cheap enough to call often."""
        now = time.monotonic()
        if now >= self._next_beat:
            self._next_beat = now + HEARTBEAT_SECONDS
            os.utime(self._file)

    def release(self) -> None:
        """Release the run."""
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Close the file without releasing the lock, as a forked child does with its parent's."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def take_file(file: int) -> bool | None:
    """Have an open file to oneself; False if another process has it, None if nobody can tell."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # any other error: the file system has no locks (some NFS and Lustre mounts)
        return False if error.errno in (errno.EACCES, errno.EAGAIN) else None
    return True


def lock_path(run_folder: Path, rank: int) -> Path:
    """Where the lock of a rank lies."""
    return run_folder / "points" / f"rank{rank}.lock"


def writer_alive(run_folder: Path, rank: int = 0) -> bool:
    """Whether a live process writes this rank, as far as can be seen from here."""
    path = lock_path(run_folder, rank)
    holder = read_json_if_any(path)
    if not holder:
        return False
    if holder.get("host") == socket.gethostname():
        return _process_lives(holder)
    try:
        return time.time() - path.stat().st_mtime < SILENT_SECONDS
    except OSError:
        return False


def _process_lives(holder: dict[str, Any]) -> bool:
    import psutil

    try:
        # ids are given out again: the same id with another start is another process
        started = psutil.Process(int(holder["pid"])).create_time()
        return abs(started - float(holder["process_started"])) < 2.0
    except (psutil.Error, KeyError, TypeError, ValueError):
        return False
