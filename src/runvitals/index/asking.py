"""Asks the embedded engine questions in SQL, in a process that can only read the index (`asked.py`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape

import pyarrow as pa

from runvitals.index.asked import ANSWER, CONFIG, HEAD, REFUSED, USERS
from runvitals.index.question import Limits, one_question
from runvitals.model import ConfigError, IndexFailure
from runvitals.store.clickhouse.address import IndexAddress
from runvitals.store.clickhouse.connection import need_library, reason_of, turn_at

# of the environment: where Python and its libraries are; no password or key of the user goes along
_PASSED_ON = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "TZ")
_CHILD = (sys.executable, "-P", "-m", "runvitals.index.asked")
_START_SECONDS = 120.0  # a busy machine takes its time
_GRACE = (
    10.0  # seconds after which a question that the engine did not end is ended with its process
)


@dataclass
class Asking:
    """An index that answers questions, one after the other."""

    address: IndexAddress
    limits: Limits
    process: subprocess.Popen[bytes]
    _ended: bool = field(default=False)

    def answer(self, sql: str, patience: float | None = None) -> pa.Table:
        """The answer to a question. Raises `RunvitalsError`.

        After `patience` seconds a question that the engine did not end is ended with its process.
        """
        if self._ended:
            raise IndexFailure("the engine was ended by an earlier query", where=str(self.address))
        patience = patience or self.limits.seconds + _GRACE
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
            raise IndexFailure(what, where=str(self.address)) from None
        finally:
            late.cancel()
        if kind == ANSWER:
            return content
        if kind == REFUSED:
            what, hint = json.loads(content)
            raise ConfigError(what, hint=hint)
        what, why = reason_of(content.decode(errors="replace"))
        raise IndexFailure(what, where=str(self.address), hint=why)

    def _end(self) -> None:
        self._ended = True
        self.process.kill()


@contextmanager
def asking(address: IndexAddress, limits: Limits | None = None) -> Iterator[Asking]:
    """Have questions to an index in a folder answered, for as long as there are any."""
    limits = limits or Limits()
    need_library(embedded=True)
    with turn_at(address), tempfile.TemporaryDirectory(prefix="runvitals-") as work:
        _configure(Path(work), address.database, limits)
        process = subprocess.Popen(
            [*_CHILD, address.folder, address.database, work],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=work,  # the engine takes a config.xml that it finds there for its own
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ}
            | {"TMPDIR": work, "OPENBLAS_NUM_THREADS": "1"},
        )
        try:
            made = Asking(address, limits, process)
            made._exchange(b"", _START_SECONDS)
            yield made
        finally:
            process.kill()
            process.communicate()


def ask_server(client: Any, database: str, sql: str, limits: Limits) -> pa.Table:
    """The answer of a server. Where its user is read-only already, it keeps the limits of that user."""
    client.database = database
    known = client.server_settings.get("readonly")
    settings = {} if known is not None and known.value == "1" else limits.settings()

    def first_cell(asked: str) -> str:
        return str(client.query(asked, settings=settings).first_row[0])

    spelled = one_question(sql, first_cell)
    found: pa.Table = client.query_arrow(spelled, use_strings=True, settings=settings)
    return found


def as_text(table: pa.Table) -> pa.Table:
    """The same table, if all of its strings are text; the engine's may be any bytes."""
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        raise IndexFailure(
            "the answer holds bytes that are not text", hint="ask for hex(...) of that column"
        ) from None
    return table


def _configure(work: Path, database: str, limits: Limits) -> None:
    profile = "".join(
        f"<{name}>{escape(str(value))}</{name}>" for name, value in limits.settings().items()
    )
    (work / CONFIG).write_text(
        f"<clickhouse><users_config>{escape(str(work / USERS))}</users_config></clickhouse>"
    )
    (work / USERS).write_text(
        f"<clickhouse><profiles><default>{profile}</default></profiles>"
        "<quotas><default/></quotas><users><default><password></password>"
        "<networks><ip>::1</ip><ip>127.0.0.1</ip></networks>"
        "<profile>default</profile><quota>default</quota>"
        f"<grants><query>GRANT SHOW, SELECT ON {database}.*</query></grants>"
        "</default></users></clickhouse>"
    )


def _read(source: IO[bytes], length: int) -> bytes:
    content = source.read(length)
    if len(content) < length:
        raise EOFError
    return content
