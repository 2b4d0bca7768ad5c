"""Parquet files of rollouts: TRL's `completions/*.parquet`, prime-rl's and others' of the same kind."""

from collections.abc import Iterator
from pathlib import Path

from runvitals.readers.samples._rollouts import Row, rollouts_reader, sureness

_BATCH = 2_048  # rows
_BUFFER = 2**20  # bytes of a column that are read at once, however large its row group is


def sniff(path: Path, head: bytes) -> int:
    """By its columns."""
    if not head.startswith(b"PAR1"):
        return 0
    from runvitals.readers.tabular._arrow import BROKEN, column_names

    try:
        return sureness(path, column_names(path))
    except BROKEN:
        return 0


def _rows(path: Path) -> Iterator[Row]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, buffer_size=_BUFFER) as file:
        for batch in file.iter_batches(_BATCH):
            yield from batch.to_pylist()


READER = rollouts_reader("parquet-rollouts", "Parquet rollouts", sniff, _rows)
