"""Addresses of an index: `clickhouse://host/database`, or `chdb:///folder` for the embedded engine."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
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
