"""Keeps the mirror of an address current while a command looks at it."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import psutil

from runvitals.model import RemoteError, RunvitalsError
from runvitals.remote.mirror import Mirror, mirror_of
from runvitals.remote.start import module_environment

FOLLOW_SECONDS = 5.0
LIVE_COMMANDS = ("watch", "serve")


def local_folder(url: str) -> Path:
    """A folder of this machine with the runs of an address; a live command's is kept current."""
    mirror = _synced(url)
    if not any(mirror.folder.iterdir()):
        raise RemoteError(f"no runs found at {url}", hint="`runvitals push RUNS URL` brings some")
    if any(word in sys.argv[1:2] for word in LIVE_COMMANDS) or "--watch" in sys.argv:
        _follow(url)
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


def _synced(url: str, pattern: str = "") -> Mirror:
    mirror = mirror_of(url)
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


def _follow(url: str) -> None:
    """In a process of its own, which ends with this one."""
    subprocess.Popen(
        [sys.executable, "-P", "-m", "runvitals.remote.following", url, str(psutil.Process().pid)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=module_environment(),
    )


def follow(url: str, parent: int, every: float = FOLLOW_SECONDS) -> None:
    """Bring the mirror up to date until the process that wants it is gone."""
    mirror = mirror_of(url)
    wanted = psutil.Process(parent)
    told: set[str] = set()
    while wanted.is_running() and wanted.status() != psutil.STATUS_ZOMBIE:
        try:
            mirror.sync()
            problems = mirror.problems
        except RemoteError as error:
            problems = [str(error)]  # it may come back
        for problem in problems:
            if problem not in told:
                told.add(problem)
                print(f"warning: {problem}", file=sys.stderr)
        time.sleep(every)


def main() -> None:
    """What the started process runs."""
    parser = argparse.ArgumentParser(prog="python -m runvitals.remote.following")
    parser.add_argument("url")
    parser.add_argument("parent", type=int)
    given = parser.parse_args()
    try:
        follow(given.url, given.parent)
    except psutil.NoSuchProcess:
        return
    except RunvitalsError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
