"""What of a run folder is not in the bucket, by what its shipper last said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runvitals.remote.keys import grows
from runvitals.remote.ship import shipped_files
from runvitals.store.layout import segments
from runvitals.store.stream import rows_between

NAMED = 3  # files that a message names


@dataclass(frozen=True)
class Missing:
    """Rows of points, bytes of all files, and the files these belong to."""

    rows: int = 0
    bytes: int = 0
    files: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files)

    def __str__(self) -> str:
        """A phrase.

        >>> str(Missing(1262, 48112, ("points/rank0.arrows", "run.json")))
        '1,262 rows (48,112 bytes of 2 files: points/rank0.arrows, run.json)'
        """
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        files = "1 file" if len(self.files) == 1 else f"{len(self.files):,} files"
        more = ", ..." if len(self.files) > NAMED else ""
        return f"{rows} ({self.bytes:,} bytes of {files}: {', '.join(self.files[:NAMED])}{more})"


def missing(
    folder: Path, there: Mapping[str, Any], recorded: Mapping[str, int], rank: int | None = None
) -> Missing:
    """What is not there; with a rank, only of its files, where rank 0 has those of the run too.

    `recorded`: rows of segments, by their stem, as their recorder counted them. A table has a row for
    each of them except those of rare names, so without this a few may not be counted.
    """
    rows = size = 0
    files = []
    for file in sorted(shipped_files(folder)):
        if rank is not None and _rank(file) != rank:
            continue
        try:
            state = (folder / file).stat()
        except FileNotFoundError:
            continue  # another rank's stream, compacted while we looked
        known = there.get(file) or (0, 0)
        if grows(file):
            lacks = state.st_size - int(known[0])
            if lacks > 0 and file.endswith(".arrows"):
                rows += rows_between(folder / file, int(known[0]))
        else:
            lacks = 0 if list(known) == [state.st_size, state.st_mtime_ns] else state.st_size
        if lacks > 0:
            size += lacks
            files.append(file)
    for segment in segments(folder):
        table = segment.table(Path()).as_posix()
        if table in files:
            sent = there.get(segment.stream(Path()).as_posix()) or (0, 0)
            rows += max(0, recorded.get(segment.stem, _table_rows(folder / table)) - int(sent[1]))
    return Missing(rows, size, tuple(files))


def _rank(file: str) -> int:
    """Whose file it is: those of the whole run are rank 0's."""
    name = file.rpartition("/")[2]
    digits = name.removeprefix("rank").partition(".")[0]
    return int(digits) if name.startswith("rank") and digits.isdigit() else 0


def _table_rows(path: Path) -> int:
    import pyarrow.parquet

    return int(pyarrow.parquet.read_metadata(path).num_rows)
