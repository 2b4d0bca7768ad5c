"""JSON lines of rollouts, as veRL (`rollout_data_dir`) and others keep them."""

from collections.abc import Iterator
from pathlib import Path

import orjson

from runvitals.readers.raw.source import open_binary
from runvitals.readers.samples._rollouts import Row, rollouts_reader, sureness
from runvitals.readers.tabular.json_lines import objects

MAX_LINE = 16 * 2**20  # bytes; a longer one is not read


def sniff(path: Path, head: bytes) -> int:
    """By the fields of the first objects."""
    rows = objects(head)
    return min((sureness(path, row) for row in rows[:3]), default=0)


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


READER = rollouts_reader("jsonl-rollouts", "JSONL rollouts", sniff, json_rows)
