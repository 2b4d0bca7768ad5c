"""Addresses of an index, and connections to it.

`clickhouse-connect` speaks to servers and to the embedded engine alike.

The embedded engine lets one process at a time into its folder. So it is opened for a piece of work and
closed again, and processes take turns by a lock.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from runvitals.model import IndexFailure

DATABASE = "runvitals"  # where the address names none
SCHEMES = ("clickhouse", "clickhouses", "chdb")
USER, PASSWORD = "CLICKHOUSE_USER", "CLICKHOUSE_PASSWORD"  # variables of the environment
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class IndexAddress:
    """Where an index lies. A password is never part of it: it stays in the environment."""

    host: str = ""
    port: int | None = None
    database: str = DATABASE
    secure: bool = False
    folder: str = ""  # of the embedded engine

    def __str__(self) -> str:
        if self.folder:
            other = f"?database={self.database}" if self.database != DATABASE else ""
            return f"chdb://{self.folder}{other}"
        port = f":{self.port}" if self.port else ""
        return f"clickhouse{'s' if self.secure else ''}://{self.host}{port}/{self.database}"


def is_index(text: str | os.PathLike[str]) -> bool:
    """Whether a text is the address of an index.

    >>> is_index("clickhouse://host/team"), is_index("chdb:///data/index"), is_index("s3://bucket")
    (True, True, False)
    """
    found = _SCHEME.match(os.fspath(text))
    return found is not None and found[1].lower() in SCHEMES


def parse_index(text: str) -> IndexAddress:
    """The address in a text; user and password go into the environment, for this process and its own.

    >>> str(parse_index("clickhouse://host:8123/team")), str(parse_index("chdb:///data/index"))
    ('clickhouse://host:8123/team', 'chdb:///data/index')
    """
    if not is_index(text):
        raise IndexFailure(
            f"{text} is not the address of an index",
            hint="write clickhouse://host/database, or chdb:///folder for one on this machine",
        )
    parts = urlsplit(text)
    scheme = parts.scheme.lower()
    if scheme == "chdb":
        if parts.netloc or not parts.path.strip("/"):
            raise IndexFailure(
                f"{text} names no folder", hint="chdb:// needs three slashes: chdb:///data/index"
            )
        folder = str(Path(unquote(parts.path)).absolute())
        database = parse_qs(parts.query).get("database", [DATABASE])[0]
        return IndexAddress(folder=folder, database=_checked(database))
    try:
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host:
        raise IndexFailure(
            "the address names no host", hint="write clickhouse://host:8123/database"
        )
    database = _checked(parts.path.strip("/") or DATABASE)
    for name, value in ((USER, parts.username), (PASSWORD, parts.password)):
        if value:
            os.environ[name] = unquote(value)
    secure = scheme == "clickhouses" or parse_qs(parts.query).get("secure") in (["1"], ["true"])
    return IndexAddress(host, port, database, secure)


def _checked(database: str) -> str:
    """The name of a database, which goes into SQL as it is."""
    if not _NAME.fullmatch(database):
        raise IndexFailure(
            f"{database!r} cannot be the name of a database",
            hint="letters, digits and underscores, after the host: clickhouse://host/team",
        )
    return database


EXTRA = 'pip install "runvitals[clickhouse]"'
LOCK_FILE = "runvitals.lock"
MAX_WAIT_SECONDS = 120.0  # for another process to leave the folder of the embedded engine
_MAX_SHOWN = 400  # characters of an engine's complaint
_turn = threading.RLock()  # of the threads of this process, at the embedded engine
_open: dict[str, tuple[Any, int]] = {}  # folders that are open in this process, and how often
_servers: dict[IndexAddress, Any] = {}


@contextmanager
def connected(address: IndexAddress, *, create: bool = False) -> Iterator[Any]:
    """A client of the index, for as long as it is needed; errors of the engine become our own."""
    with explained(address):
        if not address.folder:
            yield _server(address)
            return
        with _turn, _embedded(address, create=create) as client:
            yield client


@contextmanager
def explained(address: IndexAddress) -> Iterator[None]:
    """Say what the engine said, in a line and without its version and stack."""
    errors = need_library().driver.exceptions
    try:
        yield
    except errors.Error as error:
        what, hint = reason_of(str(error))
        raise IndexFailure(what, where=str(address), hint=hint) from None


def _server(address: IndexAddress) -> Any:
    known = _servers.get(address)
    if known is None:
        known = _servers[address] = need_library().get_client(
            host=address.host,
            port=address.port or 0,
            secure=address.secure,
            username=os.environ.get(USER) or None,
            password=os.environ.get(PASSWORD, ""),
            autogenerate_session_id=False,  # so that threads may share it
        )
    return known


@contextmanager
def _embedded(address: IndexAddress, *, create: bool) -> Iterator[Any]:
    client, count = _open.get(address.folder, (None, 0))
    if client is not None:
        _open[address.folder] = (client, count + 1)
        try:
            yield client
        finally:
            _open[address.folder] = (client, count)
        return
    with turn_at(address, create=create):
        client = need_library(embedded=True).get_client(interface="chdb", path=address.folder)
        _open[address.folder] = (client, 1)
        try:
            yield client
        finally:
            del _open[address.folder]
            client.close()


@contextmanager
def turn_at(address: IndexAddress, *, create: bool = False, shared: bool = False) -> Iterator[None]:
    """Have the folder of an embedded engine to oneself, or to readers; other processes wait."""
    folder = Path(address.folder)
    if not create and not (folder / LOCK_FILE).exists():
        raise IndexFailure(
            "no index found in this folder",
            where=folder,
            hint=f"`runvitals index RUNS {address}` makes one",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise IndexFailure(
            f"the index could not be opened: {error.strerror or error}", where=folder
        ) from None
    try:
        _take(lock, folder, shared=shared)
        yield
    finally:
        os.close(lock)  # which also lets the next one in


def _take(lock: int, folder: Path, *, shared: bool) -> None:
    import fcntl

    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    end = time.monotonic() + MAX_WAIT_SECONDS
    while True:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > end:
                raise IndexFailure(
                    f"another process has had this index open for {MAX_WAIT_SECONDS:.0f} s",
                    where=folder,
                    hint="wait for it to end; a ClickHouse server serves many at once",
                ) from None
            time.sleep(0.02)
        else:
            return


def need_library(*, embedded: bool = False) -> Any:
    """The package that speaks to the engine; raises if it is not installed."""
    try:
        import clickhouse_connect

        if embedded:
            import chdb  # noqa: F401
    except ImportError as error:
        if error.name == "chdb":
            raise IndexFailure("this index needs chdb", hint="pip install chdb") from None
        raise IndexFailure("an index needs clickhouse-connect", hint=EXTRA) from None
    # we tell it ourselves
    logging.getLogger("clickhouse_connect").addHandler(logging.NullHandler())
    return clickhouse_connect


# what an engine's answer holds, what it means, and what to do about it
_REASONS = (
    ("AUTHENTICATION_FAILED", "the server refused this user", f"set {USER} and {PASSWORD}"),
    ("Cannot modify", "a query cannot change settings", "leave out SETTINGS"),
    ("(READONLY)", "a query may only read the tables of the index", None),
    ("CREATE TEMPORARY TABLE", "a query may only read the tables of the index", None),
    ("READ ON ", "a query may only read the tables of the index", None),
    ("(CANNOT_OPEN_FILE)", "a query may only read the tables of the index", None),
    ("ACCESS_DENIED", "this user may not do that", "ask for rights on the database"),
    ("UNKNOWN_DATABASE", "there is no such database", "`runvitals index` creates it"),
    ("MEMORY_LIMIT_EXCEEDED", "the engine ran out of memory", "ask for fewer rows or columns"),
    ("TIMEOUT_EXCEEDED", "the query took too long", "ask for fewer runs or metrics"),
    ("TOO_MANY_ROWS_OR_BYTES", "the answer is too long", "add a LIMIT, or ask for averages"),
    ("NOT_ENOUGH_SPACE", "the disk of the index is full", "free some space, then run it again"),
    ("Failed to resolve", "the host is not known", "mend the address"),
    ("Connection refused", "nothing answers there", "is the server up, and its HTTP port 8123?"),
)
# where the part of an engine's complaint begins that does not help whoever asked
_REST = re.compile(
    r"Stack trace|\(version | ?:? In scope |:? while executing |\. Expected one of| \([A-Z_]+\)$"
)


def reason_of(text: str) -> tuple[str, str | None]:
    """What an engine complains about, in one sentence, and what to do about it."""
    for sign, what, hint in _REASONS:
        if sign in text:
            return what, hint
    first = " ".join(text.rsplit("DB::Exception: ", 1)[-1].split())
    while (rest := _REST.search(first)) is not None:
        first = first[: rest.start()]
    if secret := os.environ.get(PASSWORD):
        first = first.replace(secret, "***")
    return f"the index refused: {first[:_MAX_SHOWN].strip(' .:')}", None
