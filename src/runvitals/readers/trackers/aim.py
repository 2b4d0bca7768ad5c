"""Aim repositories (`.aim`): known, but not read.

Aim keeps its series in RocksDB under a key encoding of its own, with recent points in write-ahead
logs; reading that without Aim's engine would mean guessing at half-written data. So this reader only
says what to do.
"""

from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.log import Log, Reader

ID = "aim"

_INSIDE = frozenset({"run_metadata.sqlite", "VERSION", "aim_db"})
# Aim answers queries from its index, which holds a run only after reindexing.
_HINT = (
    "export it where Aim and pandas are installed, and read aim.csv: aim storage --repo {repo} reindex "
    '-y && python -c "import aim; '
    "aim.Repo('{repo}').query_metrics().dataframe().to_csv('aim.csv')\""
)


def sniff(path: Path, head: bytes) -> int:  # noqa: ARG001 - one signature for all readers
    """By its location in a folder `.aim`."""
    if path.name == ".aim":
        return 95
    inside = ".aim" in path.parts[:-1]
    if not inside:
        return 0
    return 95 if path.name in _INSIDE or {"meta", "seqs"} & set(path.parts) else 40


def read(path: Path) -> list[Log]:
    """Raises `ReadError` with the way to export the runs."""
    store = next((one for one in (path, *path.parents) if one.name == ".aim"), path)
    told = "Aim keeps its runs in a database that only Aim can read"
    raise ReadError(store, told, hint=_HINT.format(repo=store.parent))


READER = Reader(
    ID, "Aim repository (to be exported first)", sniff, read, role="main", owns_folder=True
)
