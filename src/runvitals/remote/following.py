"""Keeps the mirror of an address up to date while a command uses it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from runvitals.model import RemoteError
from runvitals.remote.follower import Sync, follow_if_live, run
from runvitals.remote.mirror import Mirror, listed_runs, mirror_of
from runvitals.store.objects.url import is_url

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
