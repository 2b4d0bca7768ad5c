"""Explains why no reader accepts a file: it is damaged, or it holds no series.

Most files that nobody knows are simply no logs. One that is called `trainer_state.json` and is no JSON
was a log once, and must not vanish without a word.
"""

import re
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.raw.numbers import parse_number
from runvitals.readers.raw.source import COMPRESSED, uncompressed_name
from runvitals.readers.tabular._json import parse
from runvitals.readers.tabular._table_head import sample
from runvitals.readers.trackers._sqlite import MAGIC as SQLITE
from runvitals.readers.trackers._sqlite import opened

_PARQUET = b"PAR1"
_DATABASES = frozenset({"mlflow.db", "mlruns.db", "trackio.db"})
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")  # no console writes these
_TEXTS = (".csv", ".tsv", ".jsonl", ".json", ".txt", ".log")


def why_damaged(path: Path, start: bytes, *, is_loggers: bool) -> str | None:
    """What is wrong with a file that no reader accepts; None if it is probably no log.

    `start` are its first bytes, decompressed; `is_loggers` says that loggers call their file so.
    """
    name = uncompressed_name(path)
    if path.suffix.lower() in COMPRESSED and name.endswith(_TEXTS) and not start:
        return "the compressed data is damaged"
    if name.endswith(".parquet") or start.startswith(_PARQUET):
        return _parquet(path)
    if start.startswith(SQLITE) or name in _DATABASES:
        return _database(path)
    if "tfevents" in name:
        return "no event record in it"
    if name.endswith(".wandb"):
        return "no W&B record in it"
    if name == "evaluations.npz":
        return "no whole NumPy archive of evaluations"
    if not is_loggers:
        return None
    if _CONTROLS.search(start):
        return "it contains bytes that are not text"
    if name.endswith(".json") and start.lstrip()[:1] in (b"{", b"["):
        return _json(path, start)
    return None


def why_no_series(path: Path, start: bytes) -> tuple[str, str] | None:
    """What a whole file of a log's kind holds instead of series, and a hint or ""; None for others."""
    name = uncompressed_name(path)
    if name.endswith((".csv", ".tsv")) and (found := sample(start)) is not None:
        if not found.header:
            return ("its columns have no names", "put the names of the columns into its first line")
        first = found.rows[0] if found.rows else []
        texts = [
            n for n, cell in zip(found.names, first, strict=False) if parse_number(cell) is None
        ]
        rows = f"one row for each `{texts[0]}`" if texts else "numbers"
        why = f"{rows}, and no column that counts steps, episodes or epochs"
        return why, "give the log that was written while it trained"
    if name.endswith(".json") and start.lstrip()[:1] == b"{" and _json(path, start) is None:
        return (
            "results or settings, and no list of values over time",
            "give the log that was written while it trained",
        )
    if name.endswith((".log", ".out")):
        return "no metrics were printed", ""
    return None


def _parquet(path: Path) -> str | None:
    from runvitals.readers.rows.collector import RowCollector
    from runvitals.readers.tabular._arrow import BROKEN, counts_by_name, read_parquet

    try:
        if counts_by_name(path):
            read_parquet(path, RowCollector(), 512, 512)
    except BROKEN as error:
        return f"no whole Parquet file ({' '.join(str(error).split())[:120]})"
    return None


def _database(path: Path) -> str | None:
    try:
        with opened(path) as connection:
            connection.execute("select name from sqlite_master").fetchall()
    except ReadError as error:
        return error.problem
    return None


def _json(path: Path, start: bytes) -> str | None:
    if len(start) < path.stat().st_size:
        return None  # too long to tell by its start
    for text in (start, start.split(b"\n", 1)[0]):  # a document, or an object a line
        try:
            parse(text)
        except ValueError:
            continue
        return None
    return "no valid JSON"
