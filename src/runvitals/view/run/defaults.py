"""What a run sets otherwise than its framework does by default.

`framework_defaults.json` is made by `python -m benchmarks.reading.framework_defaults`.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import Run
from runvitals.view.json_safe import json_safe
from runvitals.view.schemas import ChangedSetting, FrameworkDefaults

_TABLES = Path(__file__).with_name("framework_defaults.json")
# they say where and how a run is made, not what is trained
_NOT_TRAINING = {"_init_setup_model", "device", "verbose", "output_dir", "run_name", "seed"}


@cache
def _tables() -> dict[str, Any]:
    loaded: dict[str, Any] = orjson.loads(_TABLES.read_bytes())
    return loaded


def defaults_of(run: Run) -> FrameworkDefaults | None:
    """The settings that differ from the defaults; None if these are not known or none is logged."""
    table = _tables().get(run.framework or "")
    algorithm = (run.algorithm or "").lower().replace("-", "_")
    known = None if table is None else table["algorithms"].get(algorithm)
    if table is None or known is None:
        return None
    shared = 0
    changed = []
    for key, value in json_safe(run.config).items():
        name = key.rpartition(".")[2]
        if name not in known or name in _NOT_TRAINING or isinstance(value, dict | list):
            continue
        shared += 1
        if value is not None and not _same(value, known[name]):
            changed.append(ChangedSetting(key=key, value=value, default=known[name]))
    if not shared:
        return None
    return FrameworkDefaults(
        framework=run.framework or "",
        version=table["version"],
        algorithm=algorithm,
        compared=shared,
        changed=changed,
    )


def _same(value: Any, default: Any) -> bool:
    """True if two settings are equal, numbers up to rounding; YAML reads 1e-4 as a text.

    >>> _same("1e-4", 0.0001), _same(True, 1), _same(0.3, 0.2)
    (True, False, False)
    """
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default or str(value).lower() == str(default).lower()
    try:
        return math.isclose(float(value), float(default), rel_tol=1e-6)
    except ValueError:
        return str(value) == str(default)
