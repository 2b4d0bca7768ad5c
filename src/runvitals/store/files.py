"""Small files that are replaced whole: a reader sees the old or the new one, never a half.

Each JSON object that is written ends with a checksum of everything before it, so that a flipped bit is
noticed. One without a checksum was written by an earlier version, or by hand, and is taken as it is.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from runvitals.model import DamagedError, ReadError
from runvitals.model.atomic import OWNER_ONLY, hides_something, replacing

# Names in run.json take 64 MiB at most, and JSON may need six characters for one.
MAX_JSON_BYTES = 512 * 2**20

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def dumps(content: Any, option: int = 0) -> bytes:
    """JSON in any case: what it cannot hold becomes its repr, half a surrogate pair a question mark."""
    try:
        return orjson.dumps(content, default=repr, option=_OPTIONS | option)
    except orjson.JSONEncodeError:
        text = json.dumps(content, default=_plain, skipkeys=True, ensure_ascii=False)
        return orjson.dumps(json.loads(text.encode("utf-8", "replace")), option=option)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else repr(value)


def write_json(path: Path, content: Mapping[str, Any], *, durable: bool = False) -> None:
    """Replace the file at once; what cannot be JSON becomes its repr."""
    data = with_checksum(dumps(content, orjson.OPT_INDENT_2))
    mode = OWNER_ONLY if hides_something(data) else 0o666
    with replacing(path, durable=durable, mode=mode) as file:
        file.write(data)


def write_redacted(path: Path, content: Mapping[str, Any]) -> None:
    """The same without secrets: for everything that people and other programs said."""
    from runvitals.model.secrets import redacted  # its patterns take long to compile

    write_json(path, redacted(content))


_CHECKSUM = "runvitals_crc32"  # the last member of an object
_MEMBER = re.compile(rb',?\s*"runvitals_crc32": ?"([0-9a-f]{8})"\s*\}\s*')
_MEMBER_BYTES = 64  # at most


def with_checksum(data: bytes) -> bytes:
    """A JSON object, as `dumps` writes it, with the checksum of its bytes as its last member.

    >>> with_checksum(b'{"a":1}')
    b'{"a":1,"runvitals_crc32":"a702fc6e"}'
    """
    body = data.rstrip().removesuffix(b"}").rstrip()
    ending = data[len(body) :]
    comma = b"" if body == b"{" else b","
    gap, colon = (b"\n  ", b": ") if ending.startswith(b"\n") else (b"", b":")
    name = _CHECKSUM.encode()
    return body + comma + gap + b'"%s"%s"%08x"' % (name, colon, zlib.crc32(body)) + ending


class Stored(NamedTuple):
    """A JSON object that was read, and whether it is what was written."""

    content: dict[str, Any]
    intact: bool


def without_checksum(data: bytes) -> Stored:
    """The object in these bytes; `ValueError` when they are not a JSON object.

    >>> without_checksum(b'{"a":1,"runvitals_crc32":"a702fc6e"}')
    Stored(content={'a': 1}, intact=True)
    >>> without_checksum(b'{"a":3,"runvitals_crc32":"a702fc6e"}')
    Stored(content={'a': 3}, intact=False)
    """
    content = orjson.loads(data)
    if not isinstance(content, dict):
        raise ValueError("the JSON is not an object")
    had_one = content.pop(_CHECKSUM, None) is not None
    return Stored(content, not had_one or is_intact(data))


def is_intact(data: bytes) -> bool:
    """Whether these bytes end with a checksum, and it is theirs."""
    found = _MEMBER.search(data, max(0, len(data) - _MEMBER_BYTES))
    if found is None or found.end() != len(data):
        return False
    return int(found[1], 16) == zlib.crc32(data[: found.start()])


def read_stored(path: Path) -> Stored:
    """The object in the file, also if it was changed; `ReadError` when it is not a JSON object."""
    try:
        if path.exists() and not path.is_file():
            raise ReadError(path, "this is not a file")
        if (size := path.stat().st_size) > MAX_JSON_BYTES:
            problem = f"{size:,} bytes are more than runvitals writes here, and were not read"
            raise DamagedError(path, problem, hint="was the file damaged?")
        return without_checksum(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise DamagedError(path, f"not valid JSON ({error})", hint="was the file cut?") from error
    except ValueError as error:
        raise DamagedError(path, str(error)) from error
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error


def read_json(path: Path) -> dict[str, Any]:
    """The object in the file; `ReadError` when it is not a JSON object, or not the one written."""
    content, intact = read_stored(path)
    if not intact:
        raise DamagedError(path, "its checksum is wrong")
    return content


def read_json_if_any(
    path: Path, read: Callable[[Path], dict[str, Any]] = read_json
) -> dict[str, Any]:
    """The object in the file; empty if it is missing or damaged."""
    try:
        return read(path)
    except ReadError:
        return {}
