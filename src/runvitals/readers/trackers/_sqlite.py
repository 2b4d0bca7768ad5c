"""SQLite files of others: opened for reading only, with bounds on what a hostile file can do."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from runvitals.model import Gap, ReadError

MAGIC = b"SQLite format 3\x00"
MAX_VALUE_LENGTH = 64 * 2**20
MAX_QUERY_SECONDS = 600.0  # seconds
ERRORS = (sqlite3.Error, UnicodeError)  # what a damaged file raises: its messages hold its bytes
_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_PRAGMA,
    sqlite3.SQLITE_TRANSACTION,
}


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write; texts come as they are, undecodable bytes replaced.

    SQLite's own complaints become `ReadError`.
    """
    try:
        connection = _connect(path)
    except (*ERRORS, OSError) as error:
        raise ReadError(path, f"SQLite cannot open it ({error})") from error
    try:
        yield connection
    except ERRORS as error:
        hint = "copy it with `sqlite3 FILE .recover`, or wait until its writer is done"
        raise ReadError(path, f"SQLite cannot read it ({error})", hint=hint) from error
    finally:
        connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    with open(path, "rb") as file:
        head = file.read(20)
    if not head.startswith(MAGIC):
        raise sqlite3.DatabaseError("not a database")
    log = path.with_name(f"{path.name}-wal")
    waiting = log.is_file() and log.stat().st_size > 0
    # Without a write-ahead log to look into, `immutable` spares the files SQLite would put beside it.
    plain = head[18:20] == b"\x02\x02" and not waiting
    ways = ["mode=ro&immutable=1"] if plain else ["mode=ro", "mode=ro&immutable=1"]
    problem: Exception = sqlite3.OperationalError("unable to open")
    for way in ways:
        try:
            connection = sqlite3.connect(f"{path.resolve().as_uri()}?{way}", uri=True, timeout=2.0)
        except sqlite3.Error as error:
            problem = error
            continue
        try:
            _restrain(connection)
            connection.execute("SELECT name FROM sqlite_master LIMIT 1").fetchall()
        except ERRORS as error:
            problem = error
            connection.close()
            continue
        return connection
    raise problem


def _restrain(connection: sqlite3.Connection) -> None:
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_LENGTH)
    for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0"):
        connection.execute(f"PRAGMA {pragma}")
    end = time.monotonic() + MAX_QUERY_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > end, 100_000)
    connection.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
    )


def tables(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Plain tables and their columns; views and virtual tables are left out."""
    rows = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' LIMIT 1000"
    ).fetchall()
    found: dict[str, list[str]] = {}
    for name, sql in rows:
        if not isinstance(name, str) or '"' in name or not isinstance(sql, str):
            continue
        if sql.lstrip()[:20].upper().split()[:2] == ["CREATE", "TABLE"]:
            columns = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
            found[name] = [str(column[1]) for column in columns]
    return found


def has_tables(path: Path, head: bytes, wanted: dict[str, set[str]]) -> bool:
    """True if a file is a SQLite database with these tables and columns. Never raises."""
    if not head.startswith(MAGIC):
        return False
    try:
        with opened(path) as connection:
            found = tables(connection)
    except (ReadError, OSError, ValueError):
        return False
    return all(columns <= set(found.get(name, ())) for name, columns in wanted.items())


def rows(
    connection: sqlite3.Connection, query: str, values: tuple[Any, ...], warnings: list[str]
) -> Iterator[Any]:
    """The rows of a query; where the file is damaged behind some of them, it ends with a warning."""
    count = 0
    try:
        for row in connection.execute(query, values):
            count += 1
            yield row
    except ERRORS as error:
        if not count:
            raise
        warnings.append(Gap(f"the database is damaged ({error}); read up to row {count}"))


def shortfall(path: Path) -> list[str]:
    """A warning if the file is shorter than its own header says; it was cut then."""
    try:
        with open(path, "rb") as file:
            start = file.read(100)
        size = path.stat().st_size
    except OSError:
        return []
    if len(start) < 100 or start[24:28] != start[92:96]:
        return []  # the count of pages is not kept by the program that wrote it
    page = int.from_bytes(start[16:18], "big")
    whole = int.from_bytes(start[28:32], "big") * (65_536 if page == 1 else page)
    if size >= whole:
        return []
    return [Gap(f"{path.name} is cut: {size:,} of {whole:,} bytes are there")]
