"""A helper process that keeps a command's copy of remote runs up to date, and ends with it."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable

import psutil

from runvitals.model import RunvitalsError
from runvitals.remote.start import module_environment

FOLLOW_SECONDS = 5.0
LIVE_COMMANDS = ("watch", "serve")

Sync = Callable[[], Iterable[str]]  # brings the copy up to date; gives what went wrong


def follow_if_live(module: str, url: str, *options: str) -> None:
    """Start `python -m module url`, if this process runs a command that watches what is new."""
    if any(word in sys.argv[1:2] for word in LIVE_COMMANDS) or "--watch" in sys.argv:
        subprocess.Popen(
            [sys.executable, "-P", "-m", module, url, str(os.getpid()), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=module_environment(),
        )


def keep_current(sync: Sync, parent: int, every: float = FOLLOW_SECONDS) -> None:
    """Update a copy until the process that uses it has ended; warns once about each problem."""
    wanted = psutil.Process(parent)
    reported: set[str] = set()
    while wanted.is_running() and wanted.status() != psutil.STATUS_ZOMBIE:
        try:
            problems = list(sync())
        except RunvitalsError as error:
            problems = [str(error)]  # it may come back
        for problem in problems:
            if problem not in reported:
                reported.add(problem)
                print(f"warning: {problem}", file=sys.stderr)
        time.sleep(every)


def run(module: str, sync_of: Callable[..., Sync]) -> None:
    """What the started process runs: `python -m module URL PARENT [OPTION]...`."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("url")
    parser.add_argument("parent", type=int)
    parser.add_argument("options", nargs="*")
    given = parser.parse_args()
    try:
        keep_current(sync_of(given.url, *given.options), given.parent)
    except psutil.NoSuchProcess:
        return
    except RunvitalsError as error:
        sys.exit(f"error: {error}")
