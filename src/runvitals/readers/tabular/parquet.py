"""Parquet tables with a step-like column."""

from pathlib import Path

from runvitals.model import Gap, ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.rows.collector import RowCollector, too_large
from runvitals.readers.rows.evidence import confidence_of
from runvitals.readers.rows.table import Table
from runvitals.readers.tabular._blocks import constant_texts, logs_of

ID = "parquet"

_BATCH = 65_536
_SAMPLE = 512
_OWN = {"step", "time", "value", "rank"}  # the numbers in what `runvitals export` writes


def sniff(path: Path, head: bytes) -> int:
    """By its columns, and whether one of them counts."""
    if not head.startswith(b"PAR1"):
        return 0
    from runvitals.readers.tabular._arrow import BROKEN, counts_by_name, read_parquet

    rows = RowCollector()
    try:
        if not counts_by_name(path):
            return 0
        read_parquet(path, rows, _SAMPLE, _SAMPLE)
    except BROKEN:
        return 0
    if _is_export(rows.table()):
        return 60
    return confidence_of(rows, path.stem) if rows.rows > 1 else 0


def read(path: Path) -> list[Log]:
    """The runs in the table."""
    from runvitals.readers.tabular._arrow import BROKEN, read_parquet

    warnings: list[str] = []
    rows = RowCollector()
    try:
        total = read_parquet(path, rows, _BATCH)
        if rows.rows < total:
            warnings.append(too_large(rows.rows))
    except BROKEN as error:
        if not rows.rows:
            told = f"this is not a complete Parquet file ({error})"
            raise ReadError(path, told, hint="is it still being written?") from error
        warnings.append(Gap(f"damaged after row {rows.rows} ({error}); read up to there"))
    table = rows.table()
    step = "step" if _is_export(table) else None
    logs, _ = logs_of(path, ID, table, warnings, config=constant_texts(rows), step=step)
    return logs


def _is_export(table: Table) -> bool:
    """True if `runvitals export` wrote it."""
    return set(table.keys) == {"metric"} and {*table.columns, "time"} == _OWN


READER = Reader(ID, "Parquet table", sniff, read)
