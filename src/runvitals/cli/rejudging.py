"""Judge again whenever a file has changed."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from select import select

from rich.console import Console

from runvitals.readers.discovery.discover import may_be_log

EVERY = 2.0  # seconds between two looks

State = dict[Path, tuple[float, int]]


def rejudge(logs: Sequence[Path], judge: Callable[[], int], every: float = EVERY) -> int:
    """Judge now and after each change, until Ctrl-C; gives the last exit code.

    A terminal is cleared before each new report; elsewhere a line with the time stands between them.
    """
    console = Console()
    code = 2
    seen: State | None = None
    with interrupts() as interrupted:
        while True:
            now = state_of(logs)
            if now != seen:
                if seen is not None and not console.is_terminal:
                    print(f"--- {time.strftime('%H:%M:%S')}")
                console.clear()
                code, seen = judge(), now
                if console.is_terminal:
                    console.print("watching; Ctrl-C ends", style="dim")
            if interrupted(every):
                break
    return code


@contextmanager
def interrupts() -> Iterator[Callable[[float], bool]]:
    """Ends with Ctrl-C. What it gives waits for some seconds and says whether one came.

    A KeyboardInterrupt that is raised in a finaliser is printed and forgotten. The byte that each
    signal sends stays.
    """
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    wakes = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    try:
        yield lambda seconds: bool(select([ours], [], [], seconds)[0])
    except KeyboardInterrupt:
        pass
    finally:
        signal.set_wakeup_fd(wakes)
        signal.signal(signal.SIGINT, handler)
        ours.close()
        theirs.close()


def state_of(logs: Sequence[Path]) -> State:
    """When each file that may be a log was changed, and how long it is."""
    found: State = {}
    for log in logs:
        for path in sorted(log.rglob("*")) if log.is_dir() else [log]:
            if path != log and not may_be_log(path):
                continue
            try:
                is_file, stat = path.is_file(), path.stat()
            except OSError:
                continue  # it is being replaced, or not there yet
            if is_file:
                found[path] = (stat.st_mtime, stat.st_size)
    return found
