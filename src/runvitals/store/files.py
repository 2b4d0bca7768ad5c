"""Small files that are replaced whole: a reader sees the old or the new one, never a half."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import ReadError

_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def write_json(path: Path, content: Mapping[str, Any], *, durable: bool = False) -> None:
    """Replace the file at once; what cannot be JSON becomes its repr."""
    data = orjson.dumps(content, default=repr, option=_OPTIONS)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_json(path: Path) -> dict[str, Any]:
    """The object in the file; `ReadError` when it is no JSON object."""
    try:
        content = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise ReadError(path, f"not valid JSON ({error})", hint="was the file cut?") from error
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error
    if not isinstance(content, dict):
        raise ReadError(path, "the JSON is not an object")
    return content
