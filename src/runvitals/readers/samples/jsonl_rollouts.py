"""JSON lines of rollouts, as veRL (`rollout_data_dir`) and others keep them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson

from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import open_binary
from runvitals.readers.samples._rollouts import Row, log_of, sureness
from runvitals.readers.tabular.json_lines import objects

ID = "jsonl-rollouts"
MAX_LINE = 16 * 2**20  # bytes; a longer one is not read


def sniff(path: Path, head: bytes) -> int:
    """By the fields of the first objects."""
    rows = objects(head)
    return min((sureness(path, row) for row in rows[:3]), default=0)


def read(path: Path) -> list[Log]:
    """One file alone."""
    return read_together([path])


def read_together(paths: Sequence[Path]) -> list[Log]:
    """The files of a folder, which a trainer writes one per step."""
    return log_of(paths, ID, json_rows)


def json_rows(path: Path) -> Iterator[Row]:
    """The objects of a file, line by line."""
    with open_binary(path) as file:
        while line := file.readline(MAX_LINE):
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue  # torn, or still being written
            if isinstance(row, dict):
                yield row


READER = Reader(ID, "JSONL rollouts", sniff, read, role="samples", read_together=read_together)
