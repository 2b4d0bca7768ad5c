"""Whether the kernel ended processes because memory ran out; it does so without a word to them."""

from __future__ import annotations

from pathlib import Path


def memory_kills() -> int | None:
    """How many processes this machine, or this container, has lost to a lack of memory so far."""
    counts = [
        count
        for path in (Path("/proc/vmstat"), *_group_files())
        if (count := _count(path)) is not None
    ]
    return sum(counts) if counts else None


def _group_files() -> list[Path]:
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    places = [line.split(":", 2)[2].lstrip("/") for line in lines if line.startswith("0::")]
    return [Path("/sys/fs/cgroup") / place / "memory.events" for place in places]


def _count(path: Path) -> int | None:
    try:
        for line in path.read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill":
                return int(value)
    except (OSError, ValueError):
        return None
    return None
