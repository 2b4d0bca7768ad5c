"""Keeps the mirror of an address up to date while a command uses it, in a process that ends with it."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import psutil

from runvitals.model import RemoteError, RunvitalsError
from runvitals.remote.mirror import Mirror, listed_runs, mirror_of
from runvitals.remote.start import module_environment
from runvitals.store.objects.store import is_url

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


LAZILY = "lazily"


def local_folder(url: str, *, lazily: bool = False) -> Path:
    """A folder of this machine with the runs of an address; a live command's is kept current.

    `lazily`: an ended run is there as the list tells of it, and `fetch_listed` brings the rest.
    """
    mirror = _synced(url, lazily=lazily)
    if not any(mirror.folder.iterdir()):
        raise RemoteError(f"no runs found at {url}", hint="`runvitals push RUNS URL` brings some")
    follow_if_live("runvitals.remote.following", url, *([LAZILY] if lazily else []))
    return mirror.folder


def local_paths(url: str) -> list[Path]:
    """The same of an address that may be a pattern: `s3://bucket/team/ppo/seed-*`."""
    place, pattern = split_pattern(url)
    if not pattern:
        return [local_folder(url)]
    found = sorted(_synced(place, pattern).folder.glob(pattern))
    if not found:
        raise RemoteError(f"no runs at {place} match {pattern}")
    return found


def listed(url: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """An address up to its first wildcard, and what the list beside its runs says about them.

    Nothing of the runs is fetched. There is no list in an index, and none where nobody has shipped.
    """
    if not is_url(url):
        return url, {}
    place, pattern = split_pattern(url)
    return place, listed_runs(place, pattern)


def _synced(url: str, pattern: str = "", *, lazily: bool = False) -> Mirror:
    mirror = mirror_of(url, lazily=lazily)
    mirror.sync(pattern)
    for problem in mirror.problems:
        print(f"warning: {problem}", file=sys.stderr)
    return mirror


def split_pattern(url: str) -> tuple[str, str]:
    """An address up to its first wildcard, and the pattern from there on.

    >>> split_pattern("s3://bucket/team/ppo/seed-*"), split_pattern("s3://bucket/team")
    (('s3://bucket/team/ppo', 'seed-*'), ('s3://bucket/team', ''))
    """
    scheme, _, rest = url.partition("://")
    names = rest.split("/")
    wild = next((i for i, name in enumerate(names) if i and set(name) & set("*?[")), len(names))
    return f"{scheme}://{'/'.join(names[:wild])}", "/".join(names[wild:]).rstrip("/")


def _sync(url: str, how: str = "") -> Sync:
    mirror = mirror_of(url, lazily=how == LAZILY)

    def sync() -> list[str]:
        mirror.sync()
        return mirror.problems

    return sync


if __name__ == "__main__":
    run("runvitals.remote.following", _sync)
