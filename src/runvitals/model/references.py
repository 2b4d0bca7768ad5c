"""Small files that stand for something elsewhere: a table in a bucket, points in an index, a run.

Whoever opens one goes there with their own rights, so only those are followed that the copies in this
user's cache folder are made of. Each carries a signature of what it says and where it lies, with a key
that nobody else can read. One in a folder or a bucket that somebody else wrote is refused.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import Any

import orjson

from runvitals.model.atomic import OWNER_ONLY, replacing, take_new_name
from runvitals.model.errors import DamagedError, ReadError

MAX_BYTES = 1 << 20  # of a reference
_KEY_FILE = "reference.key"
_KEY_BYTES = 32
_SIGNATURE = "signature"


def cache_folder() -> Path:
    """Where copies of runs lie: `RUNVITALS_CACHE`, or the user's cache folder."""
    given = os.environ.get("RUNVITALS_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(given) if given else Path(base) / "runvitals"


def write_reference(path: Path, said: dict[str, Any]) -> None:
    """Put a reference into a copy of a run."""
    signature = _signature(user_key(create=True), path, said)
    with replacing(path) as file:
        file.write(orjson.dumps({**said, _SIGNATURE: signature}))


def read_reference(path: Path) -> dict[str, Any]:
    """What a reference says. Raises `ReadError` if this user did not make it, and for this place."""
    hint = "open what it refers to by its own address"
    try:
        with open(path, "rb") as file:
            said = orjson.loads(file.read(MAX_BYTES))
        claimed = str(said.pop(_SIGNATURE, ""))
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error
    except (ValueError, AttributeError, TypeError) as error:
        raise DamagedError(path, f"it is damaged ({error})", hint=hint) from error
    key = user_key(create=False)
    if not key or not hmac.compare_digest(claimed.encode(), _signature(key, path, said).encode()):
        problem = "it refers to something elsewhere, and is not part of a copy that you made"
        raise ReadError(path, problem, hint=hint)
    return dict(said)


def _signature(key: bytes, path: Path, said: dict[str, Any]) -> str:
    place, cache = path.resolve(), cache_folder().resolve()
    where = place.relative_to(cache) if place.is_relative_to(cache) else place
    content = orjson.dumps([os.fsencode(where).hex(), said], option=orjson.OPT_SORT_KEYS)
    return hmac.digest(key, content, "sha256").hex()


def user_key(*, create: bool) -> bytes:
    """The key of this user; nothing if there is none yet."""
    path = cache_folder() / _KEY_FILE
    if create and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{_KEY_FILE}.{secrets.token_hex(6)}")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
        try:
            take_new_name(fresh, path)
        finally:
            fresh.unlink()
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
