"""Asks questions in SQL about a folder, in a process that can only read its tables (`asked.py`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

import pyarrow as pa

from runvitals.index.asked import ANSWER, HEAD, REFUSED, Limits
from runvitals.model import ConfigError, IndexFailure
from runvitals.store.clickhouse.connection import IndexAddress, turn_at

# of the environment: where Python and its libraries are; no password or key of the user goes along
_PASSED_ON = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "TZ")
_CHILD = (sys.executable, "-P", "-m", "runvitals.index.asked")
_START_SECONDS = 120.0  # a busy machine takes its time
_MAX_SHOWN = 400  # characters of the engine's complaint


@dataclass
class Asking:
    """Tables that answer questions, one after the other."""

    file: Path
    limits: Limits
    process: subprocess.Popen[bytes]
    _ended: bool = field(default=False)

    def answer(self, sql: str, patience: float | None = None) -> pa.Table:
        """The answer to a question, in at most `patience` seconds. Raises `RunvitalsError`."""
        if self._ended:
            raise IndexFailure("the engine was ended by an earlier query")
        patience = patience or self.limits.seconds
        content = self._exchange(json.dumps(sql).encode() + b"\n", patience)
        return as_text(pa.ipc.open_stream(content).read_all()) if content else pa.table({})

    def _exchange(self, said: bytes, seconds: float) -> bytes:
        source, sink = self.process.stdout, self.process.stdin
        assert source is not None
        assert sink is not None
        late = threading.Timer(seconds, self._end)
        late.start()
        try:
            sink.write(said)
            sink.flush()
            head = _read(source, HEAD.size)
            kind, length = HEAD.unpack(head)
            content = _read(source, length)
        except (EOFError, BrokenPipeError):
            what = "the embedded engine ended without an answer"
            if self._ended:
                what = f"the query took longer than {seconds:g} s"
            self._ended = True
            raise IndexFailure(what) from None
        finally:
            late.cancel()
        if kind == ANSWER:
            return content
        if kind == REFUSED:
            what, hint = json.loads(content)
            raise ConfigError(what, hint=hint)
        what, why = _reason(content.decode(errors="replace"))
        raise IndexFailure(what, hint=why)

    def _end(self) -> None:
        self._ended = True
        self.process.kill()


@contextmanager
def asking(file: Path, limits: Limits | None = None) -> Iterator[Asking]:
    """Have questions to the tables in a file (`local.py`) answered, for as long as there are any."""
    limits = limits or Limits()
    turn = turn_at(IndexAddress(folder=str(file.parent)), shared=True)
    with turn, tempfile.TemporaryDirectory(prefix="runvitals-") as work:
        process = subprocess.Popen(
            [*_CHILD, str(file), work, json.dumps(asdict(limits))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=work,
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ}
            | {"TMPDIR": work, "HOME": work, "OPENBLAS_NUM_THREADS": "1"},
        )
        try:
            made = Asking(file, limits, process)
            made._exchange(b"", _START_SECONDS)
            yield made
        finally:
            process.kill()
            process.communicate()


def as_text(table: pa.Table) -> pa.Table:
    """The same table, if all of its strings are text; the engine's may be any bytes."""
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        raise IndexFailure(
            "the answer holds bytes that are not text", hint="ask for hex(...) of that column"
        ) from None
    return table


# what a complaint of DuckDB holds, what it means, and what to do about it
_REASONS = (
    ("disabled by configuration", "a query may only read the tables of the folder", None),
    ("configuration has been locked", "a query cannot change settings", None),
    ("read-only mode", "a query may only read the tables of the folder", None),
    ("Out of Memory", "the engine ran out of memory", "ask for fewer rows or columns"),
    ("maximum total string size", "the answer is too long", "add a LIMIT, or ask for averages"),
)


def _reason(text: str) -> tuple[str, str | None]:
    """What DuckDB complains about, in one sentence, and what to do about it."""
    for sign, what, hint in _REASONS:
        if sign in text:
            return what, hint
    first, _, rest = text.partition("\n")
    hint = next((line for line in rest.splitlines() if line.startswith(("Did", "Candidate"))), None)
    return f"the query failed: {first[:_MAX_SHOWN]}", hint


def _read(source: IO[bytes], length: int) -> bytes:
    content = source.read(length)
    if len(content) < length:
        raise EOFError
    return content
