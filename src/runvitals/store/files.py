"""Small files that are replaced whole: a reader sees the old or the new one, never a half."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from runvitals.model import ReadError
from runvitals.model.atomic import replacing
from runvitals.model.private import OWNER_ONLY, hides_something

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
    data = dumps(content, orjson.OPT_INDENT_2)
    mode = OWNER_ONLY if hides_something(data) else 0o666
    with replacing(path, durable=durable, mode=mode) as file:
        file.write(data)


def write_redacted(path: Path, content: Mapping[str, Any], *, durable: bool = False) -> None:
    """The same without secrets: for everything that people and other programs said."""
    from runvitals.model.secrets import redacted  # its patterns take long to compile

    write_json(path, redacted(content), durable=durable)


def read_json(path: Path) -> dict[str, Any]:
    """The object in the file; `ReadError` when it is no JSON object."""
    try:
        if path.exists() and not path.is_file():
            raise ReadError(path, "this is not a file")
        if (size := path.stat().st_size) > MAX_JSON_BYTES:
            problem = f"{size:,} bytes are more than runvitals writes here, and were not read"
            raise ReadError(path, problem, hint="was the file damaged?")
        content = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise ReadError(path, f"not valid JSON ({error})", hint="was the file cut?") from error
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error
    if not isinstance(content, dict):
        raise ReadError(path, "the JSON is not an object")
    return content
