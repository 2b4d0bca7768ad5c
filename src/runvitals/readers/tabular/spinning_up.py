"""Spinning Up `progress.txt`: tab-separated averages of each epoch, `config.json` beside it."""

from __future__ import annotations

from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import head as first_bytes
from runvitals.readers.tabular._blocks import is_binary
from runvitals.readers.tabular._delimited import sample
from runvitals.readers.tabular._json import config_beside
from runvitals.readers.tabular.csv_log import read_with

ID = "spinning-up"

_STEP = "TotalEnvInteracts"


def sniff(path: Path, head: bytes) -> int:  # noqa: ARG001 - the columns tell, not the name
    """By its columns."""
    if is_binary(head):
        return 0
    names = {name.strip() for name in head.split(b"\n", 1)[0].split(b"\t")}
    if b"Epoch" in names and {b"AverageEpRet", b"EpRet"} & names:
        return 95
    return 90 if {b"AverageEpRet", b"TotalEnvInteracts"} <= names else 0


def read(path: Path) -> list[Log]:
    """The run, with its configuration."""
    found = sample(first_bytes(path), "\t")
    if found is None or not found.header:
        raise ReadError(path, "no tab-separated header line", hint="is this a progress.txt?")
    config = config_beside(path, "config.json")
    step = _STEP if _STEP in found.names else None
    return read_with(path, found, format=ID, framework="spinningup", step=step, config=config)


READER = Reader(
    ID,
    "Spinning Up progress.txt",
    sniff,
    read,
    role="main",
)
