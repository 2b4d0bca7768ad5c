"""Servers in processes of their own: started, waited for, weighed, and ended."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import psutil

PATIENCE = 120.0  # seconds
LOOK_EVERY = 0.1
OURS = ("runvitals.cli.main", "runvitals.server.listening", "runvitals.server.app")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def started(
    command: Sequence[str], port: int, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A server that answers at the port; ended with all of its processes."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for_port(port, process)
        yield process
    finally:
        tree = _tree(process.pid)
        process.terminate()
        process.wait(30)
        for one in tree:
            with suppress(psutil.NoSuchProcess):
                one.kill()


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.perf_counter() + PATIENCE
    while time.perf_counter() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.005)
    raise SystemExit(f"{process.args!r} does not answer at port {port}")


def compiled(folder: str, *modules: str) -> dict[str, str]:
    """An environment in which these modules have been compiled, as after an installation."""
    unwanted = {"PYTHONDONTWRITEBYTECODE"}
    kept = {key: value for key, value in os.environ.items() if key not in unwanted}
    made = {**kept, "PYTHONPYCACHEPREFIX": folder, "OPENBLAS_NUM_THREADS": "1"}
    code = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    subprocess.run([sys.executable, "-c", code, *modules], env=made, check=True)
    return made


class Memory:
    """What a process and its children hold, in megabytes; watched until it ends."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.most = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    def now(self) -> float:
        total = 0
        for process in _tree(self._pid):
            with suppress(psutil.NoSuchProcess):
                total += process.memory_info().rss
        self.most = max(self.most, total / 2**20)
        return total / 2**20

    def _watch(self) -> None:
        while self.now() > 0:
            time.sleep(LOOK_EVERY)


def _tree(pid: int) -> list[psutil.Process]:
    try:
        top = psutil.Process(pid)
        return [*top.children(recursive=True), top]
    except psutil.NoSuchProcess:
        return []
